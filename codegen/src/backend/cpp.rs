//! The Cpp front.

use super::{Backend, Error, Files, Support};
use crate::ir::{Api, Language};

/// Prints the Cpp front.
pub struct Cpp;

impl Backend for Cpp {
    fn name(&self) -> &str {
        "cpp"
    }

    fn supports(&self) -> Support {
        Support::all(Some(Language::Cpp))
    }

    fn generate(&self, _api: &Api) -> Result<Files, Error> {
        Ok(Files::new())
    }
}
