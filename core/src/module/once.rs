//! Modules that are loaded already: a file is loaded once as long as it does not change, since its static initialisers register
//! types and functions that cannot be registered twice.

use std::collections::HashMap;
use std::fs::Metadata;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::ThreadId;

use super::{Inner, Module};
use crate::error::{Error, ErrorKind, Result};

/// A file as it is now, and how it is opened.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    file: (u64, u64),
    size: u64,
    changed: Option<std::time::SystemTime>,
    in_place: bool,
}

impl Key {
    /// The key of a path; nothing when there is no such file, or the system does not tell files apart.
    pub fn of(path: &str, in_place: bool) -> Option<Self> {
        let status = std::fs::metadata(path).ok()?;
        Some(Key {
            file: identity(&status)?,
            size: status.len(),
            changed: status.modified().ok(),
            in_place,
        })
    }
}

#[cfg(unix)]
fn identity(status: &Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((status.dev(), status.ino()))
}

#[cfg(not(unix))]
fn identity(_status: &Metadata) -> Option<(u64, u64)> {
    None
}

enum Known {
    /// A thread is loading it.
    Loading(ThreadId),
    /// It stays for ever.
    Kept(Module),
    /// It stays as long as it is used.
    Lent(Weak<Inner>),
}

type Modules = HashMap<Key, Known>;

static KNOWN: Mutex<Option<Modules>> = Mutex::new(None);
static LOADED: Condvar = Condvar::new();

fn known() -> MutexGuard<'static, Option<Modules>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The module of a file, loaded by `load` when it is not there. One thread loads it, others wait.
///
/// # Errors
/// Those of `load`; and [`ErrorKind::RuntimeError`] when a module loads itself as it is loaded.
pub(super) fn load(key: Option<Key>, load: impl FnOnce() -> Result<Module>) -> Result<Module> {
    let Some(key) = key else {
        return load();
    };
    let own = std::thread::current().id();
    let mut guard = known();
    loop {
        let found = match guard.get_or_insert_default().get(&key) {
            None => break,
            Some(Known::Kept(module)) => return Ok(module.clone()),
            Some(Known::Lent(module)) => match module.upgrade() {
                Some(inner) => return Ok(Module(inner)),
                None => break,
            },
            Some(Known::Loading(thread)) => *thread,
        };
        if found == own {
            let message = "the module loads itself while it is loaded";
            return Err(Error::new(ErrorKind::RuntimeError, message));
        }
        guard = LOADED.wait(guard).unwrap_or_else(PoisonError::into_inner);
    }
    guard
        .get_or_insert_default()
        .insert(key.clone(), Known::Loading(own));
    // Code of the module runs now: no lock is held.
    drop(guard);
    let loaded = load();
    let entry = loaded.as_ref().ok().map(|module| match module.stays() {
        true => Known::Kept(module.clone()),
        false => Known::Lent(std::sync::Arc::downgrade(&module.0)),
    });
    let mut guard = known();
    let modules = guard.get_or_insert_default();
    let _old = match entry {
        Some(entry) => modules.insert(key, entry),
        None => modules.remove(&key),
    };
    drop(guard);
    LOADED.notify_all();
    loaded
}
