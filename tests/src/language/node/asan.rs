//! The Node front under AddressSanitizer: its tests of functions, objects and modules, with an addon that was built for it.

use std::path::Path;

use crate::language::{CACHE_VARIABLE, cache, modules, sanitizer};
use crate::run::Run;
use crate::tools::NODE;
use crate::{Project, Result, setup};

/// Tests in which values go to native code and back, and objects that several hold.
const TESTS: &[&str] = &[
    "container.test.mjs",
    "define.test.mjs",
    "function.test.mjs",
    "lent.test.mjs",
    "modules.test.mjs",
    "object.test.mjs",
];

/// As in Python. A test asks for more memory than there is, which the allocator is to refuse.
const OPTIONS: &str =
    "detect_leaks=0:quarantine_size_mb=8:alloc_dealloc_mismatch=0:allocator_may_return_null=1";

/// Builds the addon in the folder of the sanitizer and runs the tests with it.
///
/// # Errors
/// When one failed or touched memory that is not its own.
pub fn test(project: &Project, folder: &Path, host: &str) -> Result<()> {
    sanitizer::build(project, "tenspan-node", folder, host)?;
    let addon = folder.join("tenspan.node");
    let built = folder.join(host).join("debug/libtenspan_node.so");
    std::fs::copy(&built, &addon).map_err(|error| format!("{}: {error}", built.display()))?;
    Run::new(NODE.find()?)
        .args(["--expose-gc", "--test", "--test-reporter=dot"])
        .args(TESTS)
        .dir(&setup::node_packages(project, "tests/node")?)
        .env("TENSPAN_NATIVE_PATH", addon)
        .env(CACHE_VARIABLE, cache(project)?)
        .env(modules::VARIABLE, modules::build(project)?)
        .env("LD_PRELOAD", sanitizer::preloaded(folder, host)?)
        .env("ASAN_OPTIONS", OPTIONS)
        .stream()
}
