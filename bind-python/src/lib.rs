//! The Python front: the native module `tenspan._tenspan`.
//!
//! [`generated`] is printed from the spec: one class per interface, whose methods call core by name. By hand stand
//! the conversions ([`value`]), memory shared with Python ([`bytes`]), exceptions ([`error`]), functions that core calls
//! back ([`callback`]), containers ([`container`]), and the manners of Python that no spec has ([`custom`]).
#![allow(
    missing_docs,
    reason = "the module is used from Python; PyO3 prints undocumented items"
)]

use pyo3::prelude::*;

mod bytes;
mod callback;
mod container;
mod custom;
mod error;
mod generated;
mod value;

#[pymodule]
fn _tenspan(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", python_version(env!("CARGO_PKG_VERSION")))?;
    error::register(module)?;
    generated::register(module)?;
    bytes::runtime::start();
    bytes::handover::add(module.py())
}

/// A version of Cargo as Python writes it: `0.3.0-rc.1` is `0.3.0rc1`.
fn python_version(version: &str) -> String {
    let Some((release, pre)) = version.split_once('-') else {
        return version.to_owned();
    };
    let (stage, number) = pre.split_once('.').unwrap_or((pre, "0"));
    let stage = match stage {
        "alpha" => "a",
        "beta" => "b",
        other => other,
    };
    format!("{release}{stage}{number}")
}
