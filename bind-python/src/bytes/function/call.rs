//! What a call of a function does: arguments are packed on the stack, the function is called, its result becomes an object.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tenspan::abi::failure;
use tenspan::abi::layout::{ByteArray, RawAny, SafeCall, index};
use tenspan::abi::object::ObjectRef;
use tenspan::stream::Scope;
use tenspan::value::{Any, AnyView};
use tenspan::{Error, ErrorKind};

use super::super::argument::{FEW, FIRST, Hold, Packed, first_views};
use super::super::raw::Arguments;
use super::{Object, entry, guarded, in_value};
use crate::callback;
use crate::error::{new_error, raised_by_call};
use crate::value::wrap;

/// How the interpreter calls an object: arguments, their number, names of the last ones.
pub type Vectorcall = Option<
    unsafe extern "C" fn(
        *mut ffi::PyObject,
        *const *mut ffi::PyObject,
        usize,
        *mut ffi::PyObject,
    ) -> *mut ffi::PyObject,
>;

/// In the number of arguments: the place before the first may be written to.
const ARGUMENTS_OFFSET: usize = 1 << (usize::BITS - 1);

pub unsafe extern "C" fn vectorcall(
    callable: *mut ffi::PyObject,
    start: *const *mut ffi::PyObject,
    count: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    let count = count & !ARGUMENTS_OFFSET;
    // SAFETY: an object of the class, which the caller keeps during the call.
    let object = unsafe { &*callable.cast::<Object>() };
    // SAFETY: these are the arguments of this call.
    let arguments = unsafe { Arguments::new(start, count as ffi::Py_ssize_t, names) };
    let Some(function) = &object.function else {
        return guarded(|_| Err(new_error(ErrorKind::RuntimeError, "the function is gone")));
    };
    if arguments.all.len() != arguments.positional {
        return guarded(|py| named(py, object, function, arguments));
    }
    run(object, function, arguments.all)
}

/// As [`vectorcall`], with a tuple and a dictionary.
pub unsafe extern "C" fn call_tuple(
    callable: *mut ffi::PyObject,
    positional: *mut ffi::PyObject,
    named: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    guarded(|py| {
        // SAFETY: the interpreter passes a tuple.
        let tuple = unsafe { Bound::from_borrowed_ptr(py, positional) }.cast_into::<PyTuple>()?;
        // SAFETY: and a dictionary or null.
        let named = unsafe { Bound::from_borrowed_ptr_or_opt(py, named) };
        // SAFETY: an object of the class, which the caller keeps during the call.
        let object = unsafe { &*callable.cast::<Object>() };
        let Some(function) = &object.function else {
            return Err(new_error(ErrorKind::RuntimeError, "the function is gone"));
        };
        let named = named.map(|named| named.cast_into::<PyDict>()).transpose()?;
        let tuple = match named.filter(|named| !named.is_empty()) {
            Some(named) => callback::in_order(function, &tuple, &named)?,
            None => tuple,
        };
        call_with(py, object, function, &tuple)
    })
}

/// A call with arguments by name.
#[cold]
fn named<'py>(
    py: Python<'py>,
    object: &Object,
    function: &ObjectRef,
    arguments: Arguments<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    let object_of = |address: &*mut ffi::PyObject| {
        // SAFETY: the caller lends an object.
        unsafe { Bound::from_borrowed_ptr(py, *address) }
    };
    let positional = arguments.all[..arguments.positional].iter().map(object_of);
    let positional = PyTuple::new(py, positional.collect::<Vec<_>>())?;
    let named = PyDict::new(py);
    for (name, value) in arguments.named() {
        named.set_item(object_of(&name), object_of(&value))?;
    }
    let tuple = callback::in_order(function, &positional, &named)?;
    call_with(py, object, function, &tuple)
}

fn call_with<'py>(
    py: Python<'py>,
    object: &Object,
    function: &ObjectRef,
    tuple: &Bound<'py, PyTuple>,
) -> PyResult<Bound<'py, PyAny>> {
    let addresses: Vec<_> = tuple.iter_borrowed().map(|item| item.as_ptr()).collect();
    let result = run(object, function, &addresses);
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, result) }
}

/// Packs, calls, and makes an object of the result; null with an exception set when that fails.
#[inline]
fn run(
    object: &Object,
    function: &ObjectRef,
    arguments: &[*mut ffi::PyObject],
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls this, attached.
    let py = unsafe { Python::assume_attached() };
    let mut places = [const { MaybeUninit::uninit() }; FIRST];
    // SAFETY: the caller keeps its arguments.
    match unsafe { first_views(py, arguments, &mut places) } {
        Some(values) => enter(py, object, function, values),
        None => run_any(object, function, arguments),
    }
}

/// As [`run`], with arguments of any classes.
fn run_any(
    object: &Object,
    function: &ObjectRef,
    arguments: &[*mut ffi::PyObject],
) -> *mut ffi::PyObject {
    if arguments.len() > FEW {
        return run_many(object, function, arguments);
    }
    let mut values = [const { MaybeUninit::uninit() }; FEW];
    let mut texts = [const { MaybeUninit::uninit() }; FEW];
    let mut holds = [Hold::View; FEW];
    let packed = Packed::new(&mut values, &mut texts, &mut holds);
    run_packed(object, function, arguments, packed)
}

#[cold]
fn run_many(
    object: &Object,
    function: &ObjectRef,
    arguments: &[*mut ffi::PyObject],
) -> *mut ffi::PyObject {
    let count = arguments.len();
    let mut values: Vec<MaybeUninit<RawAny>> = Vec::new();
    values.resize_with(count, MaybeUninit::uninit);
    let mut texts: Vec<MaybeUninit<ByteArray>> = Vec::new();
    texts.resize_with(count, MaybeUninit::uninit);
    let mut holds = vec![Hold::View; count];
    let packed = Packed::new(&mut values, &mut texts, &mut holds);
    run_packed(object, function, arguments, packed)
}

#[inline(always)]
fn run_packed(
    object: &Object,
    function: &ObjectRef,
    arguments: &[*mut ffi::PyObject],
    mut packed: Packed<'_>,
) -> *mut ffi::PyObject {
    // SAFETY: the interpreter calls this, attached.
    let py = unsafe { Python::assume_attached() };
    for (position, argument) in arguments.iter().enumerate() {
        let pushed = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the caller keeps its arguments, and there is room for as many.
            unsafe { packed.push(py, *argument) }
        }));
        match pushed {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return refuse(function, position, error),
            Err(_) => {
                return guarded(|_| {
                    Err(new_error(ErrorKind::InternalError, "a conversion panicked"))
                });
            }
        }
    }
    // Until the call ends, whatever it ends with.
    let _stream = packed
        .stream()
        .map(|(device, stream)| Scope::enter(device, stream));
    enter(py, object, function, packed.as_slice())
}

/// Enters the function, and makes an object of its result.
#[inline(always)]
fn enter(
    py: Python<'_>,
    object: &Object,
    function: &ObjectRef,
    values: &[RawAny],
) -> *mut ffi::PyObject {
    let Some(entry) = entry(function) else {
        return no_entry();
    };
    let mut result = Any::NONE.into_raw();
    let call = Call {
        entry,
        context: function.handle().as_ptr().cast(),
        values,
        result: &mut result,
    };
    let code = if object.release_gil.load(Ordering::Relaxed) {
        py.detach(|| call.run())
    } else {
        call.run()
    };
    if code == 0 {
        return result_object(result);
    }
    // SAFETY: the callee left an owned value, or the None that was there.
    drop(unsafe { Any::from_raw(result) });
    fail(code)
}

#[cold]
fn no_entry() -> *mut ffi::PyObject {
    let message = "the function has no entry point";
    guarded(|_| Err(new_error(ErrorKind::TypeError, message)))
}

/// A call by the convention of the ABI, ready to run.
struct Call<'a> {
    entry: SafeCall,
    context: *mut c_void,
    values: &'a [RawAny],
    result: &'a mut RawAny,
}

// SAFETY: functions of the ABI are called from any thread, and so are the values that they get.
unsafe impl Send for Call<'_> {}

impl Call<'_> {
    #[inline]
    fn run(self) -> c_int {
        // SAFETY: the entry point of a function object with its own handle, and values that live during the call.
        unsafe {
            (self.entry)(
                self.context,
                self.values.as_ptr(),
                self.values.len() as i32,
                self.result,
            )
        }
    }
}

/// The exception of an argument that cannot be passed, with a note on which it is.
#[cold]
fn refuse(function: &ObjectRef, position: usize, error: PyErr) -> *mut ffi::PyObject {
    guarded(|py| {
        if error.is_instance_of::<PyTypeError>(py) {
            let function = in_value(&Any::object(function.clone()));
            let name = function.as_ref().and_then(|function| function.name());
            let parameters = function.as_ref().and_then(|function| function.parameters());
            let parameter = parameters.and_then(|names| names.get(position));
            let place = match (name, parameter) {
                (Some(name), Some(parameter)) => {
                    format!("argument {position}, `{parameter}`, of `{name}`")
                }
                (Some(name), None) => format!("argument {position} of `{name}`"),
                _ => format!("argument {position} of the function"),
            };
            error
                .value(py)
                .call_method1(pyo3::intern!(py, "add_note"), (place,))?;
        }
        Err(error)
    })
}

#[cold]
fn fail(code: c_int) -> *mut ffi::PyObject {
    guarded(|_| {
        let error = failure::take().unwrap_or_else(|| {
            let message = format!("a function returned {code} without an error");
            Error::new(ErrorKind::InternalError, message)
        });
        Err(raised_by_call(&error))
    })
}

/// The object of a result, which is taken over.
fn result_object(result: RawAny) -> *mut ffi::PyObject {
    // SAFETY: the callee left an owned value.
    let value = unsafe { Any::from_raw(result) };
    match plain_object(value.view()) {
        Some(object) => object,
        None => guarded(move |py| wrap::wrap(py, &value)),
    }
}

/// The object of a value that holds no object, made without anything in between; null with an exception set when memory is
/// exhausted.
#[allow(
    clippy::multiple_unsafe_ops_per_block,
    reason = "one argument holds for all kinds"
)]
pub fn plain_object(value: AnyView<'_>) -> Option<*mut ffi::PyObject> {
    let raw = value.raw();
    // SAFETY: objects are made of plain values, attached, and those that live as long as the interpreter are counted.
    unsafe {
        Some(match raw.type_index {
            index::NONE => ffi::Py_NewRef(ffi::Py_None()),
            index::INT => ffi::PyLong_FromLongLong(raw.payload as i64),
            index::BOOL => ffi::PyBool_FromLong((raw.payload != 0).into()),
            index::FLOAT => ffi::PyFloat_FromDouble(f64::from_bits(raw.payload)),
            index::SMALL_STR => {
                let bytes = raw.payload.to_le_bytes();
                let length = raw.small_len.min(7) as ffi::Py_ssize_t;
                let made = ffi::PyUnicode_FromStringAndSize(bytes.as_ptr().cast(), length);
                if made.is_null() {
                    // Not UTF-8: such text is bytes.
                    ffi::PyErr_Clear();
                    return None;
                }
                made
            }
            _ => return None,
        })
    }
}

/// As [`plain_object`], for who speaks in results.
pub fn plain<'py>(py: Python<'py>, value: AnyView<'_>) -> Option<PyResult<Bound<'py, PyAny>>> {
    // SAFETY: a new reference, or null with an exception set.
    plain_object(value).map(|made| unsafe { Bound::from_owned_ptr_or_err(py, made) })
}

unsafe extern "C" {
    // In every version since 3.9, and in the stable ABI since 3.12.
    fn PyObject_Vectorcall(
        callable: *mut ffi::PyObject,
        arguments: *const *mut ffi::PyObject,
        count: usize,
        names: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject;
}

/// Calls an object of Python with values.
///
/// # Errors
/// The exception that the object raises.
pub fn call_object<'py>(
    callable: Borrowed<'_, 'py, PyAny>,
    values: &[AnyView<'_>],
) -> PyResult<Bound<'py, PyAny>> {
    if values.len() < FEW {
        let mut places = [std::ptr::null_mut(); FEW];
        return call_in(callable, values, &mut places);
    }
    let mut places = vec![std::ptr::null_mut(); values.len() + 1];
    call_in(callable, values, &mut places)
}

/// The objects of the arguments of a call, let go when it ends. The first place stays free for the callee.
struct Given<'a> {
    places: &'a mut [*mut ffi::PyObject],
    count: usize,
}

impl Drop for Given<'_> {
    fn drop(&mut self) {
        for object in &self.places[1..=self.count] {
            // SAFETY: a reference that was made for the call, attached.
            unsafe { ffi::Py_DECREF(*object) };
        }
    }
}

/// There is one place more than there are values, or even more.
fn call_in<'py>(
    callable: Borrowed<'_, 'py, PyAny>,
    values: &[AnyView<'_>],
    places: &mut [*mut ffi::PyObject],
) -> PyResult<Bound<'py, PyAny>> {
    let py = callable.py();
    let mut given = Given { places, count: 0 };
    for value in values {
        let made = match plain(py, *value) {
            Some(made) => made?,
            None => wrap::wrap_view(py, value)?,
        };
        given.places[given.count + 1] = made.into_ptr();
        given.count += 1;
    }
    let start = given.places.as_ptr().wrapping_add(1);
    let count = given.count | ARGUMENTS_OFFSET;
    // SAFETY: so many objects stand behind the first place, which the callee may write to and restores.
    let result =
        unsafe { PyObject_Vectorcall(callable.as_ptr(), start, count, std::ptr::null_mut()) };
    // SAFETY: a new reference, or null with an exception set.
    unsafe { Bound::from_owned_ptr_or_err(py, result) }
}
