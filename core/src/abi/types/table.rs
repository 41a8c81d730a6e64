//! Types by index and by key.
#![allow(unsafe_code, reason = "readers find types by address, without a lock")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use super::builtin;
use super::layout::TypeInfo;
use crate::abi::key::hash_bytes;
use crate::abi::layout::{ByteArray, index};
use crate::error::{Error, ErrorKind, Result};

/// Indices that a process may use; a column of attributes has room for as many.
pub const CAPACITY: usize = 1 << 16;

/// Where the type of each index stands.
static INFOS: [AtomicPtr<TypeInfo>; CAPACITY] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; CAPACITY];

static TABLE: LazyLock<Mutex<Table>> = LazyLock::new(|| Mutex::new(Table::with_builtin()));

/// What only those who change the table need to know.
pub(super) struct Table {
    keys: HashMap<&'static str, i32>,
    rooms: HashMap<i32, Room>,
    next: i32,
}

/// The indices that a type keeps for its children.
#[derive(Clone, Copy)]
struct Room {
    /// Its own index, and those of the children.
    slots: i32,
    /// How many are given out.
    used: i32,
    /// Whether further children may have others.
    can_overflow: bool,
    /// Whether the same type is being registered again, by a second copy of its module.
    repeated: bool,
}

/// A type to be found or made.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Its key.
    pub key: &'a str,
    /// Its index, if the ABI fixes that.
    pub static_index: Option<i32>,
    /// How many ancestors it says it has.
    pub depth: Option<i32>,
    /// Indices to keep for its children.
    pub slots: i32,
    /// Whether it may have more children than that.
    pub can_overflow: bool,
    /// What it is derived from.
    pub parent: Option<i32>,
}

impl<'a> Request<'a> {
    /// A type derived from another.
    pub fn child_of(parent: i32, key: &'a str) -> Self {
        Request {
            key,
            static_index: None,
            depth: None,
            slots: 0,
            can_overflow: true,
            parent: Some(parent),
        }
    }
}

pub(super) fn lock() -> MutexGuard<'static, Table> {
    TABLE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The type of an index.
#[inline]
pub fn info(type_index: i32) -> Option<&'static TypeInfo> {
    LazyLock::force(&TABLE);
    at(type_index)
}

/// As [`info`], for those who have the table.
#[inline]
fn at(type_index: i32) -> Option<&'static TypeInfo> {
    let place = INFOS.get(usize::try_from(type_index).ok()?)?;
    // SAFETY: nothing but null and addresses of types that are never freed is written there.
    unsafe { place.load(Ordering::Acquire).as_ref() }
}

/// The type of an index, or a type that stands for all unknown ones.
pub fn info_or_unknown(type_index: i32) -> &'static TypeInfo {
    static UNKNOWN: LazyLock<&'static TypeInfo> = LazyLock::new(|| new_info(-1, "<unknown>", &[]));
    info(type_index).unwrap_or(*UNKNOWN)
}

/// The index of a key.
pub fn find(key: &str) -> Option<i32> {
    lock().keys.get(key).copied()
}

/// The index of a type, which is made when its key is not known.
///
/// # Errors
/// [`ErrorKind::ValueError`] for a key that is known with other ancestors, an unknown parent, a depth that is not that of the
/// parent and one, an index that is taken or a number of children that cannot be; [`ErrorKind::RuntimeError`] when the table
/// or the room of the parent is full.
pub fn allocate(request: &Request<'_>) -> Result<i32> {
    lock().allocate(request)
}

/// Whether nothing can be derived from a type: it keeps no indices for children, and lets them have no others.
pub fn is_final(type_index: i32) -> bool {
    let table = lock();
    let room = table.rooms.get(&type_index);
    room.is_some_and(|room| !room.can_overflow && room.used >= room.slots)
}

fn refused(request: &Request<'_>, why: String) -> Error {
    Error::new(
        ErrorKind::ValueError,
        format!("type `{}`: {why}", request.key),
    )
}

impl Table {
    fn with_builtin() -> Table {
        let mut table = Table {
            keys: HashMap::new(),
            rooms: HashMap::new(),
            next: index::DYNAMIC,
        };
        let mut object: Option<&'static TypeInfo> = None;
        for (type_index, key) in builtin::TYPES {
            let ancestors: &[_] = object.as_slice();
            let info = new_info(*type_index, key, ancestors);
            if *type_index == index::OBJECT {
                object = Some(info);
            }
            table.put(info, 0, true);
        }
        table
    }

    fn put(&mut self, info: &'static TypeInfo, slots: i32, can_overflow: bool) {
        let room = Room {
            slots: slots + 1,
            used: 1,
            can_overflow,
            repeated: false,
        };
        self.rooms.insert(info.type_index, room);
        self.keys.insert(info.key(), info.type_index);
        let place = &INFOS[info.type_index as usize];
        place.store(std::ptr::from_ref(info).cast_mut(), Ordering::Release);
    }

    fn allocate(&mut self, request: &Request<'_>) -> Result<i32> {
        if let Some(known) = self.keys.get(request.key).copied().and_then(at) {
            return same(known, request);
        }
        let parent = match request.parent {
            None => None,
            Some(parent) => Some(parent_of(request, parent)?),
        };
        let depth = parent.map_or(0, |parent| parent.depth + 1);
        if let Some(wrong) = request.depth.filter(|claimed| *claimed != depth) {
            let why = format!("it says that it has {wrong} ancestors, but has {depth}");
            return Err(refused(request, why));
        }
        if !(0..CAPACITY as i32).contains(&request.slots) {
            let why = format!("room for {} children cannot be", request.slots);
            return Err(refused(request, why));
        }
        let type_index = match request.static_index {
            Some(fixed) => free_index(request, fixed)?,
            None => self.next_index(request, parent)?,
        };
        let mut ancestors: Vec<_> = parent.map_or(&[][..], TypeInfo::ancestors).to_vec();
        ancestors.extend(parent);
        let info = new_info(type_index, request.key, &ancestors);
        self.put(info, request.slots, request.can_overflow);
        Ok(type_index)
    }

    /// Gives out an index: of those that the parent keeps for its children, or the next of all.
    fn next_index(&mut self, request: &Request<'_>, parent: Option<&TypeInfo>) -> Result<i32> {
        let wanted = request.slots + 1;
        let full = |why| {
            Error::new(
                ErrorKind::RuntimeError,
                format!("type `{}`: {why}", request.key),
            )
        };
        if let Some((parent, room)) =
            parent.and_then(|parent| Some((parent, self.rooms.get_mut(&parent.type_index)?)))
        {
            if room.used + wanted <= room.slots {
                let type_index = parent.type_index + room.used;
                room.used += wanted;
                return Ok(type_index);
            }
            if !room.can_overflow {
                let why = format!("`{}` has room for no more children", parent.key());
                return Err(full(why));
            }
        }
        let type_index = self.next;
        if type_index + wanted > CAPACITY as i32 {
            return Err(full(format!("a process has room for {CAPACITY} types")));
        }
        self.next += wanted;
        Ok(type_index)
    }

    /// Notes that a type is registered again just as it is, so that what follows of it is no mistake.
    pub(super) fn set_repeated(&mut self, type_index: i32) {
        if let Some(room) = self.rooms.get_mut(&type_index) {
            room.repeated = true;
        }
    }

    /// Whether a type is being registered again.
    pub(super) fn is_repeated(&self, type_index: i32) -> bool {
        self.rooms
            .get(&type_index)
            .is_some_and(|room| room.repeated)
    }
}

/// The index of a type that is known by the key of a request.
fn same(known: &TypeInfo, request: &Request<'_>) -> Result<i32> {
    let parent = known.ancestors().last().map(|parent| parent.type_index);
    if request.parent.is_some() && request.parent != parent {
        let name = |index: Option<i32>| match index.and_then(at) {
            Some(info) => format!("`{}`", info.key()),
            None => "nothing".to_owned(),
        };
        let why = format!(
            "it is derived from {}, not from {}",
            name(parent),
            name(request.parent)
        );
        return Err(refused(request, why));
    }
    if let Some(wrong) = request.depth.filter(|depth| *depth != known.depth) {
        let why = format!(
            "it says that it has {wrong} ancestors, but has {}",
            known.depth
        );
        return Err(refused(request, why));
    }
    Ok(known.type_index)
}

fn parent_of(request: &Request<'_>, parent: i32) -> Result<&'static TypeInfo> {
    at(parent)
        .filter(|info| info.type_index >= index::OBJECT)
        .ok_or_else(|| {
            let why = format!("its parent has the index {parent}, which is no type of objects");
            refused(request, why)
        })
}

fn free_index(request: &Request<'_>, fixed: i32) -> Result<i32> {
    if !(0..index::DYNAMIC).contains(&fixed) {
        let why = format!("the index {fixed} is not one that can be fixed");
        return Err(refused(request, why));
    }
    match at(fixed) {
        None => Ok(fixed),
        Some(other) => Err(refused(
            request,
            format!("the index {fixed} is that of `{}`", other.key()),
        )),
    }
}

pub(super) fn new_info(
    type_index: i32,
    key: &str,
    ancestors: &[&'static TypeInfo],
) -> &'static TypeInfo {
    let key: &'static str = String::leak(key.to_owned());
    let ancestors: &'static [&'static TypeInfo] = Vec::leak(ancestors.to_vec());
    Box::leak(Box::new(TypeInfo {
        type_index,
        depth: ancestors.len() as i32,
        key: ByteArray {
            data: key.as_ptr(),
            size: key.len(),
        },
        ancestors: ancestors.as_ptr().cast(),
        key_hash: hash_bytes(key.as_bytes()),
        field_count: AtomicI32::new(0),
        method_count: AtomicI32::new(0),
        fields: AtomicPtr::new(std::ptr::null_mut()),
        methods: AtomicPtr::new(std::ptr::null_mut()),
        metadata: AtomicPtr::new(std::ptr::null_mut()),
    }))
}
