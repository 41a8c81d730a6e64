//! Objects of types that are defined at run time: their fields stand where the type table says, so that native code reads them in place.
//!
//! ```text
//! handle        ObjectHeader
//! handle + 24   the layout of the type
//! handle + 32   the fields
//! ```
#![allow(
    unsafe_code,
    reason = "fields are read and written at their offsets, as compiled modules do"
)]

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use super::any::{Any, AnyView};
use super::derived::{self, Base};
use super::failure;
use super::guard;
use super::layout::{ByteArray, ObjectHeader, RawAny, index};
use super::object::{self, Boxed, ObjectRef};
use super::types::layout::{FieldGetter, FieldSetter};
use super::types::{self, FieldInfo, TypeMetadata, flag};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::value::{FromAny, Kind};

/// Bytes before the first field.
pub const FIRST: usize = size_of::<ObjectHeader>() + size_of::<usize>();

/// How a field is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// Eight bytes with a sign.
    Int,
    /// Eight bytes with a point.
    Float,
    /// One byte.
    Bool,
    /// A value.
    Any,
}

impl Stored {
    /// Bytes it takes.
    pub fn size(self) -> usize {
        match self {
            Stored::Int | Stored::Float => 8,
            Stored::Bool => 1,
            Stored::Any => 16,
        }
    }

    /// What its address is a multiple of.
    pub fn alignment(self) -> usize {
        self.size().min(8)
    }

    fn functions(self) -> (FieldGetter, FieldSetter, i32) {
        match self {
            Stored::Int => (get_int, set_int, index::INT),
            Stored::Float => (get_float, set_float, index::FLOAT),
            Stored::Bool => (get_bool, set_bool, index::BOOL),
            Stored::Any => (get_any, set_any, -1),
        }
    }
}

/// How the objects of a type lie in memory.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    /// Bytes from the handle to the end.
    pub size: usize,
    /// Where values stand that are to be dropped.
    pub values: Vec<usize>,
    /// What they begin with, when that is an object of a class of a module.
    pub base: Option<Base>,
}

/// The layout of each type, by index.
static LAYOUTS: [AtomicPtr<Layout>; types::CAPACITY] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; types::CAPACITY];

/// The layout of a type that is defined at run time.
#[inline]
pub fn layout(type_index: i32) -> Option<&'static Layout> {
    let place = LAYOUTS.get(usize::try_from(type_index).ok()?)?;
    // SAFETY: nothing but null and addresses of layouts that are never freed is written there.
    unsafe { place.load(Ordering::Acquire).as_ref() }
}

/// Says how the objects of a type lie in memory, once.
///
/// # Errors
/// As [`types::add_metadata`].
pub fn set_layout(type_index: i32, layout: Layout, doc: &str) -> Result<&'static Layout> {
    let metadata = TypeMetadata {
        doc: text(doc),
        creator: None,
        total_size: i32::try_from(layout.size).unwrap_or(-1),
        structural_kind: 0,
    };
    // SAFETY: the text is valid, and there is no function.
    unsafe { types::add_metadata(type_index, &metadata) }?;
    let layout = Box::leak(Box::new(layout));
    if let Some(place) = LAYOUTS.get(type_index as usize) {
        place.store(layout, Ordering::Release);
    }
    Ok(layout)
}

fn text(text: &str) -> ByteArray {
    ByteArray {
        data: text.as_ptr(),
        size: text.len(),
    }
}

/// A field of a type that is defined at run time.
pub struct NewField<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it is.
    pub doc: &'a str,
    /// JSON that says more.
    pub metadata: &'a str,
    /// Bits of [`flag`].
    pub flags: i64,
    /// Bytes from the handle, inside of the layout and aligned.
    pub offset: usize,
    /// How it is stored.
    pub stored: Stored,
    /// What it is at first, or the function that makes that.
    pub default: Option<Any>,
    /// Gives the value to store for one that is to be set, and refuses what cannot be.
    pub check: Option<Check>,
}

/// Gives the value to store for one that is to be set.
pub type Check = Box<dyn Fn(AnyView<'_>) -> Result<Any> + Send + Sync>;

/// Adds a field to a type.
///
/// # Errors
/// As [`types::add_field`].
pub fn add_field(type_index: i32, new: NewField<'_>) -> Result<()> {
    let (getter, setter, static_type) = new.stored.functions();
    let default = new.default.unwrap_or(Any::NONE);
    let checking = new.check.map(|check| checking(check, setter));
    let (setter, setter_flag) = match &checking {
        Some(function) => (
            function.object().handle().as_ptr().cast::<c_void>(),
            flag::SETTER_IS_FUNCTION,
        ),
        None => (setter as *mut c_void, 0),
    };
    let field = FieldInfo {
        name: text(new.name),
        doc: text(new.doc),
        metadata: text(new.metadata),
        flags: new.flags | setter_flag,
        size: new.stored.size() as i64,
        alignment: new.stored.alignment() as i64,
        offset: new.offset as i64,
        getter: Some(getter),
        setter,
        default: default.view().raw(),
        static_type,
    };
    // SAFETY: the texts and values live during the call, and the functions are of this library.
    unsafe { types::add_field(type_index, &field) }
}

/// A setter that looks at values first: it gets the address of the field, and the value.
fn checking(check: Check, setter: FieldSetter) -> Function {
    Function::new(move |args| {
        let (Some(Kind::Pointer(address)), Some(value)) =
            (args.first().map(AnyView::kind), args.get(1))
        else {
            let message = "the setter of a field gets an address and a value";
            return Err(Error::new(ErrorKind::TypeError, message));
        };
        let value = check(*value)?;
        let raw = value.view().raw();
        // SAFETY: whoever calls a setter gives the address of the field, by the rules of the ABI.
        let code = unsafe { setter(address as *mut c_void, &raw const raw) };
        if code == 0 {
            return Ok(Any::NONE);
        }
        Err(failure::take()
            .unwrap_or_else(|| Error::new(ErrorKind::InternalError, "a field was not set")))
    })
}

/// What stands behind the header; the fields are the tail.
#[repr(transparent)]
struct Head(&'static Layout);

// Its address tells objects of ours, so there must be only one of it.
#[inline(never)]
pub(super) unsafe extern "C" fn delete_instance(handle: *mut c_void, flags: c_int) {
    if flags & 1 != 0 {
        let head = handle.cast::<ObjectHeader>().wrapping_add(1).cast::<Head>();
        // SAFETY: this is the deleter of objects that `new` made, so a layout stands there.
        let layout = unsafe { (*head).0 };
        // SAFETY: as above, and nobody looks at the object any more.
        unsafe { drop_values(handle, layout) };
    }
    // SAFETY: as above.
    unsafe { object::delete::<Head>(handle, flags) }
}

/// Drops the values of an object.
///
/// # Safety
/// The object was made by this layout, and nobody looks at its values any more.
pub(super) unsafe fn drop_values(handle: *mut c_void, layout: &Layout) {
    for offset in &layout.values {
        let value = handle.cast::<u8>().wrapping_add(*offset).cast::<Any>();
        // SAFETY: a value stands there, as the caller says.
        unsafe { value.drop_in_place() };
    }
}

/// An object whose fields are zero, or None; those of a class of a module are what its creator makes.
///
/// # Errors
/// What that creator raises.
pub fn new(type_index: i32, layout: &'static Layout) -> Result<ObjectRef> {
    match &layout.base {
        Some(base) => derived::new(type_index, layout, base),
        None => Ok(plain(type_index, layout)),
    }
}

fn plain(type_index: i32, layout: &'static Layout) -> ObjectRef {
    let room = layout.size.max(FIRST) - FIRST;
    let (object, fields) = Boxed::with_deleter(type_index, Head(layout), room, delete_instance);
    // SAFETY: the tail has so many bytes, which nobody else knows. A value of zeros is None.
    unsafe { fields.write_bytes(0, room) };
    object
}

/// The layout of an object that [`new`] made.
pub fn layout_of(object: &ObjectRef) -> Option<&'static Layout> {
    let ours = object.header().deleter.is_some_and(|deleter| {
        std::ptr::fn_addr_eq(
            deleter,
            delete_instance as unsafe extern "C" fn(*mut c_void, c_int),
        )
    });
    if ours {
        // SAFETY: the deleter tells that `plain` made the object.
        return Some(unsafe { object::value::<Head>(object.handle()) }.0);
    }
    let derived = object.header().deleter.is_some_and(|deleter| {
        std::ptr::fn_addr_eq(
            deleter,
            derived::delete_derived as unsafe extern "C" fn(*mut c_void, c_int),
        )
    });
    layout(object.type_index()).filter(|_| derived)
}

/// Another object with the same fields; nothing for one that others made.
///
/// # Errors
/// What the copy of a class of a module raises.
pub fn copy(object: &ObjectRef) -> Result<Option<ObjectRef>> {
    let Some(layout) = layout_of(object) else {
        return Ok(None);
    };
    let (made, first) = match &layout.base {
        Some(base) => (derived::copy(object, layout, base)?, base.end()),
        None => (plain(object.type_index(), layout), FIRST),
    };
    let at = |object: &ObjectRef, offset: usize| {
        object.handle().as_ptr().cast::<u8>().wrapping_add(offset)
    };
    let mut next = first;
    for value in layout.values.iter().copied().chain([layout.size]) {
        if value > next {
            // SAFETY: both objects have these bytes, which are of plain fields.
            unsafe { at(&made, next).copy_from_nonoverlapping(at(object, next), value - next) };
        }
        next = value + Stored::Any.size();
        if value < layout.size {
            // SAFETY: a value stands there in both, as below.
            let held = unsafe { read_any(at(object, value).cast()) };
            // SAFETY: as above; the new one is None so far.
            unsafe { at(&made, value).cast::<Any>().write(held) };
        }
    }
    Ok(Some(made))
}

/// # Safety
/// A value stands there, which changes under the lock of its address only.
unsafe fn read_any(place: *const RawAny) -> Any {
    let _guard = guard::lock_address(place as usize);
    // SAFETY: the caller says so.
    let raw = unsafe { *place };
    // SAFETY: the place owns the value while the lock is held.
    unsafe { AnyView::from_raw(raw) }.to_any()
}

/// Whether a getter is that of whole numbers of types that are defined here.
#[inline]
pub(super) fn is_of_ints(getter: FieldGetter) -> bool {
    std::ptr::fn_addr_eq(getter, get_int as FieldGetter)
}

// Its address tells such fields, so there must be only one of it.
#[inline(never)]
unsafe extern "C" fn get_int(field: *mut c_void, result: *mut RawAny) -> c_int {
    // SAFETY: the ABI gives the address of the field, and a slot. So in all of these.
    let value = unsafe { *field.cast::<i64>() };
    // SAFETY: as above.
    unsafe { result.write(AnyView::int(value).raw()) };
    0
}

unsafe extern "C" fn get_float(field: *mut c_void, result: *mut RawAny) -> c_int {
    // SAFETY: as in `get_int`, as below.
    let value = unsafe { *field.cast::<f64>() };
    // SAFETY: as above.
    unsafe { result.write(AnyView::float(value).raw()) };
    0
}

unsafe extern "C" fn get_bool(field: *mut c_void, result: *mut RawAny) -> c_int {
    // SAFETY: as in `get_int`, as below.
    let value = unsafe { *field.cast::<u8>() };
    // SAFETY: as above.
    unsafe { result.write(AnyView::bool(value != 0).raw()) };
    0
}

unsafe extern "C" fn get_any(field: *mut c_void, result: *mut RawAny) -> c_int {
    // SAFETY: as in `get_int`, as below.
    let value = unsafe { read_any(field.cast()) };
    // SAFETY: as above.
    unsafe { result.write(value.into_raw()) };
    0
}

/// Sets a plain field.
///
/// # Safety
/// The address is of a field of this type, and the value is valid.
unsafe fn set_plain<T: for<'a> FromAny<'a>, S>(
    field: *mut c_void,
    value: *const RawAny,
    store: impl FnOnce(T) -> S,
) -> c_int {
    // SAFETY: the caller says so, as below.
    let raw = unsafe { *value };
    // SAFETY: as above.
    let view = unsafe { AnyView::from_raw(raw) };
    let read = match T::from_any(&view) {
        Ok(Some(read)) => read,
        Ok(None) => {
            let found = view.type_name();
            let message = format!("{} is wanted, found {found}", T::wanted());
            failure::raise(Error::new(ErrorKind::TypeError, message));
            return -1;
        }
        Err(error) => {
            failure::raise(error);
            return -1;
        }
    };
    // SAFETY: as above.
    unsafe { field.cast::<S>().write(store(read)) };
    0
}

unsafe extern "C" fn set_int(field: *mut c_void, value: *const RawAny) -> c_int {
    // SAFETY: the ABI gives the address of the field, and a value. So in all of these.
    unsafe { set_plain::<i64, i64>(field, value, |value| value) }
}

unsafe extern "C" fn set_float(field: *mut c_void, value: *const RawAny) -> c_int {
    // SAFETY: as in `set_int`.
    unsafe { set_plain::<f64, f64>(field, value, |value| value) }
}

unsafe extern "C" fn set_bool(field: *mut c_void, value: *const RawAny) -> c_int {
    // SAFETY: as in `set_int`.
    unsafe { set_plain::<bool, u8>(field, value, u8::from) }
}

unsafe extern "C" fn set_any(field: *mut c_void, value: *const RawAny) -> c_int {
    // SAFETY: as in `set_int`, as below.
    let raw = unsafe { *value };
    // SAFETY: as above.
    let new = unsafe { AnyView::from_raw(raw) }.to_any().into_raw();
    let old = {
        let _guard = guard::lock_address(field as usize);
        // SAFETY: as above; others change it under the lock only.
        unsafe { field.cast::<RawAny>().replace(new) }
    };
    // Dropped after the lock: that may run anybody's code.
    // SAFETY: the field owned it.
    drop(unsafe { Any::from_raw(old) });
    0
}
