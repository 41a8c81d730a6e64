//! Which class of Python stands for which type, in both directions.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use tenspan::ErrorKind;
use tenspan::abi::layout::index;
use tenspan::object::ObjectType;

use crate::error::new_error;

/// A class that stands for a type.
struct Standing {
    class: Py<PyType>,
    /// Whether nobody registered it: it was made for an object that came along.
    is_automatic: bool,
}

/// By the index of the type.
static CLASSES: RwLock<Option<HashMap<i32, Standing>>> = RwLock::new(None);
/// By the address of the class, which lives as long as the process.
static TYPES: RwLock<Option<HashMap<usize, i32>>> = RwLock::new(None);
/// Makes a class for a type that has none.
static AUTOMATIC: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// Sets what makes a class for a type that has none: called with the key of the type, the class of its parent, and its docs.
pub fn set_automatic(py: Python<'_>, make: Py<PyAny>) {
    let _ = AUTOMATIC.set(py, make);
}

/// The class that stands for a type, and whether it is an automatic one.
pub fn registered<'py>(py: Python<'py>, type_index: i32) -> Option<(Bound<'py, PyType>, bool)> {
    let classes = CLASSES.read().unwrap_or_else(PoisonError::into_inner);
    let known = classes.as_ref()?.get(&type_index)?;
    Some((known.class.bind(py).clone(), known.is_automatic))
}

/// Makes a class stand for a type.
pub fn register(class: &Bound<'_, PyType>, type_index: i32, is_automatic: bool) {
    let bound = Standing {
        class: class.clone().unbind(),
        is_automatic,
    };
    let old = {
        let mut classes = CLASSES.write().unwrap_or_else(PoisonError::into_inner);
        classes.get_or_insert_default().insert(type_index, bound)
    };
    // Objects of the class before are still there: it stays.
    std::mem::forget(old);
    let mut types = TYPES.write().unwrap_or_else(PoisonError::into_inner);
    let types = types.get_or_insert_default();
    types.insert(class.as_ptr() as usize, type_index);
}

/// Classes whose types were asked for, at a place that their address says, each in one word with the index of its type. A class that
/// stands for a type lives as long as the process, so what stands here stays true.
static RECENT: [AtomicU64; 256] = [const { AtomicU64::new(0) }; 256];

/// The word of a class, without an index: classes lie at multiples of 16, and indices of types have 16 bits.
fn word(class: *mut ffi::PyTypeObject) -> u64 {
    (class as u64 >> 4) << 16
}

/// The type that a class stands for, itself or by what it is derived from.
#[inline]
pub fn type_index(class: *mut ffi::PyTypeObject) -> Option<i32> {
    recent(class).or_else(|| look_up(class))
}

/// As [`type_index`], if it was asked for a short time ago.
#[inline]
pub fn recent(class: *mut ffi::PyTypeObject) -> Option<i32> {
    let recent = RECENT[class as usize >> 4 & 255].load(Ordering::Relaxed);
    (recent & !0xffff == word(class)).then_some((recent & 0xffff) as i32)
}

#[cold]
fn look_up(class: *mut ffi::PyTypeObject) -> Option<i32> {
    let asked = class;
    let types = TYPES.read().unwrap_or_else(PoisonError::into_inner);
    let types = types.as_ref()?;
    let mut class = class;
    while !class.is_null() {
        if let Some(found) = types.get(&(class as usize)) {
            if class == asked {
                let recent = word(class) | *found as u64;
                RECENT[class as usize >> 4 & 255].store(recent, Ordering::Relaxed);
            }
            return Some(*found);
        }
        // SAFETY: a class that lives; its base does too.
        class = unsafe { ffi::PyType_GetSlot(class, ffi::Py_tp_base) }.cast();
    }
    None
}

/// The type that the class of an object stands for.
///
/// # Errors
/// `TypeError` when it stands for none.
pub fn type_of(object: &Bound<'_, PyAny>) -> PyResult<ObjectType> {
    let class = object.get_type_ptr();
    type_index(class)
        .and_then(ObjectType::from_index)
        .ok_or_else(|| standing_for_nothing(object.get_type().as_any()))
}

/// The error of a class that is not registered.
#[cold]
pub fn standing_for_nothing(class: &Bound<'_, PyAny>) -> PyErr {
    let name = class
        .repr()
        .map_or_else(|_| "a class".to_owned(), |name| name.to_string());
    let message = format!("{name} stands for no type; register it with @tenspan.register_object");
    new_error(ErrorKind::TypeError, message)
}

/// The class of a type, made when there is none.
///
/// # Errors
/// None but of memory.
pub fn of_type<'py>(py: Python<'py>, type_index: i32) -> PyResult<Bound<'py, PyType>> {
    if let Some((class, _)) = registered(py, type_index) {
        return Ok(class);
    }
    if AUTOMATIC.get(py).is_none() {
        // The module sets it as it is imported; the package does that, unless only this library was.
        py.import("tenspan._object")?;
    }
    let (Some(of), Some(make)) = (ObjectType::from_index(type_index), AUTOMATIC.get(py)) else {
        return Ok(super::base(py)?.clone());
    };
    let parent = match of.parent().filter(|parent| parent.index() != index::OBJECT) {
        Some(parent) => of_type(py, parent.index())?,
        None => super::base(py)?.clone(),
    };
    let class = make.bind(py).call1((of.key(), parent, of.doc()))?;
    let class = class.cast_into::<PyType>()?;
    super::members::install(&class, of)?;
    register(&class, type_index, true);
    Ok(class)
}
