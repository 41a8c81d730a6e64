//! A compiled module as the bytes of its file, adjusted so that it finds the functions of this copy of tenspan and of nobody else.
//!
//! Modules are built against `libtvm_ffi.so` and its `TVMFFI…` functions. Others may have that library in the process too, so nothing of
//! ours has these names; instead [`adjust`] gives the copy of the module that is opened other names of the same length. It
//! also makes local what the dynamic linker would share between two copies of a module: symbols that are unique in the process,
//! and weak definitions of the public headers.
//!
//! Each offset is checked before it is followed: [`elf`] reads, [`format`](self::format) tells what a file is that is no module,
//! and [`made`] writes the small libraries that stand beside the image.

pub mod elf;
pub mod format;
pub mod made;
pub mod symbol;
#[cfg(test)]
mod tests;

use crate::error::{Error, ErrorKind, Result};
use elf::{Dynamic, Elf, dynamic_tag};
use symbol::Symbol;

/// The library that modules are linked with.
pub const PUBLIC_LIBRARY: &str = "libtvm_ffi.so";
/// What the names of its functions begin with.
pub const PUBLIC_PREFIX: &str = "TVMFFI";
/// What the names of a module's own functions begin with.
pub const EXPORT_PREFIX: &str = "__tvm_ffi_";

/// The function that gets all functions of the runtime handed in, in modules that want it so.
pub const INIT: &str = "__tenspan_init";

/// Other names for the library and its functions, of the same length each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// In the place of [`PUBLIC_LIBRARY`].
    pub library: String,
    /// In the place of [`PUBLIC_PREFIX`].
    pub prefix: String,
}

impl Names {
    /// The names that modules are built with.
    pub fn public() -> Self {
        Names {
            library: PUBLIC_LIBRARY.to_owned(),
            prefix: PUBLIC_PREFIX.to_owned(),
        }
    }
}

/// A function that a module takes from the runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Its name without the prefix, such as `ErrorSetRaised`.
    pub name: String,
    /// Whether the module also does without.
    pub is_weak: bool,
}

/// Where the dynamic linker stores the address of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Its place in the image when that begins at address 0.
    pub address: u64,
    /// Which of [`Image::imports`].
    pub import: usize,
}

/// What a module is, and its bytes.
#[derive(Debug)]
pub struct Image {
    /// The file, adjusted.
    pub bytes: Vec<u8>,
    /// Functions of the runtime that the module uses.
    pub imports: Vec<Import>,
    /// Where their addresses go.
    pub slots: Vec<Slot>,
    /// Whether the module names the library that has them.
    pub is_linked: bool,
    /// Other libraries that the module needs.
    pub needed: Vec<String>,
    /// Folders in which it wants them looked for; may hold `$ORIGIN`.
    pub folders: Vec<String>,
    /// The names of what it exports for a runtime.
    pub exports: Vec<String>,
}

impl Image {
    /// Whether the module exports a symbol.
    pub fn exports(&self, name: &str) -> bool {
        self.exports.iter().any(|known| known == name)
    }

    /// The names of the functions that the module has for others, sorted.
    pub fn functions(&self) -> Vec<String> {
        let special = |name: &str| {
            ["_metadata_", "_doc_", "_library_"]
                .iter()
                .any(|kind| name.starts_with(kind))
        };
        let names = self
            .exports
            .iter()
            .filter_map(|name| name.strip_prefix(EXPORT_PREFIX));
        let mut names: Vec<String> = names
            .filter(|name| !name.is_empty() && !special(name))
            .map(str::to_owned)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether the module uses a function of the runtime and cannot do without.
    pub fn needs_runtime(&self) -> bool {
        self.imports.iter().any(|import| !import.is_weak)
    }
}

/// Reads a module and gives its library and functions other names.
///
/// # Errors
/// [`ErrorKind::InvalidFile`] with the offset when the file is no module or breaks the rules of its format;
/// [`ErrorKind::RuntimeError`] when it needs more of the public library than its C functions.
pub fn adjust(mut bytes: Vec<u8>, names: &Names) -> Result<Image> {
    debug_assert!(
        names.library.len() == PUBLIC_LIBRARY.len() && names.prefix.len() == PUBLIC_PREFIX.len()
    );
    format::check(&bytes)?;
    let elf = Elf::read(&bytes)?;
    let symbols = elf.symbols()?;
    refuse_library_users(&symbols)?;
    let found = Found::new(&elf, &symbols)?;
    let edits = found.edits(&symbols, names)?;
    let image = Image {
        imports: found.imports,
        slots: found.slots,
        is_linked: found.library.is_some(),
        needed: found.needed,
        folders: found.folders,
        exports: exports(&symbols),
        bytes: Vec::new(),
    };
    for (at, new) in edits {
        if let Some(place) = bytes.get_mut(at..at + new.len()) {
            place.copy_from_slice(&new);
        }
    }
    Ok(Image { bytes, ..image })
}

fn exports(symbols: &[Symbol<'_>]) -> Vec<String> {
    let visible = symbols.iter().filter(|symbol| symbol.is_exported());
    let names = visible.filter_map(|symbol| std::str::from_utf8(symbol.name).ok());
    let known = names.filter(|name| name.starts_with(EXPORT_PREFIX) || *name == INIT);
    known.map(str::to_owned).collect()
}

/// Modules built with the headers in `tvm/ffi/extra` call C++ functions and use classes of the public library itself.
fn refuse_library_users(symbols: &[Symbol<'_>]) -> Result<()> {
    let of_library = |symbol: &&Symbol<'_>| {
        let starts = [
            "_ZN3tvm3ffi",
            "_ZNK3tvm3ffi",
            "_ZTIN3tvm3ffi",
            "_ZTVN3tvm3ffi",
            "_ZTSN3tvm3ffi",
        ];
        symbol.is_undefined()
            && !symbol.is_weak()
            && starts
                .iter()
                .any(|start| symbol.name.starts_with(start.as_bytes()))
    };
    let needed: Vec<_> = symbols.iter().filter(of_library).collect();
    let Some(first) = needed.first() else {
        return Ok(());
    };
    let count = needed.len();
    let symbols = if count == 1 { "symbol" } else { "symbols" };
    let message = format!(
        "the module needs {count} C++ {symbols} of {PUBLIC_LIBRARY} itself, the first of them `{}`; only its C functions are \
         offered here, so it must be built without the headers in tvm/ffi/extra",
        String::from_utf8_lossy(first.name)
    );
    Err(Error::new(ErrorKind::RuntimeError, message))
}

/// What of a module is to be changed or told.
struct Found {
    imports: Vec<Import>,
    /// Offsets of their names in the file.
    names: Vec<(usize, String)>,
    slots: Vec<Slot>,
    /// Offset of the name of the library.
    library: Option<usize>,
    needed: Vec<String>,
    folders: Vec<String>,
    /// Offsets of all other texts that the dynamic linker reads, and their lengths.
    others: Vec<(usize, usize)>,
}

impl Found {
    fn new(elf: &Elf<'_>, symbols: &[Symbol<'_>]) -> Result<Self> {
        let mut found = Found {
            imports: Vec::new(),
            names: Vec::new(),
            slots: Vec::new(),
            library: None,
            needed: Vec::new(),
            folders: Vec::new(),
            others: Vec::new(),
        };
        // Which import a symbol is, by its position.
        let mut import_of = vec![None; symbols.len()];
        for (position, symbol) in symbols.iter().enumerate() {
            let plain = symbol.name.strip_prefix(PUBLIC_PREFIX.as_bytes());
            let name = plain.and_then(|name| std::str::from_utf8(name).ok());
            match name.filter(|_| symbol.is_undefined()) {
                Some(name) => {
                    import_of[position] = Some(found.imports.len());
                    found.imports.push(Import {
                        name: name.to_owned(),
                        is_weak: symbol.is_weak(),
                    });
                    found.names.push((symbol.name_at, name.to_owned()));
                }
                None => found.others.push((symbol.name_at, symbol.name.len())),
            }
        }
        for Dynamic { tag, value } in elf.dynamic() {
            match *tag {
                dynamic_tag::NEEDED => {
                    let (at, name) = elf.text(*value)?;
                    if name == PUBLIC_LIBRARY.as_bytes() {
                        found.library = Some(at);
                    } else {
                        found.others.push((at, name.len()));
                        found
                            .needed
                            .push(String::from_utf8_lossy(name).into_owned());
                    }
                }
                dynamic_tag::RPATH | dynamic_tag::RUNPATH => {
                    let (at, folders) = elf.text(*value)?;
                    found.others.push((at, folders.len()));
                    let folders = String::from_utf8_lossy(folders).into_owned();
                    let folders = folders.split(':').filter(|folder| !folder.is_empty());
                    found.folders.extend(folders.map(str::to_owned));
                }
                dynamic_tag::SONAME => {
                    let (at, name) = elf.text(*value)?;
                    found.others.push((at, name.len()));
                }
                _ => {}
            }
        }
        elf.relocations(|address, symbol| {
            if let Some(import) = import_of.get(symbol as usize).copied().flatten() {
                found.slots.push(Slot { address, import });
            }
        })?;
        Ok(found)
    }

    /// What to write where.
    fn edits(&self, symbols: &[Symbol<'_>], names: &Names) -> Result<Vec<(usize, Vec<u8>)>> {
        let mut edits = Vec::new();
        for (at, name) in &self.names {
            self.check_alone(*at, PUBLIC_PREFIX.len(), name)?;
            edits.push((*at, names.prefix.clone().into_bytes()));
        }
        if let Some(at) = self.library {
            self.check_alone(at, PUBLIC_LIBRARY.len(), PUBLIC_LIBRARY)?;
            edits.push((at, names.library.clone().into_bytes()));
        }
        for symbol in symbols.iter().filter(|symbol| !symbol.is_undefined()) {
            if symbol.is_unique() {
                edits.push((symbol.at + self::symbol::INFO, vec![symbol.as_weak()]));
                edits.push((symbol.at + self::symbol::OTHER, vec![symbol.as_hidden()]));
            } else if symbol.is_weak() && symbol.holds(b"N3tvm3ffi") {
                edits.push((symbol.at + self::symbol::OTHER, vec![symbol.as_hidden()]));
            }
        }
        Ok(edits)
    }

    /// Linkers let a text be the end of a longer one; a name that is changed must not be part of another.
    fn check_alone(&self, at: usize, length: usize, name: &str) -> Result<()> {
        let shared = |(other, size): &&(usize, usize)| *other < at + length && at < other + size;
        match self.others.iter().find(shared) {
            None => Ok(()),
            Some((other, _)) => Err(elf::fault(
                *other,
                &format!(
                    "the name `{name}` shares its bytes with another one, so it cannot be changed"
                ),
            )),
        }
    }
}
