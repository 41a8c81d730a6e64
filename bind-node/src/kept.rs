//! Values of JavaScript that native code holds, each by a number.
//!
//! JavaScript keeps the values in a table of its room (`js/kept.cjs`); a number may be held and dropped by any thread.

use std::sync::Arc;

use napi::bindgen_prelude::{ToNapiValue, Unknown};

use crate::bytes;
use crate::host::{Ask, Scope};
use crate::post::Post;

/// A value of JavaScript.
pub struct Kept {
    post: Arc<Post>,
    number: f64,
}

impl Kept {
    /// Keeps a value.
    pub fn new(scope: &Scope<'_>, value: Unknown<'_>) -> napi::Result<Self> {
        let number = bytes::read(scope.ask(Ask::Keep, value)?)?;
        Ok(Kept::of(scope, number))
    }

    /// A value that the room keeps already.
    pub fn of(scope: &Scope<'_>, number: f64) -> Self {
        let post = Arc::clone(&scope.room.post);
        Kept { post, number }
    }

    /// The number.
    pub fn number(&self) -> f64 {
        self.number
    }

    /// Where the value lives.
    pub fn post(&self) -> &Arc<Post> {
        &self.post
    }

    /// Whether the value is of this room.
    pub fn is_of(&self, scope: &Scope<'_>) -> bool {
        Arc::ptr_eq(&self.post, &scope.room.post)
    }

    /// The value, in its room; nothing in another.
    pub fn value<'env>(&self, scope: &Scope<'env>) -> Option<napi::Result<Unknown<'env>>> {
        let find = || scope.ask(Ask::Kept, self.number.into_unknown(scope.env)?);
        self.is_of(scope).then(find)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        self.post.release(self.number);
    }
}

/// Forgets what is kept by these numbers.
pub fn forget(scope: &Scope<'_>, numbers: &[f64]) -> napi::Result<()> {
    let numbers = numbers.to_vec().into_unknown(scope.env)?;
    scope.ask(Ask::Forget, numbers).map(drop)
}
