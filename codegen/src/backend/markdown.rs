//! Markdown.

use super::{Backend, Error, Files, Support};
use crate::ir::Api;

/// Prints.
pub struct Markdown;

impl Backend for Markdown {
    fn name(&self) -> &str {
        "markdown"
    }

    fn supports(&self) -> Support {
        Support::all(None)
    }

    fn generate(&self, _api: &Api) -> Result<Files, Error> {
        Ok(Files::new())
    }
}
