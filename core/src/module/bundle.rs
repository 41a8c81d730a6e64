//! Modules that a library carries inside of it, and which of them imports which.
//!
//! ```text
//! u64            bytes that follow
//! u64, u64…      where the imports of each module begin in the next list, and where the last ones end
//! u64, u64…      positions of imported modules
//! text, bytes    for each module: its kind and what it is made from; `_lib`, without bytes, is the library itself
//! ```
//! Texts, bytes and lists have their length before them, as `u64`.

use super::Module;
use super::load::Loaded;
use crate::abi::module as entry;
use crate::error::{Error, ErrorKind, Result};
use crate::registry::get_global_func;
use crate::value::{Any, AnyView};

/// The kind of the library itself.
const OWN: &str = "_lib";

/// Opens what a library carries; returns the module at the root, which is the library itself when it carries nothing.
pub(super) fn open(module: &Module, loaded: &Loaded) -> Result<Module> {
    match entry::bundle(loaded) {
        Some(bytes) => read(module, bytes),
        None => Ok(module.clone()),
    }
}

fn read(own: &Module, bytes: &[u8]) -> Result<Module> {
    let mut cursor = Cursor { bytes, at: 0 };
    let starts = cursor.numbers()?;
    let children = cursor.numbers()?;
    let count = starts.len().saturating_sub(1);
    let mut modules = Vec::new();
    for _ in 0..count {
        let at = cursor.at;
        let kind = String::from_utf8_lossy(cursor.bytes()?).into_owned();
        modules.push(match kind.as_str() {
            OWN => own.clone(),
            kind => make(kind, cursor.bytes()?).map_err(|error| error.at(place(at)))?,
        });
    }
    let fault = |what: String| {
        Error::new(
            ErrorKind::InvalidFile,
            format!("__tvm_ffi__library_bin: {what}"),
        )
    };
    for (position, module) in modules.iter().enumerate() {
        let (from, to) = (starts[position], starts[position + 1]);
        let imported = usize::try_from(from).ok().zip(usize::try_from(to).ok());
        let imported = imported.and_then(|(from, to)| children.get(from..to));
        let imported = imported
            .ok_or_else(|| fault(format!("imports {from} to {to} of {}", children.len())))?;
        for child in imported {
            let child = usize::try_from(*child)
                .ok()
                .and_then(|child| modules.get(child));
            let child =
                child.ok_or_else(|| fault(format!("an import is none of the {count} modules")))?;
            module.import_module(child)?;
        }
    }
    modules
        .into_iter()
        .next()
        .ok_or_else(|| fault("there is no module in it".to_owned()))
}

/// A module of another kind, by the function that is registered for that.
fn make(kind: &str, bytes: &[u8]) -> Result<Module> {
    let name = format!("ffi.Module.load_from_bytes.{kind}");
    let Some(function) = get_global_func(&name, true)? else {
        let message = format!(
            "the library carries a module of kind `{kind}`, and there is no function `{name}` to load it"
        );
        return Err(Error::new(ErrorKind::RuntimeError, message));
    };
    let made = function.call(&[Any::bytes(bytes)])?;
    let view: AnyView<'_> = made.view();
    match crate::abi::class::read::<Module>(view) {
        Some(module) => Ok(module.clone()),
        None => {
            let message = format!("`{name}` returned {}, a module wanted", view.type_name());
            Err(Error::new(ErrorKind::TypeError, message))
        }
    }
}

fn place(at: usize) -> String {
    format!("__tvm_ffi__library_bin: byte {at}")
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(length);
        let found = end.and_then(|end| self.bytes.get(self.at..end));
        let found = found.ok_or_else(|| {
            let message = format!(
                "{length} bytes wanted, there are {}",
                self.bytes.len() - self.at
            );
            Error::new(ErrorKind::InvalidFile, message).at(place(self.at))
        })?;
        self.at += length;
        Ok(found)
    }

    fn number(&mut self) -> Result<u64> {
        let bytes = self.take(8)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn length(&mut self) -> Result<usize> {
        Ok(usize::try_from(self.number()?).unwrap_or(usize::MAX))
    }

    fn bytes(&mut self) -> Result<&'a [u8]> {
        let length = self.length()?;
        self.take(length)
    }

    fn numbers(&mut self) -> Result<Vec<u64>> {
        let count = self.length()?;
        let bytes = self.take(count.saturating_mul(8))?;
        let mut numbers = Cursor { bytes, at: 0 };
        (0..count).map(|_| numbers.number()).collect()
    }
}
