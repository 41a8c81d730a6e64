//! Core.

use super::{Backend, Error, Files, Support};
use crate::ir::Api;

/// Prints.
pub struct Core;

impl Backend for Core {
    fn name(&self) -> &str {
        "core"
    }

    fn supports(&self) -> Support {
        Support::all(None)
    }

    fn generate(&self, _api: &Api) -> Result<Files, Error> {
        Ok(Files::new())
    }
}
