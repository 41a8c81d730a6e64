//! Programs that must be on the machine, each with the package that brings it.

use std::path::PathBuf;

use crate::Result;
use crate::run::Run;

/// A program of the machine.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Names it goes by, the usual one first.
    names: &'static [&'static str],
    /// How to get it.
    brought_by: &'static str,
}

/// Python with the `venv` module.
pub const PYTHON: Tool = Tool {
    names: &["python3", "python"],
    brought_by: "Python 3.11 or later with venv: `apt install python3-venv`, `brew install python`, or python.org",
};
/// Node.js.
pub const NODE: Tool = Tool {
    names: &["node"],
    brought_by: "Node.js 20.9 or later: nodejs.org, or `brew install node`",
};
/// The package manager of Node.js.
pub const NPM: Tool = Tool {
    names: &["npm", "npm.cmd"],
    brought_by: "npm: it comes with Node.js; `apt install npm`",
};
/// The C++ compiler that is always used.
pub const GPP: Tool = Tool {
    names: &["g++", "c++"],
    brought_by: "a C++17 compiler: `apt install g++`, or `xcode-select --install` on macOS",
};
/// The second C++ compiler.
pub const CLANG: Tool = Tool {
    names: &["clang++"],
    brought_by: "clang++: `apt install clang`",
};

impl Tool {
    /// The name it answers to here.
    ///
    /// # Errors
    /// When it is missing: says which package brings it.
    pub fn find(self) -> Result<PathBuf> {
        let found = self
            .names
            .iter()
            .find(|name| Run::new(name).arg("--version").succeeds());
        found.map(PathBuf::from).ok_or_else(|| {
            format!(
                "`{}` is missing. It comes with {}",
                self.names[0], self.brought_by
            )
        })
    }
}

/// Whether rustup has a nightly toolchain with its sources, which AddressSanitizer needs only the first of.
pub fn has_nightly() -> bool {
    Run::new("cargo").args(["+nightly", "--version"]).succeeds()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_is_named_with_its_package() {
        let tool = Tool {
            names: &["no-such-tool-of-tenspan"],
            brought_by: "nothing",
        };
        let message = tool.find().unwrap_err();
        assert_eq!(
            message,
            "`no-such-tool-of-tenspan` is missing. It comes with nothing"
        );
    }
}
