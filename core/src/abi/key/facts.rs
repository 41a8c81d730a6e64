//! What the functions of types say of keys, asked for while no lock is held.
//!
//! A table that comes to a key of such a type looks the answer up in [`Facts`]. What is not there is noted as a question, and the table
//! stays as it was. [`settle`] then lets go of the table, asks, and tries again: so a function may use any dict, also this one, and
//! wait for any thread. Nothing is remembered of the table itself; when it has changed meanwhile, there are new questions.
#![allow(
    unsafe_code,
    reason = "functions of compiled modules are called by their addresses"
)]

use std::cell::Cell;
use std::collections::HashMap;

use super::{Hash, Same, has};
use crate::abi::any::{Any, AnyView};
use crate::abi::closure;
use crate::abi::kind::Kind;
use crate::abi::layout::RawAny;
use crate::abi::types::Hook;
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;

/// How often a table is tried. Each time somebody else has changed it while its keys were compared.
const MOST_TRIES: usize = 1000;

/// Functions of types inside of one another, on one thread.
const DEEPEST: u32 = 100;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Does something with a table, by way of a key, as often as it takes to know all about keys that it comes to. `attempt` changes
/// nothing while there are open questions, and holds the lock of the table, which it needs, itself.
///
/// # Errors
/// What functions of types raise; [`ErrorKind::RuntimeError`] when the table is changed again and again meanwhile.
#[inline]
pub fn settle<R>(key: AnyView<'_>, mut attempt: impl FnMut(&mut Facts<'_>) -> R) -> Result<R> {
    if !has(Hook::KeyHash, key.type_index()) {
        let mut facts = Facts::default();
        let result = attempt(&mut facts);
        if facts.is_settled() {
            return Ok(result);
        }
    }
    settle_by_asking(key, attempt)
}

#[cold]
fn settle_by_asking<R>(
    key: AnyView<'_>,
    mut attempt: impl FnMut(&mut Facts<'_>) -> R,
) -> Result<R> {
    let mut known = Known::default();
    if has(Hook::KeyHash, key.type_index()) {
        // Also a table that has no use for the hash refuses a key without one.
        known.open.push(Question::Hash(key.to_any()));
    }
    for _ in 0..MOST_TRIES {
        known.ask(key)?;
        let mut facts = Facts {
            known: Some(&mut known),
            is_open: false,
        };
        let result = attempt(&mut facts);
        if facts.is_settled() {
            return Ok(result);
        }
    }
    let message = format!("the table was changed {MOST_TRIES} times while its keys were compared");
    Err(Error::new(ErrorKind::RuntimeError, message))
}

/// What is known at a try: nothing at the first, which is enough for plain keys.
#[derive(Default)]
pub struct Facts<'a> {
    known: Option<&'a mut Known>,
    is_open: bool,
}

impl Facts<'_> {
    /// Whether there are no open questions.
    #[inline]
    pub fn is_settled(&self) -> bool {
        !self.is_open
    }

    /// Drops the questions, which are of no interest any more: the key was found. It is done while the table still holds the keys.
    #[inline]
    pub fn close(&mut self) {
        if self.is_open {
            self.is_open = false;
            if let Some(known) = &mut self.known {
                known.open.clear();
            }
        }
    }

    /// The hash of an object by the function of its type.
    ///
    /// # Safety
    /// `key` is an object, and lives during the call.
    #[cold]
    pub unsafe fn hash(&mut self, key: &RawAny) -> Option<u64> {
        let hashes = self.known.as_ref().map(|known| &known.hashes);
        if let Some((_, hash)) = hashes.and_then(|hashes| hashes.get(&key.payload)) {
            return Some(*hash);
        }
        // SAFETY: the caller vouches for the key.
        let key = unsafe { AnyView::from_raw(*key) };
        self.open(key, Question::Hash);
        None
    }

    /// Whether an object of the table is the key in question, by the function of their type; false as long as that is not known.
    ///
    /// # Safety
    /// As for [`Facts::hash`].
    #[cold]
    pub unsafe fn same(&mut self, of_table: &RawAny) -> bool {
        let all = self.known.as_ref().map(|known| &known.same);
        if let Some((_, same)) = all.and_then(|all| all.get(&of_table.payload)) {
            return *same;
        }
        // SAFETY: the caller vouches for the key.
        let of_table = unsafe { AnyView::from_raw(*of_table) };
        self.open(of_table, Question::Same);
        false
    }

    fn open(&mut self, key: AnyView<'_>, question: fn(Any) -> Question) {
        self.is_open = true;
        if let Some(known) = &mut self.known {
            known.open.push(question(key.to_any()));
        }
    }
}

/// What functions of types have said, and are to be asked.
#[derive(Default)]
struct Known {
    /// By the address of the key, which is counted, so that nothing else comes to stand there.
    hashes: HashMap<u64, (Any, u64)>,
    /// Whether the key in question is a key of the table, by the address of that, as above.
    same: HashMap<u64, (Any, bool)>,
    open: Vec<Question>,
}

enum Question {
    /// The hash of a key.
    Hash(Any),
    /// Whether a key of the table is the one in question.
    Same(Any),
}

impl Known {
    /// Answers the open questions. Once the key is found the others of them do not matter.
    fn ask(&mut self, key: AnyView<'_>) -> Result<()> {
        for question in std::mem::take(&mut self.open) {
            match question {
                Question::Hash(of) => {
                    let hash = hash_of(of.view())?;
                    self.hashes.insert(of.view().raw().payload, (of, hash));
                }
                Question::Same(of_table) => {
                    let same = is_same(of_table.view(), key)?;
                    let address = of_table.view().raw().payload;
                    self.same.insert(address, (of_table, same));
                    if same {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The hash of a key by the function of its type.
fn hash_of(key: AnyView<'_>) -> Result<u64> {
    let raw = key.raw();
    let native = |address| {
        // SAFETY: the rules of the ABI say that the address is of such a function.
        let hash = unsafe { std::mem::transmute::<u64, Hash>(address) };
        // SAFETY: a view is a value that lives.
        unsafe { hash(&raw) }
    };
    // SAFETY: the function returns a value of its own.
    let result = unsafe { by_function(Hook::KeyHash, &[raw], native) }?;
    match result.kind() {
        Kind::Int(hash) => Ok(hash as u64),
        _ => Err(wrong(Hook::KeyHash, &result)),
    }
}

/// Whether two keys of a type are the same by the function of that type.
fn is_same(a: AnyView<'_>, b: AnyView<'_>) -> Result<bool> {
    let (a, b) = (a.raw(), b.raw());
    let native = |address| {
        // SAFETY: as in `hash_of`. So below.
        let same = unsafe { std::mem::transmute::<u64, Same>(address) };
        // SAFETY: as above.
        unsafe { same(&a, &b) }
    };
    // SAFETY: as above.
    let result = unsafe { by_function(Hook::KeyEqual, &[a, b], native) }?;
    match result.kind() {
        Kind::Bool(same) => Ok(same),
        _ => Err(wrong(Hook::KeyEqual, &result)),
    }
}

/// One function of a type less on this thread.
struct Entered;

impl Drop for Entered {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// What the function of a type returns: a function object, which is called with the keys, or a plain one, which `native` calls.
///
/// # Safety
/// The keys are valid values, of the type of the first. `native` is given the address of a function that the type has, which returns a
/// value of its own.
unsafe fn by_function(
    hook: Hook,
    keys: &[RawAny],
    native: impl FnOnce(u64) -> RawAny,
) -> Result<Any> {
    let Some(found) = keys.first().and_then(|key| hook.of(key.type_index)) else {
        return Ok(Any::NONE);
    };
    if DEPTH.get() >= DEEPEST {
        let name = hook.name();
        let message = format!("`{name}`: more than {DEEPEST} inside of one another");
        return Err(Error::new(ErrorKind::RuntimeError, message));
    }
    DEPTH.set(DEPTH.get() + 1);
    let _entered = Entered;
    if let Kind::Pointer(address) = found.kind() {
        // SAFETY: by the rules of the ABI the result is owned: a value, or an error in its place.
        let result = unsafe { Any::from_raw(native(address)) };
        if let Kind::Error(error) = result.kind() {
            return Err(error);
        }
        return Ok(result);
    }
    match found.object().and_then(Function::from_object) {
        Some(function) => {
            // SAFETY: the caller vouches for the keys.
            let keys = unsafe { closure::views(keys.as_ptr(), keys.len() as i32) };
            function.call_views(keys)
        }
        None => Err(wrong(hook, &found.to_any())),
    }
}

fn wrong(hook: Hook, found: &Any) -> Error {
    let message = format!("`{}`: found {}", hook.name(), found.view().type_name());
    Error::new(ErrorKind::TypeError, message)
}
