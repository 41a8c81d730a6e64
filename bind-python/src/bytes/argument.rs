//! Arguments as packed values, read where they lie: what is of one of the usual classes becomes a view of the object, which the
//! caller keeps during the call.

use std::mem::MaybeUninit;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{PyInt, PyList};
use tenspan::abi::layout::{ByteArray, RawAny, index};
use tenspan::abi::object::ObjectRef;
use tenspan::value::{Any, AnyView, IntoAny};

use super::device::Stream;
use super::object as instance;
use super::{function, identity, long, numpy};
use crate::callback::Callable;
use crate::container::{Array, Dict, List, Map, Shape};
use crate::generated::Tensor;
use crate::value::{convert, protocol};

/// Arguments that need no allocation.
pub const FEW: usize = 16;

/// Whose a packed value is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Hold {
    /// The caller's.
    View,
    /// It was made for the call.
    Owned,
    /// It is a tensor over an array, to be used again.
    Array,
    /// It is a function that calls an object of Python.
    Callable,
}

/// The packed arguments of one call.
pub struct Packed<'a> {
    values: &'a mut [MaybeUninit<RawAny>],
    texts: &'a mut [MaybeUninit<ByteArray>],
    holds: &'a mut [Hold],
    count: usize,
    stream: Option<Stream>,
}

impl<'a> Packed<'a> {
    /// No arguments yet, and room for as many as the shortest of the three slices; nothing is marked in the last.
    pub fn new(
        values: &'a mut [MaybeUninit<RawAny>],
        texts: &'a mut [MaybeUninit<ByteArray>],
        holds: &'a mut [Hold],
    ) -> Self {
        Packed {
            values,
            texts,
            holds,
            count: 0,
            stream: None,
        }
    }

    /// The stream of the first argument in memory of a device that names one.
    pub fn stream(&self) -> Option<Stream> {
        self.stream
    }

    /// Adds an argument.
    ///
    /// # Safety
    /// An object that stays during the call, the thread is attached, and there is room.
    ///
    /// # Errors
    /// What the conversion of the object raises.
    pub unsafe fn push(&mut self, py: Python<'_>, object: *mut ffi::PyObject) -> PyResult<()> {
        // SAFETY: a valid object.
        let class = unsafe { ffi::Py_TYPE(object) };
        // In the order of how often it is one of these.
        // SAFETY: the caller vouches for the object.
        let (value, hold) = if let Some(view) = unsafe { first_view(py, object, class) } {
            (view, Hold::View)
        } else if let Some(tensor) = numpy::lend::quick(py, object, class) {
            (tensor.into_any().into_raw(), Hold::Array)
        } else if protocol::is_plain_callable(py, class) {
            // SAFETY: as above.
            let object = unsafe { Borrowed::from_ptr(py, object) };
            let function = Callable::lend(&object);
            (Any::object(function).into_raw(), Hold::Callable)
        } else {
            // SAFETY: as above.
            match unsafe { further_view(py, object, class, &mut self.texts[self.count]) } {
                Some(view) => (view, Hold::View),
                // SAFETY: as above.
                None => self.make(unsafe { Borrowed::from_ptr(py, object) })?,
            }
        };
        if hold != Hold::View {
            self.holds[self.count] = hold;
        }
        self.values[self.count].write(value);
        self.count += 1;
        Ok(())
    }

    /// A value for what is of none of the usual classes.
    fn make(&mut self, object: Borrowed<'_, '_, PyAny>) -> PyResult<(RawAny, Hold)> {
        let object = &*object;
        if let Ok(number) = object.cast_exact::<PyInt>() {
            return Ok((long::long(number)?.into_raw(), Hold::Owned));
        }
        let (made, hold) = match numpy::lend::exact(object) {
            Some(tensor) => (tensor?.into_any(), Hold::Array),
            None => {
                let passed = convert::passed(object)?;
                self.stream = self.stream.or(passed.stream);
                (passed.value, Hold::Owned)
            }
        };
        Ok((made.into_raw(), hold))
    }

    fn with<R>(
        mut self,
        py: Python<'_>,
        objects: &[*mut ffi::PyObject],
        work: impl FnOnce(&[AnyView<'_>]) -> PyResult<R>,
    ) -> PyResult<R> {
        for object in objects {
            // SAFETY: the caller keeps its objects, and there is room for as many.
            unsafe { self.push(py, *object) }?;
        }
        let values = self.as_slice();
        // SAFETY: a view has the layout of a raw value, and what these point at lives as long as `self`.
        work(unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) })
    }

    /// The values.
    pub fn as_slice(&self) -> &[RawAny] {
        // SAFETY: so many values are written.
        unsafe { std::slice::from_raw_parts(self.values.as_ptr().cast(), self.count) }
    }
}

impl Drop for Packed<'_> {
    fn drop(&mut self) {
        for (value, hold) in self.values.iter().zip(self.holds.iter()).take(self.count) {
            if *hold == Hold::View {
                continue;
            }
            // SAFETY: written, since it is counted.
            let value = unsafe { value.assume_init() };
            // SAFETY: not a view, and taken once.
            let value = unsafe { Any::from_raw(value) };
            if *hold == Hold::Owned {
                continue;
            }
            let Some(object) = value.into_object() else {
                continue;
            };
            if *hold == Hold::Callable {
                // SAFETY: the thread that packs is attached.
                Callable::settle(unsafe { Python::assume_attached() }, object);
            } else if let Some(tensor) = tenspan::Tensor::from_object(object) {
                numpy::lend::take_back(tensor);
            }
        }
    }
}

/// Does work with objects as values, which live as long as that takes.
///
/// # Errors
/// What the conversion of an object raises, or the work does.
pub fn with_values<R>(
    py: Python<'_>,
    objects: &[*mut ffi::PyObject],
    work: impl FnOnce(&[AnyView<'_>]) -> PyResult<R>,
) -> PyResult<R> {
    let count = objects.len();
    if count <= FEW {
        let mut values = [const { MaybeUninit::uninit() }; FEW];
        let mut texts = [const { MaybeUninit::uninit() }; FEW];
        let mut holds = [Hold::View; FEW];
        let packed = Packed::new(&mut values, &mut texts, &mut holds);
        return packed.with(py, objects, work);
    }
    let mut values: Vec<MaybeUninit<RawAny>> = Vec::new();
    values.resize_with(count, MaybeUninit::uninit);
    let mut texts: Vec<MaybeUninit<ByteArray>> = Vec::new();
    texts.resize_with(count, MaybeUninit::uninit);
    let mut holds = vec![Hold::View; count];
    Packed::new(&mut values, &mut texts, &mut holds).with(py, objects, work)
}

const fn plain(type_index: i32, payload: u64) -> RawAny {
    RawAny {
        type_index,
        small_len: 0,
        payload,
    }
}

/// The view of an object of one of the usual classes; `text` is where a description of bytes may stand.
///
/// # Safety
/// An object that stays as long as the view, and the thread is attached.
unsafe fn view(
    py: Python<'_>,
    object: *mut ffi::PyObject,
    text: &mut MaybeUninit<ByteArray>,
) -> Option<RawAny> {
    // SAFETY: a valid object.
    let class = unsafe { ffi::Py_TYPE(object) };
    // SAFETY: the caller vouches for the object.
    unsafe { first_view(py, object, class) }
        // SAFETY: as above.
        .or_else(|| unsafe { further_view(py, object, class, text) })
}

/// Arguments that are packed at once.
pub const FIRST: usize = 4;

/// The views of as many arguments as there is room for, if all are of the first classes. Runs no code that could panic, and makes nothing.
///
/// # Safety
/// Objects that stay during the call, and the thread is attached.
#[inline(always)]
pub unsafe fn first_views<'a>(
    py: Python<'_>,
    objects: &[*mut ffi::PyObject],
    places: &'a mut [MaybeUninit<RawAny>; FIRST],
) -> Option<&'a [RawAny]> {
    if objects.len() > FIRST {
        return None;
    }
    for (place, object) in places.iter_mut().zip(objects) {
        // SAFETY: a valid object.
        let class = unsafe { ffi::Py_TYPE(*object) };
        // SAFETY: the caller vouches for the object.
        place.write(unsafe { first_view(py, *object, class) }?);
    }
    // SAFETY: so many are written.
    Some(unsafe { std::slice::from_raw_parts(places.as_ptr().cast(), objects.len()) })
}

/// The view of an int, a tensor or an object of a class that stands for a type.
///
/// # Safety
/// As [`view`], of an object of this class.
#[inline(always)]
unsafe fn first_view(
    py: Python<'_>,
    object: *mut ffi::PyObject,
    class: *mut ffi::PyTypeObject,
) -> Option<RawAny> {
    if class == &raw mut ffi::PyLong_Type {
        return whole(object);
    }
    if class == Tensor::type_object_raw(py) {
        // SAFETY: of exactly this class.
        let wrapper = unsafe { wrapped::<Tensor>(py, &object) };
        let tensor = wrapper.get().0.object();
        if !identity::is_tensor_kept(tensor) {
            identity::keep(tensor, &wrapper, &raw const *wrapper.get() as usize);
        }
        let handle = tensor.handle().as_ptr();
        return Some(plain(index::TENSOR, handle as u64));
    }
    let held = instance::of_recent(object, class)?;
    Some(plain(held.type_index(), held.handle().as_ptr() as u64))
}

/// As [`view`], of an object for which there is no [`first_view`].
///
/// # Safety
/// As [`view`], of an object of this class.
unsafe fn further_view(
    py: Python<'_>,
    object: *mut ffi::PyObject,
    class: *mut ffi::PyTypeObject,
    text: &mut MaybeUninit<ByteArray>,
) -> Option<RawAny> {
    if class == &raw mut ffi::PyFloat_Type {
        // SAFETY: a float.
        let number = unsafe { ffi::PyFloat_AsDouble(object) };
        return Some(plain(index::FLOAT, number.to_bits()));
    }
    if class == &raw mut ffi::PyUnicode_Type {
        return text_view(object);
    }
    // SAFETY: an object that lives as long as the interpreter. So below.
    if object == unsafe { ffi::Py_None() } {
        return Some(plain(index::NONE, 0));
    }
    if class == &raw mut ffi::PyBool_Type {
        // SAFETY: as above.
        let yes = object == unsafe { ffi::Py_True() };
        return Some(plain(index::BOOL, yes.into()));
    }
    if class == &raw mut ffi::PyBytes_Type {
        return Some(bytes_view(object, text));
    }
    if let Some(function) = function::of(object, class) {
        return Some(plain(index::FUNCTION, function.handle().as_ptr() as u64));
    }
    container_view(py, object, class)
}

/// # Safety
/// An object of exactly this class.
unsafe fn wrapped<'a, 'py, T: PyTypeInfo>(
    py: Python<'py>,
    object: &'a *mut ffi::PyObject,
) -> Borrowed<'a, 'py, T> {
    // SAFETY: the caller keeps the object.
    let object = unsafe { Borrowed::from_ptr(py, *object) };
    // SAFETY: the caller says so.
    unsafe { object.cast_unchecked::<T>() }
}

/// The view of an object of core, whose wrapper is remembered from now on.
fn object_view<T>(
    py: Python<'_>,
    wrapper: *mut ffi::PyObject,
    object: &ObjectRef,
    value: *const T,
) -> RawAny {
    if !identity::is_kept(object) {
        // SAFETY: the wrapper that the caller keeps.
        let wrapper = unsafe { Borrowed::from_ptr(py, wrapper) };
        identity::keep(object, &wrapper, value as usize);
    }
    plain(object.type_index(), object.handle().as_ptr() as u64)
}

fn container_view(
    py: Python<'_>,
    object: *mut ffi::PyObject,
    class: *mut ffi::PyTypeObject,
) -> Option<RawAny> {
    macro_rules! try_class {
        ($($class:ident),*) => { $(
            if class == $class::type_object_raw(py) {
                // SAFETY: of exactly this class.
                let container = unsafe { wrapped::<$class>(py, &object) };
                let container = container.get();
                return Some(object_view(py, object, container.0.object(), &raw const *container));
            }
        )* };
    }
    try_class!(Array, Map, List, Dict, Shape);
    let held = instance::of(object, class)?;
    Some(plain(held.type_index(), held.handle().as_ptr() as u64))
}

/// A whole number of 64 bits; longer ones take an object.
fn whole(object: *mut ffi::PyObject) -> Option<RawAny> {
    let mut overflow = 0;
    // SAFETY: an int.
    let number = unsafe { ffi::PyLong_AsLongLongAndOverflow(object, &mut overflow) };
    (overflow == 0).then(|| plain(index::INT, number as u64))
}

/// Text: short text in place, longer text where the object has it in UTF-8. What holds a NUL takes an object.
fn text_view(object: *mut ffi::PyObject) -> Option<RawAny> {
    let mut size = 0;
    // SAFETY: a str.
    let start = unsafe { ffi::PyUnicode_AsUTF8AndSize(object, &mut size) };
    if start.is_null() {
        // What is no UTF-8 is told by the ordinary way.
        // SAFETY: an exception is set.
        unsafe { ffi::PyErr_Clear() };
        return None;
    }
    // SAFETY: so many bytes stand there as long as the object does.
    let text = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), size as usize) };
    if let Some(small) = small(text, index::SMALL_STR) {
        return Some(small);
    }
    // SAFETY: the text is followed by a NUL.
    let length = unsafe { std::ffi::CStr::from_ptr(start) }.count_bytes();
    (length == text.len()).then(|| plain(index::RAW_STR, start as u64))
}

fn bytes_view(object: *mut ffi::PyObject, place: &mut MaybeUninit<ByteArray>) -> RawAny {
    // SAFETY: a bytes object, which keeps its bytes.
    let data = unsafe { ffi::PyBytes_AsString(object) }
        .cast::<u8>()
        .cast_const();
    // SAFETY: as above.
    let size = unsafe { ffi::PyBytes_Size(object) } as usize;
    // SAFETY: as above.
    let bytes = unsafe { std::slice::from_raw_parts(data, size) };
    small(bytes, index::SMALL_BYTES).unwrap_or_else(|| {
        let place: *const ByteArray = place.write(ByteArray { data, size });
        plain(index::BYTE_ARRAY, place as u64)
    })
}

fn small(bytes: &[u8], type_index: i32) -> Option<RawAny> {
    let mut payload = [0; 8];
    let length = bytes.len();
    if length > 7 {
        return None;
    }
    payload[..length].copy_from_slice(bytes);
    Some(RawAny {
        type_index,
        small_len: length as u32,
        payload: u64::from_le_bytes(payload),
    })
}

/// The items of a list as values; `slow` converts those that are more than a number or short text.
///
/// # Errors
/// Those of `slow`.
pub fn list_items<'py>(
    list: &Bound<'py, PyList>,
    mut slow: impl FnMut(&Bound<'py, PyAny>) -> PyResult<Any>,
) -> PyResult<Vec<Any>> {
    let mut count = list.len();
    let mut items = Vec::with_capacity(count);
    let mut text = MaybeUninit::uninit();
    while items.len() < count {
        // SAFETY: a position inside of the list.
        let item = unsafe { ffi::PyList_GetItem(list.as_ptr(), items.len() as ffi::Py_ssize_t) };
        // SAFETY: the list keeps the item, and no code of others runs.
        let view = unsafe { view(list.py(), item, &mut text) };
        let is_plain = |view: &RawAny| {
            view.type_index < index::DLTENSOR || view.type_index == index::SMALL_STR
        };
        if let Some(plain) = view.filter(is_plain) {
            // SAFETY: a value that holds nothing.
            items.push(unsafe { Any::from_raw(plain) });
            continue;
        }
        // SAFETY: as above; it is counted now.
        let item = unsafe { Bound::from_borrowed_ptr(list.py(), item) };
        items.push(slow(&item)?);
        // A list may change while methods of its items run.
        count = list.len();
    }
    Ok(items)
}

/// An object of one of the usual classes as a value of its own; nothing for other objects.
pub fn owned(object: &Bound<'_, PyAny>) -> Option<Any> {
    let mut text = MaybeUninit::uninit();
    // SAFETY: the object stays until the value is made, and the thread is attached.
    let raw = unsafe { view(object.py(), object.as_ptr(), &mut text) };
    let Some(raw) = raw else {
        // Only memory can be missing; the ordinary way finds that out as well.
        return long::value(object.cast_exact::<PyInt>().ok()?).ok();
    };
    // SAFETY: a valid view, as long as the object and `text` are there.
    let view = unsafe { AnyView::from_raw(raw) };
    Some(view.to_any())
}
