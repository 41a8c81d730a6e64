//! Attributes of types: for each name a column of values by type index.
//!
//! Compiled modules keep the address of a column, so it never moves, and neither do its values: it has room for every index.
#![allow(unsafe_code, reason = "columns are read by address, without a lock")]

use std::alloc::{Layout, alloc_zeroed};
use std::collections::HashMap;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};

use super::layout::TypeAttrColumn;
use super::table::{self, CAPACITY};
use crate::abi::any::{Any, AnyView};
use crate::abi::key;
use crate::abi::layout::{RawAny, index};
use crate::error::{Error, ErrorKind, Result};

type Columns = HashMap<&'static str, &'static TypeAttrColumn>;

static COLUMNS: LazyLock<Mutex<Columns>> = LazyLock::new(|| {
    let known = Hook::NAMES.into_iter().zip(*HOOKS);
    Mutex::new(known.collect())
});

/// Attributes by which a type says what is done with its objects. They are looked up for each object, and modules remember it when there
/// is no column of one, so that these are there from the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    /// How an object is shown.
    Repr,
    /// Its hash.
    Hash,
    /// Whether two are equal.
    Equal,
    /// Which of two comes first.
    Compare,
    /// The hash of an object that is the key of a map.
    KeyHash,
    /// Whether two objects are the same key of a map.
    KeyEqual,
}

static HOOKS: LazyLock<[&'static TypeAttrColumn; 6]> = LazyLock::new(|| {
    let columns = Hook::NAMES.map(|_| new_column());
    for (hook, address) in key::functions_of_big_int() {
        drop(columns[hook as usize].put(index::BIG_INT, Any::pointer(address)));
    }
    columns
});

impl Hook {
    /// The names of the attributes, in the order of the hooks.
    pub const NAMES: [&'static str; 6] = [
        "__ffi_repr__",
        "__ffi_hash__",
        "__ffi_eq__",
        "__ffi_compare__",
        "__any_hash__",
        "__any_equal__",
    ];

    /// The name of the attribute.
    pub fn name(self) -> &'static str {
        Hook::NAMES[self as usize]
    }

    /// What a type itself says, without its ancestors.
    #[inline]
    pub fn of(self, type_index: i32) -> Option<AnyView<'static>> {
        HOOKS[self as usize].value(type_index)
    }
}

/// The column of an attribute, if any type ever had it.
pub fn column(name: &str) -> Option<&'static TypeAttrColumn> {
    let columns = COLUMNS.lock().unwrap_or_else(PoisonError::into_inner);
    columns.get(name).copied()
}

/// The attribute of a type itself, without those of its ancestors.
pub fn attribute(type_index: i32, name: &str) -> Option<AnyView<'static>> {
    column(name)?.value(type_index)
}

impl TypeAttrColumn {
    /// The value for a type.
    pub fn value(&self, type_index: i32) -> Option<AnyView<'static>> {
        if !(0..self.size.load(Ordering::Acquire)).contains(&type_index) {
            return None;
        }
        // SAFETY: so many values stand there, None where there is no attribute, and each is written before it is counted.
        let raw = unsafe { *self.data.wrapping_add(type_index as usize) };
        // SAFETY: a column owns its values and is never freed.
        let value = unsafe { AnyView::from_raw(raw) };
        (!value.is_none()).then_some(value)
    }

    /// Sets the value for a type, or gives it back when there is one. Whoever calls it holds the lock, or is alone with the column.
    fn put(&self, type_index: i32, value: Any) -> Option<Any> {
        let place = self.data.cast_mut().wrapping_add(type_index as usize);
        // SAFETY: an index of a type is less than `CAPACITY`, of which there are values; they change under the lock only.
        if unsafe { (*place).type_index } != index::NONE {
            return Some(value);
        }
        // SAFETY: as above. Whoever reads it before it is counted finds it out of range, and the type has not been used so far.
        unsafe { place.write(value.into_raw()) };
        self.size.fetch_max(type_index + 1, Ordering::Release);
        None
    }
}

/// Gives a type an attribute. For the type None, this only makes the column.
///
/// # Errors
/// [`ErrorKind::ValueError`] for an index that is no type; [`ErrorKind::RuntimeError`] when the type has the attribute already.
pub fn set_attribute(type_index: i32, name: &str, value: Any) -> Result<()> {
    let Some(info) = table::info(type_index) else {
        let message = format!("attribute `{name}`: there is no type of the index {type_index}");
        return Err(Error::new(ErrorKind::ValueError, message));
    };
    let is_repeated = table::lock().is_repeated(type_index);
    let mut columns = COLUMNS.lock().unwrap_or_else(PoisonError::into_inner);
    let column = match columns.get(name) {
        Some(column) => *column,
        None => {
            let column = new_column();
            columns.insert(String::leak(name.to_owned()), column);
            column
        }
    };
    if type_index == index::NONE {
        return Ok(());
    }
    if let Some(_not_needed) = column.put(type_index, value) {
        drop(columns);
        if is_repeated {
            return Ok(());
        }
        let message = format!("type `{}` has the attribute `{name}` already", info.key());
        return Err(Error::new(ErrorKind::RuntimeError, message));
    }
    Ok(())
}

/// A column of Nones. The system gives memory for the parts that are written.
fn new_column() -> &'static TypeAttrColumn {
    let layout = Layout::new::<[RawAny; CAPACITY]>();
    // SAFETY: the size is not zero.
    let data = unsafe { alloc_zeroed(layout) };
    if data.is_null() {
        std::alloc::handle_alloc_error(layout);
    }
    Box::leak(Box::new(TypeAttrColumn {
        data: data.cast(),
        size: AtomicI32::new(0),
        begin_index: 0,
    }))
}
