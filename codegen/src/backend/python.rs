//! The Python front.

use super::{Backend, Error, Files, Support};
use crate::ir::{Api, Language};

/// Prints the Python front.
pub struct Python;

impl Backend for Python {
    fn name(&self) -> &str {
        "python"
    }

    fn supports(&self) -> Support {
        Support::all(Some(Language::Python))
    }

    fn generate(&self, _api: &Api) -> Result<Files, Error> {
        Ok(Files::new())
    }
}
