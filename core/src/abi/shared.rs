//! Safe access to maps, which never change while they are shared, and to dicts, which change under [`guard`].
//! Code of others, functions of types for keys among it, runs before or after that: see [`key`].
#![allow(
    unsafe_code,
    reason = "tables are read and changed in the layout that compiled modules use"
)]

use super::any::{Any, AnyView};
use super::key::{self, Facts};
use super::object::ObjectRef;
use super::{guard, table};
use crate::error::Result;

/// A map or a dict of keys and values.
///
/// # Errors
/// [`ErrorKind::MemoryError`](crate::ErrorKind::MemoryError) when the system refuses memory; what functions of types raise.
pub fn new_table(type_index: i32, entries: Vec<(Any, Any)>) -> Result<ObjectRef> {
    let made = table::new(type_index, entries.len())?;
    for entry in entries {
        set(entry, |entry, facts| {
            // SAFETY: nobody else knows the fresh table.
            unsafe { table::set(made.handle(), entry, facts) }
        })?;
    }
    Ok(made)
}

/// Sets the value of a key of a table, which `attempt` has. What is left over is dropped after that, because it may run anybody's code as it
/// goes.
fn set(
    entry: (Any, Any),
    mut attempt: impl FnMut(&mut Option<(Any, Any)>, &mut Facts<'_>) -> Result<()>,
) -> Result<()> {
    // SAFETY: the entry owns the key until it is in the table, and then nobody looks at it any more.
    let key = unsafe { AnyView::from_raw(entry.0.view().raw()) };
    let mut entry = Some(entry);
    key::settle(key, |facts| attempt(&mut entry, facts))?
}

/// The number of pairs of a map.
pub fn map_len(map: &ObjectRef) -> usize {
    // SAFETY: the caller holds a map, and maps do not change while they are shared.
    unsafe { table::len(map.handle()) }
}

/// The value of a key of a map.
///
/// # Errors
/// What functions of types raise.
pub fn map_get<'a>(map: &'a ObjectRef, key: AnyView<'_>) -> Result<Option<&'a Any>> {
    let stable = key.stable();
    key::settle(stable.view(), |facts| {
        // SAFETY: as in `map_len`; the value lives as long as the map is held.
        unsafe { table::get(map.handle(), &stable.raw(), facts) }
    })
}

/// The pairs of a map in order.
pub fn map_entries(map: &ObjectRef) -> impl Iterator<Item = table::Entry<'_>> {
    // SAFETY: as in `map_get`.
    unsafe { table::entries(map.handle()) }
}

/// The number of pairs of a dict.
pub fn dict_len(dict: &ObjectRef) -> usize {
    let _guard = guard::lock(dict);
    // SAFETY: the caller holds a dict, and the guard keeps others away. So it does below.
    unsafe { table::len(dict.handle()) }
}

/// The value of a key of a dict.
///
/// # Errors
/// What functions of types raise; [`ErrorKind::RuntimeError`](crate::ErrorKind::RuntimeError) when the dict is changed again and again
/// meanwhile.
pub fn dict_get(dict: &ObjectRef, key: AnyView<'_>) -> Result<Option<Any>> {
    let stable = key.stable();
    key::settle(stable.view(), |facts| {
        let _guard = guard::lock(dict);
        // SAFETY: as in `dict_len`; the value is counted before the guard goes.
        unsafe { table::get(dict.handle(), &stable.raw(), facts) }.cloned()
    })
}

/// The pairs of a dict in order, as they are now.
pub fn dict_entries(dict: &ObjectRef) -> Vec<(Any, Any)> {
    let _guard = guard::lock(dict);
    // SAFETY: as in `dict_get`.
    unsafe { table::entries(dict.handle()) }
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// Sets the value of a key of a dict.
///
/// # Errors
/// As [`new_table`] and [`dict_get`].
pub fn dict_set(dict: &ObjectRef, key: Any, value: Any) -> Result<()> {
    set((key, value), |entry, facts| {
        let _guard = guard::lock(dict);
        // SAFETY: as in `dict_len`.
        unsafe { table::set(dict.handle(), entry, facts) }
    })
}

/// Takes the value of a key out of a dict.
///
/// # Errors
/// As [`dict_get`].
pub fn dict_remove(dict: &ObjectRef, key: AnyView<'_>) -> Result<Option<Any>> {
    let stable = key.stable();
    let taken = key::settle(stable.view(), |facts| {
        let _guard = guard::lock(dict);
        // SAFETY: as in `dict_len`.
        unsafe { table::remove(dict.handle(), &stable.raw(), facts) }
    })?;
    Ok(taken.map(|(_, value)| value))
}

/// Takes all keys out of a dict.
pub fn dict_clear(dict: &ObjectRef) {
    let taken = {
        let _guard = guard::lock(dict);
        // SAFETY: as in `dict_len`.
        unsafe { table::clear(dict.handle()) }
    };
    drop(taken);
}
