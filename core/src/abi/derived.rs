//! Objects of types that are derived from a class of a compiled module: the module makes what they begin with, and destroys it.
//!
//! ```text
//! handle        ObjectHeader
//! handle + 24   the fields of the class of the module, moved here from an object that its creator made
//! behind it     the deleter of that object, then the fields of the type itself
//! ```
//! The creator allocates for itself, so the object that it made is moved into a larger one and its memory given back. Classes of C++ may
//! be moved so when all they hold are numbers, values and references to objects; a class with anything else is refused.
#![allow(
    unsafe_code,
    reason = "an object is moved, and destroyed by the deleter that came with it"
)]

use std::ffi::{c_int, c_void};

use super::instance::{Layout, drop_values};
use super::layout::ObjectHeader;
use super::object::{self, Boxed, ObjectRef};
use super::reflect;
use super::types::{self, TypeInfo};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::value::{Any, Kind};

/// A field of more bytes may hold its own address.
const MOST_MOVED: i64 = 16;
/// So many bytes that no field takes are more than what alignment asks for.
const UNKNOWN: usize = 8;
/// Bytes of the header, which every object has of its own.
const HEADER: usize = size_of::<ObjectHeader>();

/// What the objects of a type begin with: those of a class of a module.
#[derive(Clone, Copy)]
pub struct Base {
    info: &'static TypeInfo,
    size: usize,
}

impl std::fmt::Debug for Base {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes of `{}`", self.size, self.info.key())
    }
}

impl Base {
    /// The class of a module as one to derive from.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] when nothing can be derived from it, with the reason.
    pub fn of(info: &'static TypeInfo) -> Result<Base> {
        let refused = |why: String| {
            let message = format!("nothing can be derived from `{}`: {why}", info.key());
            Err(Error::new(ErrorKind::TypeError, message))
        };
        let says_final = types::attribute(info.type_index, "__ffi_type_final__");
        let says_final = says_final.is_some_and(|value| matches!(value.kind(), Kind::Bool(true)));
        if says_final || types::is_final(info.type_index) {
            return refused("it is final".to_owned());
        }
        let Some(known) = info.metadata().filter(|known| known.total_size >= 24) else {
            return refused("the module does not say how large its objects are".to_owned());
        };
        if known.creator.is_none() {
            return refused("it has no constructor without arguments".to_owned());
        }
        let size = known.total_size as usize;
        match fault(info, size) {
            Some(why) => refused(why),
            None => Ok(Base { info, size }),
        }
    }

    /// Where the fields of the derived type begin.
    pub fn end(&self) -> usize {
        self.deleter_at() + size_of::<usize>()
    }

    fn deleter_at(&self) -> usize {
        self.size.next_multiple_of(align_of::<usize>())
    }
}

/// Why the objects of a class may not be moved.
fn fault(info: &'static TypeInfo, size: usize) -> Option<String> {
    let mut fields = Vec::new();
    for field in reflect::fields(info) {
        let info = field.info();
        let (offset, end) = (info.offset, info.offset.saturating_add(info.size));
        if !(0..=MOST_MOVED).contains(&info.size) || info.alignment > 16 {
            return Some(format!(
                "its field `{}` of {} bytes may hold its own address",
                info.name(),
                info.size
            ));
        }
        fields.push((usize::try_from(offset).ok()?, usize::try_from(end).ok()?));
    }
    fields.sort_unstable();
    let mut known = HEADER;
    for (from, to) in fields.into_iter().chain([(size, size)]) {
        if from >= known + UNKNOWN {
            return Some(format!(
                "bytes {known} to {from} of its objects are of no field"
            ));
        }
        known = known.max(to);
    }
    None
}

/// What stands in the place of a field of the class.
fn at<T>(handle: *mut c_void, offset: usize) -> *mut T {
    handle.cast::<u8>().wrapping_add(offset).cast()
}

type Deleter = unsafe extern "C" fn(*mut c_void, c_int);

/// An object with what the creator of the class makes, whose own fields are zero, or None.
///
/// # Errors
/// What the creator raises.
pub fn new(type_index: i32, layout: &'static Layout, base: &Base) -> Result<ObjectRef> {
    match reflect::created(base.info)? {
        Some(made) => moved(type_index, layout, base, made),
        None => Err(unusable(base)),
    }
}

/// A copy of the part of an object that belongs to the class, in an object whose own fields are zero, or None.
///
/// # Errors
/// [`ErrorKind::TypeError`] when the class cannot be copied, or what its copy raises.
pub fn copy(object: &ObjectRef, layout: &'static Layout, base: &Base) -> Result<ObjectRef> {
    let copies = types::attribute(base.info.type_index, "__ffi_shallow_copy__");
    let copies = copies.and_then(|value| value.object());
    let Some(copies) = copies.and_then(Function::from_object) else {
        let message = format!("objects of `{}` cannot be copied", base.info.key());
        return Err(Error::new(ErrorKind::TypeError, message));
    };
    let copied = copies.call(&[Any::object(object.clone())])?;
    match copied.into_object() {
        Some(made) => moved(object.type_index(), layout, base, made),
        None => Err(unusable(base)),
    }
}

fn unusable(base: &Base) -> Error {
    let message = format!(
        "what makes objects of `{}` made something else",
        base.info.key()
    );
    Error::new(ErrorKind::TypeError, message)
}

/// Moves an object of the class into a larger one.
fn moved(
    type_index: i32,
    layout: &'static Layout,
    base: &Base,
    made: ObjectRef,
) -> Result<ObjectRef> {
    let deleter = made.header().deleter;
    let (true, true, Some(deleter)) = (
        made.type_index() == base.info.type_index,
        made.is_unique(),
        deleter,
    ) else {
        return Err(unusable(base));
    };
    let room = layout.size.max(base.end()) - HEADER;
    let (object, cells) = Boxed::with_deleter(type_index, (), room, delete_derived);
    // SAFETY: so many bytes stand behind the header, which nobody else knows. A value of zeros is None.
    unsafe { cells.write_bytes(0, room) };
    let target = object.handle().as_ptr().cast::<c_void>();
    let source = made.into_handle().as_ptr().cast::<c_void>();
    // SAFETY: the class has so many bytes in both, and the object that they are moved from was held by this reference alone.
    unsafe {
        at::<u8>(target, HEADER).copy_from_nonoverlapping(at(source, HEADER), base.size - HEADER);
    }
    // SAFETY: the place is behind the class, inside of the object, and aligned.
    unsafe { at::<Deleter>(target, base.deleter_at()).write(deleter) };
    // SAFETY: what it held has been moved, so its memory is given back and nothing destroyed.
    unsafe { deleter(source, 2) };
    Ok(object)
}

/// Destroys and frees an object that [`new`] made.
// Its address tells objects of ours, so there must be only one of it.
#[inline(never)]
pub(super) unsafe extern "C" fn delete_derived(handle: *mut c_void, flags: c_int) {
    if flags & 1 != 0 {
        // SAFETY: the header is there until the memory is freed.
        let type_index = unsafe { (*handle.cast::<ObjectHeader>()).type_index };
        let layout = super::instance::layout(type_index);
        if let Some((layout, base)) =
            layout.and_then(|layout| Some((layout, layout.base.as_ref()?)))
        {
            // SAFETY: `moved` made the object by this layout, and nobody looks at its values any more.
            unsafe { drop_values(handle, layout) };
            // SAFETY: `moved` put it there.
            let deleter = unsafe { at::<Deleter>(handle, base.deleter_at()).read() };
            // SAFETY: an object of the class begins here; flag 1 destroys what it holds and leaves the memory.
            unsafe { deleter(handle, 1) };
        }
    }
    // SAFETY: `moved` made the object of `()`.
    unsafe { object::delete::<()>(handle, flags) }
}
