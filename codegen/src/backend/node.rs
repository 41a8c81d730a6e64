//! The Node front.

use super::{Backend, Error, Files, Support};
use crate::ir::{Api, Language};

/// Prints the Node front.
pub struct Node;

impl Backend for Node {
    fn name(&self) -> &str {
        "node"
    }

    fn supports(&self) -> Support {
        Support::all(Some(Language::Node))
    }

    fn generate(&self, _api: &Api) -> Result<Files, Error> {
        Ok(Files::new())
    }
}
