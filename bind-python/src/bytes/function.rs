//! `Function`: a class of the interpreter's own making, whose objects are called without anything in between.
//!
//! [`call`] is what a call does. The object holds one reference to the function of core, and is the only wrapper of it.

use std::ffi::{CStr, c_int, c_void};
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use tenspan::ErrorKind;
use tenspan::abi::layout::{FunctionCell, ObjectHeader, SafeCall};
use tenspan::abi::object::{self, ObjectRef};
use tenspan::value::{Any, Kind};

use super::identity;
use crate::callback::Callable;
use crate::error::new_error;

mod attributes;
pub mod call;

/// An object of the class.
#[repr(C)]
pub struct Object {
    header: ffi::PyObject,
    /// What is called; null once the collector of garbage has taken it, and when making the object failed.
    function: Option<ObjectRef>,
    vectorcall: call::Vectorcall,
    /// Whether the interpreter is given to others during a call.
    release_gil: AtomicBool,
    weak: *mut ffi::PyObject,
    dict: *mut ffi::PyObject,
}

/// The class, null before it is made.
static CLASS: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(std::ptr::null_mut());
static KEPT: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// Flag of classes whose objects say how they are called by `__vectorcalloffset__`.
const HAVE_VECTORCALL: u32 = 1 << 11;

const DOCS: &CStr = c"Function(func, /)\n--\n\nSomething to call, made by any language of the process or by a compiled module, and called from every other.\n\nFrom a callable of Python this makes a function that other languages can call.";

/// The class, made at first use.
///
/// # Errors
/// None but of memory.
pub fn class(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let made = KEPT.get_or_try_init(py, || {
        let class = make_class(py, c"tenspan.Function", 0, None)?;
        CLASS.store(class.as_type_ptr(), Ordering::Release);
        Ok::<_, PyErr>(class.unbind())
    })?;
    Ok(made.bind(py))
}

/// Flag of classes whose objects are called with the object before the other arguments, when they are found in a class.
const METHOD_DESCRIPTOR: u32 = 1 << 17;

/// Flag of classes that never change: the interpreter remembers where it found such an object.
const IMMUTABLE: u32 = 1 << 8;

static METHOD: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// A function as a method: found in a class, it gets the object first.
///
/// # Errors
/// None but of memory.
pub fn method<'py>(py: Python<'py>, function: &ObjectRef) -> PyResult<Bound<'py, PyAny>> {
    let class = METHOD.get_or_try_init(py, || {
        let bind = ffi::PyType_Slot {
            slot: ffi::Py_tp_descr_get,
            pfunc: attributes::bind as *mut c_void,
        };
        let made = make_class(
            py,
            c"tenspan._tenspan.Method",
            METHOD_DESCRIPTOR | IMMUTABLE,
            Some(bind),
        )?;
        Ok::<_, PyErr>(made.unbind())
    })?;
    new_object(py, class.bind(py).as_type_ptr(), function)
}

fn make_class<'py>(
    py: Python<'py>,
    name: &'static CStr,
    flags: u32,
    more: Option<ffi::PyType_Slot>,
) -> PyResult<Bound<'py, PyType>> {
    let member = |name: &'static CStr, offset: usize| ffi::PyMemberDef {
        name: name.as_ptr(),
        type_code: ffi::Py_T_PYSSIZET,
        offset: offset as ffi::Py_ssize_t,
        flags: ffi::Py_READONLY,
        doc: std::ptr::null(),
    };
    // The interpreter keeps the addresses of these as long as the class, which is for ever.
    let members = Box::leak(Box::new([
        member(c"__vectorcalloffset__", offset_of!(Object, vectorcall)),
        member(c"__weaklistoffset__", offset_of!(Object, weak)),
        member(c"__dictoffset__", offset_of!(Object, dict)),
        ffi::PyMemberDef::default(),
    ]));
    let slot = |slot: c_int, pfunc: *mut c_void| ffi::PyType_Slot { slot, pfunc };
    let mut slots = [
        slot(ffi::Py_tp_doc, DOCS.as_ptr().cast_mut().cast()),
        slot(ffi::Py_tp_new, new as *mut c_void),
        slot(ffi::Py_tp_dealloc, dealloc as *mut c_void),
        slot(ffi::Py_tp_traverse, traverse as *mut c_void),
        slot(ffi::Py_tp_clear, clear as *mut c_void),
        slot(ffi::Py_tp_call, call::call_tuple as *mut c_void),
        slot(ffi::Py_tp_repr, attributes::repr as *mut c_void),
        slot(ffi::Py_tp_hash, attributes::hash as *mut c_void),
        slot(ffi::Py_tp_richcompare, attributes::compare as *mut c_void),
        slot(ffi::Py_tp_getset, attributes::table().cast()),
        slot(ffi::Py_tp_methods, attributes::methods().cast()),
        slot(ffi::Py_tp_members, members.as_mut_ptr().cast()),
        more.unwrap_or(slot(0, std::ptr::null_mut())),
        slot(0, std::ptr::null_mut()),
    ];
    let mut spec = ffi::PyType_Spec {
        name: name.as_ptr(),
        basicsize: size_of::<Object>() as c_int,
        itemsize: 0,
        flags: (ffi::Py_TPFLAGS_DEFAULT | ffi::Py_TPFLAGS_HAVE_GC) as u32 | HAVE_VECTORCALL | flags,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: a description of a class whose slots have the signatures that their numbers ask for.
    let made = unsafe { ffi::PyType_FromSpec(&mut spec) };
    // SAFETY: a new reference, or null with an exception set.
    let made = unsafe { Bound::from_owned_ptr_or_err(py, made) }?;
    Ok(made.cast_into::<PyType>()?)
}

/// The function of an object, if it is of this class.
pub fn of<'a>(object: *mut ffi::PyObject, class: *mut ffi::PyTypeObject) -> Option<&'a ObjectRef> {
    if class != CLASS.load(Ordering::Acquire) || class.is_null() {
        return None;
    }
    // SAFETY: an object of exactly this class, which the caller keeps.
    unsafe { &*object.cast::<Object>() }.function.as_ref()
}

/// The object of a function: the one there is, or a new one.
///
/// # Errors
/// None but of memory.
pub fn wrap<'py>(py: Python<'py>, function: &ObjectRef) -> PyResult<Bound<'py, PyAny>> {
    if let Some(known) = identity::find(py, function) {
        return Ok(known);
    }
    let made = new_object(py, class(py)?.as_type_ptr(), function)?;
    identity::keep(function, &made, made.as_ptr() as usize);
    Ok(made)
}

/// An object of one of the classes here around a function.
fn new_object<'py>(
    py: Python<'py>,
    class: *mut ffi::PyTypeObject,
    function: &ObjectRef,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the class can be instantiated, and the thread is attached.
    let made = unsafe { ffi::PyType_GenericAlloc(class, 0) };
    // SAFETY: a new reference, or null with an exception set.
    let made = unsafe { Bound::from_owned_ptr_or_err(py, made) }?;
    let object = made.as_ptr().cast::<Object>();
    // SAFETY: a fresh object of the class, all zero behind its header, which nobody else knows.
    let fields = unsafe { &mut *object };
    fields.vectorcall = Some(call::vectorcall);
    let release = crate::callback::callable(function).is_none() && release_by_default(py);
    fields.release_gil = AtomicBool::new(release);
    fields.function = Some(function.clone());
    Ok(made)
}

/// What `TENSPAN_RELEASE_GIL_BY_DEFAULT` says, read once.
fn release_by_default(py: Python<'_>) -> bool {
    static RELEASE: PyOnceLock<bool> = PyOnceLock::new();
    *RELEASE.get_or_init(py, || {
        let said = std::env::var("TENSPAN_RELEASE_GIL_BY_DEFAULT").unwrap_or_default();
        !matches!(
            said.to_ascii_lowercase().as_str(),
            "0" | "false" | "no" | "off"
        )
    })
}

/// The entry point of a function.
pub(super) fn entry(function: &ObjectRef) -> Option<SafeCall> {
    let cell: NonNull<ObjectHeader> = function.handle();
    // SAFETY: every function object has a `FunctionCell` behind its header.
    unsafe { (*object::cell::<FunctionCell>(cell)).safe_call }
}

/// Does work that may fail or panic, and gives null with an exception set when it does.
pub(super) fn guarded(
    work: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyAny>>,
) -> *mut ffi::PyObject {
    let done = catch_unwind(AssertUnwindSafe(|| {
        Python::attach(|py| match work(py) {
            Ok(object) => object.into_ptr(),
            Err(error) => {
                error.restore(py);
                std::ptr::null_mut()
            }
        })
    }));
    done.unwrap_or_else(|_| {
        Python::attach(|py| {
            new_error(ErrorKind::InternalError, "a Rust function panicked").restore(py)
        });
        std::ptr::null_mut()
    })
}

unsafe extern "C" fn new(
    _class: *mut ffi::PyTypeObject,
    arguments: *mut ffi::PyObject,
    named: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guarded(|py| {
        // SAFETY: the interpreter passes a tuple, and a dictionary or null.
        let arguments = unsafe { Bound::from_borrowed_ptr(py, arguments) };
        let wrong = || new_error(ErrorKind::TypeError, "Function() takes one callable");
        // SAFETY: as above.
        let has_names = !named.is_null() && unsafe { ffi::PyDict_Size(named) } > 0;
        if has_names || arguments.len()? != 1 {
            return Err(wrong());
        }
        let callable = arguments.get_item(0)?;
        let found = crate::value::convert::function(&callable)?;
        found.map_or_else(|| Err(wrong()), |function| wrap(py, function.object()))
    })
}

#[allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "one argument holds for all steps, whose order counts"
)]
unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    // SAFETY: the interpreter destroys an object of the class, once, attached.
    unsafe {
        ffi::PyObject_GC_UnTrack(object.cast());
        let fields = object.cast::<Object>();
        if !(*fields).weak.is_null() {
            ffi::PyObject_ClearWeakRefs(object);
        }
        take_all(fields);
        let class = ffi::Py_TYPE(object);
        ffi::PyObject_GC_Del(object.cast());
        ffi::Py_DECREF(class.cast());
    }
}

unsafe extern "C" fn clear(object: *mut ffi::PyObject) -> c_int {
    // SAFETY: an object of the class, attached.
    unsafe { take_all(object.cast()) };
    0
}

/// Lets go of everything that an object holds.
///
/// # Safety
/// An object of the class, and the thread is attached.
unsafe fn take_all(object: *mut Object) {
    // What is taken is dropped after its place is empty, because that runs code of others.
    // SAFETY: the caller says so.
    let fields = unsafe { &mut *object };
    let dict = std::mem::replace(&mut fields.dict, std::ptr::null_mut());
    let function = fields.function.take();
    if let Some(function) = &function {
        identity::forget(function, object as usize);
    }
    let _ = catch_unwind(AssertUnwindSafe(|| drop(function)));
    // SAFETY: the reference that the object held, or null.
    unsafe { ffi::Py_XDECREF(dict) };
}

unsafe extern "C" fn traverse(
    object: *mut ffi::PyObject,
    visit: ffi::visitproc,
    context: *mut c_void,
) -> c_int {
    // SAFETY: an object of the class that the collector looks at.
    let fields = unsafe { &*object.cast::<Object>() };
    // SAFETY: as above.
    let class = unsafe { ffi::Py_TYPE(object) };
    let held = fields
        .function
        .as_ref()
        .filter(|function| function.is_unique());
    // What only this object holds goes with it.
    let callable = held.and_then(crate::callback::callable);
    let callable = callable.map_or(std::ptr::null_mut(), Callable::address);
    for seen in [class.cast(), fields.dict, callable] {
        if !seen.is_null() {
            // SAFETY: the function of the collector, called with objects that this one holds.
            let stop = unsafe { visit(seen, context) };
            if stop != 0 {
                return stop;
            }
        }
    }
    0
}

/// The function in a value, if it is one.
pub fn in_value(value: &Any) -> Option<tenspan::Function> {
    match value.kind() {
        Kind::Function(function) => Some(function),
        _ => None,
    }
}
