//! Objects of Python that other languages hold: as opaque objects, or as functions when they can be called.
//!
//! As long as one is held, the same object of Python is the same object of core, so that it is equal to itself there and found
//! again as a key.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use pyo3::ffi;
use pyo3::prelude::*;
use tenspan::abi::layout::ObjectHeader;
use tenspan::abi::object::ObjectRef;
use tenspan::value::{Any, Opaque};

/// An object of Python, kept for an object of core. It may be let go on any thread, and then attaches.
pub struct Held {
    /// A reference, or null once it is given up.
    object: AtomicPtr<ffi::PyObject>,
    address: AtomicUsize,
    sort: Sort,
    /// Which of those it is that stood in the table for the object one after the other; zero when it never stood there.
    turn: AtomicU64,
}

/// What an object is for others.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sort {
    /// Something they do not look into.
    Opaque,
    /// Something to call.
    Function,
}

/// An object of Python by its address, and what it is.
type Key = (usize, Sort);

/// The object of core that holds an object of Python. It is there as long as its entry: it takes that out, under the lock, before it
/// goes.
type Table = HashMap<Key, (u64, usize), Spread>;

/// Spreads addresses, which are multiples of 16, over all bits.
type Spread = BuildHasherDefault<Spreader>;

#[derive(Default)]
struct Spreader(u64);

impl Hasher for Spreader {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|byte| self.write_usize((*byte).into()));
    }

    fn write_isize(&mut self, number: isize) {
        self.write_usize(number as usize);
    }

    fn write_usize(&mut self, number: usize) {
        self.0 = (self.0 ^ number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// How many functions stand in the table.
static FUNCTIONS: AtomicUsize = AtomicUsize::new(0);

fn table() -> MutexGuard<'static, Table> {
    static TABLE: OnceLock<Mutex<Table>> = OnceLock::new();
    let table = TABLE.get_or_init(Mutex::default);
    table.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The object of an entry, if it is not going.
fn live(table: &Table, key: Key) -> Option<ObjectRef> {
    let (_, handle) = table.get(&key)?;
    let handle = NonNull::new(*handle as *mut ObjectHeader)?;
    // SAFETY: the object takes its entry out under the lock before its memory is freed.
    unsafe { ObjectRef::upgrade(handle) }
}

/// Puts an object in the table, in the place of one that is going.
fn enter(table: &mut Table, key: Key, object: &ObjectRef) -> u64 {
    static TURNS: AtomicU64 = AtomicU64::new(1);
    let turn = TURNS.fetch_add(1, Ordering::Relaxed);
    let old = table.insert(key, (turn, object.handle().as_ptr() as usize));
    if key.1 == Sort::Function && old.is_none() {
        FUNCTIONS.fetch_add(1, Ordering::Relaxed);
    }
    turn
}

impl Held {
    /// The object.
    pub fn object<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let object = self.object.load(Ordering::Relaxed);
        // SAFETY: the object that is kept.
        let object = unsafe { Bound::from_borrowed_ptr_or_opt(py, object) };
        object.unwrap_or_else(|| py.None().into_bound(py))
    }

    /// As [`Held::object`], of one that whoever calls keeps.
    pub fn borrowed<'py>(&self, py: Python<'py>) -> Option<Borrowed<'_, 'py, PyAny>> {
        let object = self.object.load(Ordering::Relaxed);
        // SAFETY: the object that is kept, or null.
        unsafe { Borrowed::from_ptr_or_opt(py, object) }
    }

    /// Its address.
    pub fn address(&self) -> usize {
        self.address.load(Ordering::Relaxed)
    }

    fn key(&self) -> Key {
        (self.address(), self.sort)
    }

    /// Whether it never stood in the table.
    pub fn is_lent(&self) -> bool {
        self.turn.load(Ordering::Relaxed) == 0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let turn = *self.turn.get_mut();
        if turn != 0 {
            let mut table = table();
            if table
                .get(&self.key())
                .is_some_and(|(found, _)| *found == turn)
            {
                table.remove(&self.key());
                if self.sort == Sort::Function {
                    FUNCTIONS.fetch_sub(1, Ordering::Relaxed);
                }
            }
        }
        let object = std::mem::replace(self.object.get_mut(), std::ptr::null_mut());
        if !object.is_null() {
            // When there is no interpreter any more, the object ends with the process.
            // SAFETY: attached, and the reference is given up once.
            Python::try_attach(|_| unsafe { ffi::Py_DECREF(object) });
        }
    }
}

/// The object of core that holds an object of Python: the one there is, or what `make` makes, which then stands in the table.
pub fn hold(
    object: &Bound<'_, PyAny>,
    sort: Sort,
    make: impl FnOnce(Held) -> ObjectRef,
    held: impl FnOnce(&ObjectRef) -> Option<&Held>,
) -> ObjectRef {
    let key = (object.as_ptr() as usize, sort);
    let mut table = table();
    if let Some(known) = live(&table, key) {
        return known;
    }
    let made = make(lend(object, sort));
    if let Some(held) = held(&made) {
        let turn = enter(&mut table, key, &made);
        held.turn.store(turn, Ordering::Relaxed);
    }
    made
}

/// An object for the time of a call, in no table.
pub fn lend(object: &Bound<'_, PyAny>, sort: Sort) -> Held {
    Held {
        object: AtomicPtr::new(object.clone().into_ptr()),
        address: AtomicUsize::new(object.as_ptr() as usize),
        sort,
        turn: AtomicU64::new(0),
    }
}

/// Lends another object, after the one before was given up.
pub fn lend_again(held: &Held, object: &Bound<'_, PyAny>) {
    held.object
        .store(object.clone().into_ptr(), Ordering::Relaxed);
    held.address
        .store(object.as_ptr() as usize, Ordering::Relaxed);
}

/// The function that holds a callable, if there is one.
pub fn known_function(object: &Bound<'_, PyAny>) -> Option<ObjectRef> {
    if FUNCTIONS.load(Ordering::Relaxed) == 0 {
        return None;
    }
    live(&table(), (object.as_ptr() as usize, Sort::Function))
}

/// Gives an object up that nobody will ask for any more.
pub fn give_up(_py: Python<'_>, held: &Held) {
    let object = held.object.swap(std::ptr::null_mut(), Ordering::Relaxed);
    // SAFETY: attached, and the reference is given up once.
    unsafe { ffi::Py_XDECREF(object) };
}

/// Puts a function that was lent, and kept, in the table, unless there is another for the same callable.
pub fn settle(function: &ObjectRef, held: &Held) {
    let mut table = table();
    if held.is_lent() && live(&table, held.key()).is_none() {
        let turn = enter(&mut table, held.key(), function);
        held.turn.store(turn, Ordering::Relaxed);
    }
}

/// An object as a value that other languages hold and give back.
pub fn opaque(object: &Bound<'_, PyAny>) -> Any {
    let address = object.as_ptr() as u64;
    let make = |held| Opaque::new(address, Box::new(held)).object().clone();
    Any::object(hold(object, Sort::Opaque, make, in_opaque))
}

fn in_opaque(object: &ObjectRef) -> Option<&Held> {
    tenspan::abi::opaque::value(object)?.downcast_ref()
}

/// The object that an opaque value holds, if it is one of Python.
pub fn original<'py>(py: Python<'py>, opaque: &Opaque) -> Option<Bound<'py, PyAny>> {
    in_opaque(opaque.object()).map(|held| held.object(py))
}
