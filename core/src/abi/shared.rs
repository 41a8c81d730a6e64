//! Safe access to maps, which never change while they are shared, and to dicts, which change under [`guard`].
#![allow(
    unsafe_code,
    reason = "tables are read and changed in the layout that compiled modules use"
)]

use super::any::{Any, AnyView};
use super::object::ObjectRef;
use super::{guard, key, table};
use crate::error::Result;

/// A map or a dict of keys and values.
///
/// # Errors
/// [`ErrorKind::MemoryError`](crate::ErrorKind::MemoryError) when the system refuses memory; what the hash of a key raises.
pub fn new_table(type_index: i32, entries: Vec<(Any, Any)>) -> Result<ObjectRef> {
    let table = table::new(type_index, entries.len())?;
    for entry in entries {
        key::check(entry.0.view())?;
        // SAFETY: nobody else knows the fresh table.
        unsafe { table::set(table.handle(), &mut Some(entry)) }?;
    }
    Ok(table)
}

/// The number of pairs of a map.
pub fn map_len(map: &ObjectRef) -> usize {
    // SAFETY: the caller holds a map, and maps do not change while they are shared.
    unsafe { table::len(map.handle()) }
}

/// The value of a key of a map.
pub fn map_get<'a>(map: &'a ObjectRef, key: AnyView<'_>) -> Option<&'a Any> {
    // SAFETY: as in `map_len`; the value lives as long as the map is held.
    unsafe { table::get(map.handle(), &key.stable().raw()) }
}

/// The pairs of a map in order.
pub fn map_entries(map: &ObjectRef) -> impl Iterator<Item = table::Entry<'_>> {
    // SAFETY: as in `map_get`.
    unsafe { table::entries(map.handle()) }
}

/// The number of pairs of a dict.
pub fn dict_len(dict: &ObjectRef) -> usize {
    let _guard = guard::lock_dict(dict);
    // SAFETY: the caller holds a dict, and the guard keeps others away. So it does below.
    unsafe { table::len(dict.handle()) }
}

/// The value of a key of a dict.
pub fn dict_get(dict: &ObjectRef, key: AnyView<'_>) -> Option<Any> {
    let key = key.stable();
    let _guard = guard::lock_dict(dict);
    // SAFETY: as in `dict_len`; the value is counted before the guard goes.
    unsafe { table::get(dict.handle(), &key.raw()) }.cloned()
}

/// The pairs of a dict in order, as they are now.
pub fn dict_entries(dict: &ObjectRef) -> Vec<(Any, Any)> {
    let _guard = guard::lock_dict(dict);
    // SAFETY: as in `dict_get`.
    unsafe { table::entries(dict.handle()) }
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

/// Sets the value of a key of a dict.
///
/// # Errors
/// As [`new_table`].
pub fn dict_set(dict: &ObjectRef, key: Any, value: Any) -> Result<()> {
    key::check(key.view())?;
    // What is left over is dropped after the guard, because it may run anybody's code as it goes.
    let mut entry = Some((key, value));
    let _guard = guard::lock_dict(dict);
    // SAFETY: as in `dict_len`.
    unsafe { table::set(dict.handle(), &mut entry) }
}

/// Takes the value of a key out of a dict.
pub fn dict_remove(dict: &ObjectRef, key: AnyView<'_>) -> Option<Any> {
    let key = key.stable();
    let taken = {
        let _guard = guard::lock_dict(dict);
        // SAFETY: as in `dict_len`.
        unsafe { table::remove(dict.handle(), &key.raw()) }
    };
    taken.map(|(_, value)| value)
}

/// Takes all pairs out of a dict.
pub fn dict_clear(dict: &ObjectRef) {
    let taken = {
        let _guard = guard::lock_dict(dict);
        // SAFETY: as in `dict_len`.
        unsafe { table::clear(dict.handle()) }
    };
    drop(taken);
}
