//! Fields, methods and metadata of types: copied into the table, where they stay.
#![allow(
    unsafe_code,
    reason = "members are copied from structures of C, and read without a lock"
)]

use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use super::layout::{FieldInfo, MethodInfo, TypeInfo, TypeMetadata, flag};
use super::table;
use crate::abi::any::Any;
use crate::abi::layout::{ByteArray, ObjectHeader, RawAny, index};
use crate::abi::object::ObjectRef;
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;

/// Bytes that an object may have, and places that a field may stand at.
const LARGEST: i64 = 1 << 30;

/// Adds a field to a type.
///
/// # Errors
/// [`ErrorKind::ValueError`] for an unknown type, a name that is taken or no text, or a place outside of the object.
///
/// # Safety
/// Texts and values in `field` are valid during the call, its functions for as long as the process lives, for objects of the type.
pub unsafe fn add_field(type_index: i32, field: &FieldInfo) -> Result<()> {
    // SAFETY: the caller says so.
    let name = unsafe { copied(&field.name, "the name of a field") }?;
    let info = object_type(type_index, &name)?;
    let wrong = |why: String| {
        let key = info.key();
        Err(Error::new(
            ErrorKind::ValueError,
            format!("field `{name}` of `{key}`: {why}"),
        ))
    };
    let table = table::lock();
    if let Some(known) = info.fields().iter().find(|known| known.name() == name) {
        let same = (known.offset, known.size) == (field.offset, field.size);
        if same && table.is_repeated(type_index) {
            return Ok(());
        }
        return wrong("it is registered already".to_owned());
    }
    if name.is_empty() {
        return wrong("it has no name".to_owned());
    }
    let least = size_of::<ObjectHeader>() as i64;
    let most = info
        .metadata()
        .map_or(LARGEST, |known| known.total_size.into());
    let end = field.offset.checked_add(field.size);
    let fits = field.offset >= least && field.size >= 0 && end.is_some_and(|end| end <= most);
    if !fits {
        return wrong(format!(
            "{} bytes at {} do not lie between the {least} of the header and the {most} of the object",
            field.size, field.offset
        ));
    }
    let aligned = field.alignment.count_ones() <= 1 && field.alignment >= 0;
    if !aligned {
        return wrong(format!("an alignment of {} cannot be", field.alignment));
    }
    if field.getter.is_none() {
        return wrong("it has no getter".to_owned());
    }
    // SAFETY: the caller says so of the texts and values.
    let kept = unsafe { keep_field(field, name) }?;
    push(&info.fields, &info.field_count, kept);
    drop(table);
    Ok(())
}

/// Adds a method to a type. There may be several of one name.
///
/// # Errors
/// [`ErrorKind::ValueError`] for an unknown type or a name that is no text; [`ErrorKind::TypeError`] for what is no function.
///
/// # Safety
/// Texts and the function in `method` are valid during the call.
pub unsafe fn add_method(type_index: i32, method: &MethodInfo) -> Result<()> {
    // SAFETY: the caller says so.
    let name = unsafe { copied(&method.name, "the name of a method") }?;
    let info = object_type(type_index, &name)?;
    // SAFETY: as above.
    let function = unsafe { owned(&method.method) };
    if function.view().type_index() != index::FUNCTION {
        let message = format!(
            "method `{name}` of `{}` wants a function, found {}",
            info.key(),
            function.view().type_name()
        );
        return Err(Error::new(ErrorKind::TypeError, message));
    }
    let table = table::lock();
    let is_known = info.methods().iter().any(|known| known.name() == name);
    if is_known && table.is_repeated(type_index) {
        drop(table);
        return Ok(());
    }
    // SAFETY: as above.
    let doc = unsafe { copied(&method.doc, "the doc of a method") }?;
    // SAFETY: as above.
    let metadata = unsafe { copied(&method.metadata, "the metadata of a method") }?;
    let kept = MethodInfo {
        name: leaked(name),
        doc: leaked(doc),
        metadata: leaked(metadata),
        flags: method.flags,
        method: function.into_raw(),
    };
    push(&info.methods, &info.method_count, kept);
    drop(table);
    Ok(())
}

/// Adds a method over a function of ours.
///
/// # Errors
/// As [`add_method`].
pub fn new_method(
    type_index: i32,
    name: &str,
    doc: &str,
    flags: i64,
    function: &Function,
) -> Result<()> {
    let text = |text: &str| ByteArray {
        data: text.as_ptr(),
        size: text.len(),
    };
    let value = Any::object(function.object().clone());
    let method = MethodInfo {
        name: text(name),
        doc: text(doc),
        metadata: text(""),
        flags,
        method: value.view().raw(),
    };
    // SAFETY: the texts and the function live during the call.
    unsafe { add_method(type_index, &method) }
}

/// Says what objects of a type are. Saying the same once more does nothing, and lets the rest of the type be said again too: that
/// is how a second copy of a module begins.
///
/// # Errors
/// [`ErrorKind::ValueError`] for an unknown type, or a size that no object has; [`ErrorKind::RuntimeError`] when something else was said before.
///
/// # Safety
/// The text in `metadata` is valid during the call, its function for as long as the process lives.
pub unsafe fn add_metadata(type_index: i32, metadata: &TypeMetadata) -> Result<()> {
    let info = object_type(type_index, "metadata")?;
    let mut table = table::lock();
    if let Some(known) = info.metadata() {
        let same = (known.total_size, known.structural_kind)
            == (metadata.total_size, metadata.structural_kind);
        if same {
            table.set_repeated(type_index);
            return Ok(());
        }
        let message = format!("type `{}` has its metadata already", info.key());
        return Err(Error::new(ErrorKind::RuntimeError, message));
    }
    let size = i64::from(metadata.total_size);
    // Those who have no objects of their own say 0.
    if size != 0 && !(size_of::<ObjectHeader>() as i64..=LARGEST).contains(&size) {
        let message = format!("an object of `{}` does not have {size} bytes", info.key());
        return Err(Error::new(ErrorKind::ValueError, message));
    }
    // SAFETY: the caller says so.
    let doc = unsafe { copied(&metadata.doc, "the doc of a type") }?;
    let kept = Box::leak(Box::new(TypeMetadata {
        doc: leaked(doc),
        ..*metadata
    }));
    info.metadata.store(kept, Ordering::Release);
    Ok(())
}

fn object_type(type_index: i32, member: &str) -> Result<&'static TypeInfo> {
    table::info(type_index)
        .filter(|info| info.type_index >= index::OBJECT)
        .ok_or_else(|| {
            let message =
                format!("`{member}`: there is no type of objects of the index {type_index}");
            Error::new(ErrorKind::ValueError, message)
        })
}

/// # Safety
/// Texts and values are valid.
unsafe fn keep_field(field: &FieldInfo, name: String) -> Result<FieldInfo> {
    // SAFETY: the caller says so.
    let doc = unsafe { copied(&field.doc, "the doc of a field") }?;
    // SAFETY: as above.
    let metadata = unsafe { copied(&field.metadata, "the metadata of a field") }?;
    let default = if field.is(flag::HAS_DEFAULT) {
        // SAFETY: as above.
        unsafe { owned(&field.default) }
    } else {
        Any::NONE
    };
    if field.is(flag::SETTER_IS_FUNCTION)
        && let Some(setter) = std::ptr::NonNull::new(field.setter.cast::<ObjectHeader>())
    {
        // SAFETY: the flag says that this is the handle of a live object; the table keeps it for ever.
        let _ = unsafe { ObjectRef::from_borrowed(setter) }.into_handle();
    }
    Ok(FieldInfo {
        name: leaked(name),
        doc: leaked(doc),
        metadata: leaked(metadata),
        default: default.into_raw(),
        ..*field
    })
}

/// # Safety
/// The text is valid.
unsafe fn copied(text: &ByteArray, what: &str) -> Result<String> {
    if text.data.is_null() || text.size == 0 {
        return Ok(String::new());
    }
    if text.size > LARGEST as usize {
        let message = format!("{what} does not have {} bytes", text.size);
        return Err(Error::new(ErrorKind::ValueError, message));
    }
    // SAFETY: the caller says so.
    let bytes = unsafe { std::slice::from_raw_parts(text.data, text.size) };
    String::from_utf8(bytes.to_vec()).map_err(|_| {
        let message = format!("{what} is not UTF-8: {}", String::from_utf8_lossy(bytes));
        Error::new(ErrorKind::ValueError, message)
    })
}

/// # Safety
/// The value is valid.
unsafe fn owned(raw: &RawAny) -> Any {
    // SAFETY: the caller says so.
    unsafe { crate::abi::any::AnyView::from_raw(*raw) }.to_any()
}

fn leaked(text: String) -> ByteArray {
    let text: &'static str = String::leak(text);
    ByteArray {
        data: text.as_ptr(),
        size: text.len(),
    }
}

/// Keeps the address of rows that readers may still look at, so that they do not count as lost memory.
fn left_behind<T>(rows: *mut T) {
    static ALL: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    if !rows.is_null() {
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(rows as usize);
    }
}

/// Adds a row where readers take no lock: it is there before it is counted, and rows that had to move stay behind for those who
/// still read them. Called under the lock of the table.
fn push<T: Copy>(rows: &AtomicPtr<T>, count: &AtomicI32, row: T) {
    let len = count.load(Ordering::Acquire) as usize;
    // There is room for 4, then for every power of two.
    if len == 0 || (len >= 4 && len.is_power_of_two()) {
        let mut grown = ManuallyDrop::new(Vec::<T>::with_capacity((len * 2).max(4)));
        let old = rows.load(Ordering::Acquire);
        for i in 0..len {
            // SAFETY: `len` rows were written there.
            grown.push(unsafe { *old.wrapping_add(i) });
        }
        rows.store(grown.as_mut_ptr(), Ordering::Release);
        left_behind(old);
    }
    let first = rows.load(Ordering::Acquire);
    // SAFETY: there is room for this row, which nobody reads before it is counted.
    unsafe { first.wrapping_add(len).write(row) };
    count.store(len as i32 + 1, Ordering::Release);
}
