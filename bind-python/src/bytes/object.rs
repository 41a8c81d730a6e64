//! `Object`: the class under all classes of objects, of the interpreter's own making, so that a field is read without anything in between.
//!
//! An object of it holds one reference to an object of core, and is the only wrapper of that. [`class`] finds the class of a type,
//! [`field`] reads and writes fields, [`manners`] is what every object of Python can.

use std::ffi::{CStr, c_int, c_void};
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, Ordering};

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};
use tenspan::ErrorKind;
use tenspan::abi::object::ObjectRef;
use tenspan::object::Object;
use tenspan::value::AnyView;

use super::argument::{FEW, with_values};
use super::function::guarded;
use super::identity;
use super::raw::Arguments;
use crate::error::{new_error, raised_by_call};

pub mod class;
pub mod field;
mod manners;
pub mod members;

pub use manners::rebuild;

/// An object of the class.
#[repr(C)]
pub struct Instance {
    header: ffi::PyObject,
    /// What it wraps; nothing before `__init__` has made it.
    object: Option<ObjectRef>,
    weak: *mut ffi::PyObject,
}

/// The class, null before it is made.
static CLASS: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(std::ptr::null_mut());
static KEPT: PyOnceLock<Py<PyType>> = PyOnceLock::new();

const DOCS: &CStr = c"An object of a class that any language or a compiled module defined.";

/// The class, made at first use.
///
/// # Errors
/// None but of memory.
pub fn base(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    let made = KEPT.get_or_try_init(py, || {
        let class = make_class(py)?;
        CLASS.store(class.as_type_ptr(), Ordering::Release);
        Ok::<_, PyErr>(class.unbind())
    })?;
    Ok(made.bind(py))
}

fn make_class(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    // The interpreter keeps the addresses of these as long as the class, which is for ever.
    let members = Box::leak(Box::new([
        ffi::PyMemberDef {
            name: c"__weaklistoffset__".as_ptr(),
            type_code: ffi::Py_T_PYSSIZET,
            offset: offset_of!(Instance, weak) as ffi::Py_ssize_t,
            flags: ffi::Py_READONLY,
            doc: std::ptr::null(),
        },
        ffi::PyMemberDef::default(),
    ]));
    let slot = |slot: c_int, pfunc: *mut c_void| ffi::PyType_Slot { slot, pfunc };
    let mut slots = [
        slot(ffi::Py_tp_doc, DOCS.as_ptr().cast_mut().cast()),
        slot(ffi::Py_tp_new, new as *mut c_void),
        slot(ffi::Py_tp_init, init as *mut c_void),
        slot(ffi::Py_tp_dealloc, dealloc as *mut c_void),
        slot(ffi::Py_tp_repr, manners::repr as *mut c_void),
        slot(ffi::Py_tp_hash, manners::hash as *mut c_void),
        slot(ffi::Py_tp_richcompare, manners::compare as *mut c_void),
        slot(ffi::Py_tp_methods, manners::methods().cast()),
        slot(ffi::Py_tp_members, members.as_mut_ptr().cast()),
        slot(0, std::ptr::null_mut()),
    ];
    let mut spec = ffi::PyType_Spec {
        name: c"tenspan._tenspan._Object".as_ptr(),
        basicsize: size_of::<Instance>() as c_int,
        itemsize: 0,
        flags: (ffi::Py_TPFLAGS_DEFAULT | ffi::Py_TPFLAGS_BASETYPE) as u32,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: a description of a class whose slots have the signatures that their numbers ask for.
    let made = unsafe { ffi::PyType_FromSpec(&mut spec) };
    // SAFETY: a new reference, or null with an exception set.
    let made = unsafe { Bound::from_owned_ptr_or_err(py, made) }?;
    Ok(made.cast_into::<PyType>()?)
}

/// Whether objects of a class are of this class, or of one derived from it.
pub fn is_class(class: *mut ffi::PyTypeObject) -> bool {
    let base = CLASS.load(Ordering::Acquire);
    // SAFETY: both are classes that live.
    !base.is_null() && unsafe { ffi::PyType_IsSubtype(class, base) } != 0
}

/// What an object of the class wraps, if it is one and made.
pub fn of<'a>(object: *mut ffi::PyObject, class: *mut ffi::PyTypeObject) -> Option<&'a ObjectRef> {
    if !is_class(class) {
        return None;
    }
    // It is a recent one from now on.
    class::type_index(class);
    instance(object).object.as_ref()
}

/// As [`of`], at once, of a class whose type was asked for a short time ago: most objects are of such a class.
#[inline]
pub fn of_recent<'a>(
    object: *mut ffi::PyObject,
    class: *mut ffi::PyTypeObject,
) -> Option<&'a ObjectRef> {
    class::recent(class)?;
    instance(object).object.as_ref()
}

/// The object behind an address that the interpreter passes to a slot.
fn instance<'a>(object: *mut ffi::PyObject) -> &'a Instance {
    // SAFETY: the interpreter calls slots with objects of the class, and keeps them during the call; others asked `is_class`.
    unsafe { &*object.cast() }
}

/// What an object wraps.
fn made(object: *mut ffi::PyObject) -> PyResult<&'static ObjectRef> {
    let held = instance(object).object.as_ref();
    held.ok_or_else(unmade)
}

#[cold]
fn unmade() -> PyErr {
    let message = "the object is not made yet: its __init__ has to call __ffi_init__";
    new_error(ErrorKind::RuntimeError, message)
}

/// An object of a class around an object of core, or around nothing yet.
fn allocate<'py>(
    py: Python<'py>,
    class: *mut ffi::PyTypeObject,
    held: Option<ObjectRef>,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: a class that is this one or derived from it, and the thread is attached.
    let made = unsafe { ffi::PyType_GenericAlloc(class, 0) };
    // SAFETY: a new reference, or null with an exception set.
    let made = unsafe { Bound::from_owned_ptr_or_err(py, made) }?;
    if let Some(held) = held {
        fill(&made, held);
    }
    Ok(made)
}

/// Puts an object of core into an object that has none.
fn fill(made: &Bound<'_, PyAny>, held: ObjectRef) {
    let address = made.as_ptr().cast::<Instance>();
    identity::keep(&held, made, address as usize);
    // SAFETY: attached, so nobody else looks at the object.
    unsafe { &mut *address }.object = Some(held);
}

/// The object of Python for an object of core: the one there is, or a new one of the class of its type.
///
/// # Errors
/// None but of memory.
pub fn wrap<'py>(py: Python<'py>, object: ObjectRef) -> PyResult<Bound<'py, PyAny>> {
    if let Some(known) = identity::find(py, &object) {
        return Ok(known);
    }
    let class = class::of_type(py, object.type_index())?;
    allocate(py, class.as_type_ptr(), Some(object))
}

unsafe extern "C" fn new(
    class: *mut ffi::PyTypeObject,
    _arguments: *mut ffi::PyObject,
    _named: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    if class::type_index(class).is_none() {
        return guarded(|py| {
            // SAFETY: a class that the interpreter keeps during the call.
            let class = unsafe { Borrowed::from_ptr(py, class.cast()) };
            Err(class::standing_for_nothing(&class))
        });
    }
    // SAFETY: as in `allocate`.
    unsafe { ffi::PyType_GenericAlloc(class, 0) }
}

/// Makes the object of core for an object that has none.
fn construct(py: Python<'_>, this: *mut ffi::PyObject, arguments: Arguments<'_>) -> PyResult<()> {
    // SAFETY: an object that the caller keeps.
    let this = unsafe { Borrowed::from_ptr(py, this) };
    if instance(this.as_ptr()).object.is_some() {
        let message = "the object is made already";
        return Err(new_error(ErrorKind::RuntimeError, message));
    }
    let of = class::type_of(&this)?;
    let made = with_values(py, arguments.all, |views| {
        let (positional, given) = views.split_at(arguments.positional);
        let made = if given.is_empty() {
            of.create(positional, &[])
        } else {
            let names = arguments.named().map(|(name, _)| {
                // SAFETY: a name that the caller keeps.
                unsafe { Bound::from_borrowed_ptr(py, name) }.extract::<String>()
            });
            let names = names.collect::<PyResult<Vec<_>>>()?;
            let named = names.iter().map(String::as_str).zip(given.iter().copied());
            of.create(positional, &named.collect::<Vec<(&str, AnyView<'_>)>>())
        };
        made.map_err(|error| raised_by_call(&error))
    })?;
    fill(&this, made.object().clone());
    Ok(())
}

/// `__ffi_init__`: makes the object by the constructor of its type.
unsafe extern "C" fn ffi_init(
    this: *mut ffi::PyObject,
    start: *const *mut ffi::PyObject,
    positional: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: these are the arguments of this call.
    let arguments = unsafe { Arguments::new(start, positional, names) };
    guarded(|py| {
        construct(py, this, arguments)?;
        Ok(py.None().into_bound(py))
    })
}

/// What a class without an `__init__` of its own does.
unsafe extern "C" fn init(
    this: *mut ffi::PyObject,
    positional: *mut ffi::PyObject,
    named: *mut ffi::PyObject,
) -> c_int {
    let done = guarded(|py| {
        // SAFETY: the interpreter passes a tuple, which it keeps during the call. So below.
        let count = unsafe { ffi::PyTuple_Size(positional) };
        // SAFETY: as above; a position inside of it.
        let item = |at| unsafe { ffi::PyTuple_GetItem(positional, at) };
        if named.is_null() && count as usize <= FEW {
            let mut all = [std::ptr::null_mut(); FEW];
            for (at, place) in (0..count).zip(&mut all) {
                *place = item(at);
            }
            let none = std::ptr::null_mut();
            // SAFETY: so many objects stand there.
            construct(py, this, unsafe {
                Arguments::new(all.as_ptr(), count, none)
            })?;
            return Ok(py.None().into_bound(py));
        }
        let mut all: Vec<*mut ffi::PyObject> = (0..count).map(item).collect();
        // SAFETY: as above; a dictionary or null.
        let named = unsafe { Bound::from_borrowed_ptr_or_opt(py, named) };
        let named: Vec<_> = match named {
            Some(named) => named.cast_into::<PyDict>()?.into_iter().collect(),
            None => Vec::new(),
        };
        all.extend(named.iter().map(|(_, value)| value.as_ptr()));
        let names = PyTuple::new(py, named.iter().map(|(name, _)| name))?;
        let names = match named.is_empty() {
            true => std::ptr::null_mut(),
            false => names.as_ptr(),
        };
        // SAFETY: `all` and `names` live during the call, and the values by name come last.
        construct(py, this, unsafe {
            Arguments::new(all.as_ptr(), count, names)
        })?;
        Ok(py.None().into_bound(py))
    });
    if done.is_null() {
        return -1;
    }
    // SAFETY: the new reference of `guarded`.
    unsafe { ffi::Py_DECREF(done) };
    0
}

#[allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "one argument holds for all steps, whose order counts"
)]
unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    // SAFETY: the interpreter destroys an object of the class, once, attached. A class derived from this one, whose objects the collector
    // looks at, has taken the object out of its sight before.
    unsafe {
        let fields = object.cast::<Instance>();
        if !(*fields).weak.is_null() {
            ffi::PyObject_ClearWeakRefs(object);
        }
        let held = (*fields).object.take();
        if let Some(held) = &held {
            identity::forget(held, object as usize);
        }
        // This may run code of others.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(held)));
        let class = ffi::Py_TYPE(object);
        let free = ffi::PyType_GetSlot(class, ffi::Py_tp_free);
        let free: ffi::freefunc = std::mem::transmute(free);
        free(object.cast());
        ffi::Py_DECREF(class.cast());
    }
}

/// The object as core sees it.
fn object(object: *mut ffi::PyObject) -> PyResult<Object> {
    Ok(Object::from_object(made(object)?.clone()))
}
