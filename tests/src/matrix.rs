//! m
use crate::{Project, Result};
/// t
pub fn report(_project: &Project) -> Result<()> {
    Ok(())
}
