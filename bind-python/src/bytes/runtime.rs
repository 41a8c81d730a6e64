//! The runtime for compiled modules: exported under the prefix of this front, and what Python adds to it.

use pyo3::Python;

use crate::error::caught;

tenspan::export_runtime!("TNSPY_");

/// Tells the runtime what of Python it needs.
pub fn start() {
    tenspan::abi::exported::set_signal_check(|| {
        Python::attach(|py| py.check_signals().map_err(|error| caught(py, error)))
    });
}
