//! What goes wrong in the static initialisers of a module while it is opened.
//!
//! They register types and functions, and an exception in one ends the process. So an error of a registration is kept for whoever
//! opens the module, who then refuses it, and the initialiser goes on.

use std::cell::RefCell;

use crate::error::Error;

thread_local! {
    /// The first error for each module that is being opened by this thread.
    static OPENING: RefCell<Vec<Option<Error>>> = const { RefCell::new(Vec::new()) };
}

/// Opens a module; returns also the first error that its initialisers ran into.
pub fn open<T>(work: impl FnOnce() -> T) -> (T, Option<Error>) {
    OPENING.with_borrow_mut(|opening| opening.push(None));
    let opened = work();
    let error = OPENING.with_borrow_mut(Vec::pop);
    (opened, error.flatten())
}

/// Keeps an error for whoever opens a module on this thread; gives it back when nobody does.
pub(super) fn keep(error: Error) -> Result<(), Error> {
    OPENING.with_borrow_mut(|opening| match opening.last_mut() {
        Some(first) => {
            first.get_or_insert(error);
            Ok(())
        }
        None => Err(error),
    })
}
