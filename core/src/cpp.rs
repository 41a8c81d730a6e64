//! Inline modules: C++ sources compiled once, kept by their content, and loaded.
//!
//! ```text
//! <cache>/include-<digest>/           the headers of kernels, as this version of the library has them
//! <cache>/<name>-<key>/<name>.cpp     the source as it was given
//! <cache>/<name>-<key>/<name>.so      the module
//! <cache>/<name>-<key>/<name>.made    what it was made of: its key, and each header that was read
//! ```
//! The key covers sources, functions, flags, the compiler, the environment it reads and our own headers; a module is made again when a
//! header that it included has changed. The cache is `TENSPAN_CACHE_DIR`, else `tenspan` in `XDG_CACHE_HOME` or `~/.cache`. Processes that
//! want the same module at once wait for the one that compiles it.

mod cache;
mod compiler;
mod export;
mod headers;
mod key;
mod make;

use std::path::PathBuf;

pub use export::Export;

use crate::error::{Error, ErrorKind, Result};
use crate::generated::dictionaries::{BuildOptions, LoadModuleOptions};
use crate::module::{Module, load_module};
use crate::value::AnyView;
use make::Plan;

/// Compiles C++ sources and loads the module, for as long as the process lives.
///
/// # Errors
/// As [`build_inline`] and [`load_module`].
pub fn load_inline(
    name: &str,
    cpp_sources: &[String],
    functions: AnyView<'_>,
    options: &BuildOptions,
) -> Result<Module> {
    let path = build_inline(name, cpp_sources, functions, options)?;
    load_module(&path, &LoadModuleOptions::default())
}

/// Compiles source files and loads the module, for as long as the process lives.
///
/// # Errors
/// As [`build`] and [`load_module`].
pub fn load(name: &str, cpp_files: &[String], options: &BuildOptions) -> Result<Module> {
    let path = build(name, cpp_files, options)?;
    load_module(&path, &LoadModuleOptions::default())
}

/// Compiles C++ sources to a module and gives its path.
///
/// # Errors
/// [`ErrorKind::CompileFailed`] with the output of the compiler, or when there is none; [`ErrorKind::ValueError`] for a name that cannot be
/// one; [`ErrorKind::OSError`] when the cache cannot be written.
pub fn build_inline(
    name: &str,
    cpp_sources: &[String],
    functions: AnyView<'_>,
    options: &BuildOptions,
) -> Result<String> {
    let exports = Export::read(functions)?;
    let plan = Plan::inline(name, cpp_sources, &exports)?;
    text(plan.make(options)?)
}

/// Compiles source files to a module and gives its path.
///
/// # Errors
/// As [`build_inline`]; [`ErrorKind::OSError`] for a file that cannot be read.
pub fn build(name: &str, cpp_files: &[String], options: &BuildOptions) -> Result<String> {
    let plan = Plan::files(name, cpp_files)?;
    text(plan.make(options)?)
}

/// The folder with the headers of kernels, for compilers that are called by hand.
///
/// # Errors
/// [`ErrorKind::OSError`] when the cache cannot be written.
pub fn include_path() -> Result<String> {
    text(headers::folder(&cache::root()?)?)
}

fn text(path: PathBuf) -> Result<String> {
    path.into_os_string().into_string().map_err(|path| {
        let message = format!("the path {} is not UTF-8", path.display());
        Error::new(ErrorKind::ValueError, message)
    })
}
