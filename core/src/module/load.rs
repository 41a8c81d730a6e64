//! A module's way into the process: its image is opened beside a library that has the functions of this copy of tenspan, and
//! then it is looked whether the two found each other.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::image::made::Library as Made;
use super::image::{self, INIT, Image, Names};
use super::runtime;
use crate::abi::library::{self, Library, Medium, Symbol};
use crate::abi::loading;
use crate::error::{Error, ErrorKind, Result, nearest};
use crate::value::Any;

/// A module whose code is in the process.
pub struct Loaded {
    /// The module itself.
    library: Library,
    /// What was opened for it and has to stay as long.
    beside: Vec<Library>,
    /// Names of its functions, sorted.
    pub functions: Vec<String>,
    /// All symbols that it exports for a runtime.
    exports: Vec<String>,
    /// What its code knows the module by.
    pub links: OnceLock<Any>,
    /// Whether it has a part in what outlives it: types or functions registered under a name.
    pub registers: bool,
}

impl Loaded {
    /// A symbol that the module exports itself, for a runtime.
    pub fn symbol(&self, name: &str) -> Option<Symbol> {
        let is_own = self.exports.iter().any(|known| known == name);
        is_own.then(|| self.variable(name)).flatten()
    }

    /// A symbol of the module, or of a library that it needs.
    pub fn variable(&self, name: &str) -> Option<Symbol> {
        self.library.symbol(name)
    }
}

/// Reads a file, and says what stands in the way.
fn read(path: &str) -> Result<Vec<u8>> {
    let failed = |what: String| Error::new(ErrorKind::OSError, format!("{path}: {what}"));
    let status = match std::fs::metadata(path) {
        Ok(status) => status,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(failed(format!("there is no such file{}", near(path))));
        }
        Err(error) => return Err(failed(format!("the file cannot be read: {error}"))),
    };
    if status.is_dir() {
        return Err(failed("it is a folder, a module is a file".to_owned()));
    }
    if !status.is_file() {
        return Err(failed("it is not a file".to_owned()));
    }
    std::fs::read(path).map_err(|error| failed(format!("the file cannot be read: {error}")))
}

/// A file of the same folder with a similar name.
fn near(path: &str) -> String {
    let path = Path::new(path);
    let (Some(folder), Some(name)) = (
        path.parent(),
        path.file_name().and_then(|name| name.to_str()),
    ) else {
        return String::new();
    };
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return format!("; there is no folder {} either", folder.display());
    };
    let names = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok());
    let names: Vec<String> = names.take(10_000).collect();
    match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    }
}

/// Opens a module as a private image.
///
/// # Errors
/// [`ErrorKind::OSError`] when the file cannot be read, [`ErrorKind::InvalidFile`] when it is no module, and
/// [`ErrorKind::RuntimeError`] when it needs what is not there.
pub(super) fn load(path: &str) -> Result<Loaded> {
    load_among(path, &Medium::ALL, &mut Vec::new())
}

/// As [`load`]; `open` are the libraries that are being opened already and need this one.
fn load_among(path: &str, media: &[Medium], open: &mut Vec<PathBuf>) -> Result<Loaded> {
    let names = own_names();
    provide(&names).map_err(|error| error.at(path))?;
    let image = image::adjust(read(path)?, &names).map_err(|error| error.at(path))?;
    check_imports(&image).map_err(|error| error.at(path))?;
    let beside = neighbours(path, &image, media, open)?;
    let title = Path::new(path)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or("module");
    let title = format!("tenspan:{title}");
    let refused = |why: String| {
        Error::new(
            ErrorKind::RuntimeError,
            format!("{path}: the module cannot be loaded: {why}"),
        )
    };
    let is_apart = image.needs_runtime() && !image.is_linked;
    let (opened, error) = loading::open(|| {
        library::open_bytes(&title, &image.bytes, media, |path| {
            if is_apart {
                let text = path.to_str().map_err(|error| error.to_string())?;
                tie(&[&names.library, text])?.keep();
                return Library::loaded(path);
            }
            Library::open(path)
        })
    });
    let library = opened.map_err(refused)?;
    let library = checked(library, error, &image).map_err(|error| error.at(path))?;
    Ok(loaded(library, beside, &image))
}

/// Opens the file of a module itself, for debuggers and for systems that forbid code without a file.
///
/// # Errors
/// As [`load`]; and [`ErrorKind::RuntimeError`] when another runtime of the process has taken the module.
pub(super) fn load_in_place(path: &str) -> Result<Loaded> {
    let names = Names::public();
    let image = image::adjust(read(path)?, &names).map_err(|error| error.at(path))?;
    check_imports(&image).map_err(|error| error.at(path))?;
    let refused = |why: String| {
        Error::new(
            ErrorKind::RuntimeError,
            format!("{path}: the module cannot be loaded: {why}"),
        )
    };
    provide(&names)?;
    let full = std::fs::canonicalize(path).map_err(|error| refused(error.to_string()))?;
    if image.needs_runtime() && !image.is_linked {
        let text = full
            .to_str()
            .ok_or_else(|| refused("its path is no text".to_owned()))?;
        tie(&[&names.library, text]).map_err(refused)?.keep();
    }
    let (opened, error) = loading::open(|| Library::open_path(&full));
    let library = opened.map_err(refused)?;
    let library = checked(library, error, &image).map_err(|error| error.at(path))?;
    Ok(loaded(library, Vec::new(), &image))
}

fn loaded(library: Library, beside: Vec<Library>, image: &Image) -> Loaded {
    // Calls by which something of the module gets into a table that outlives it. One that is handed a table may call them all.
    let registers = |name: &str| {
        let parts = [
            "Register",
            "SetGlobal",
            "TypeGetOrAllocIndex",
            "HandleInitOnce",
            "Allocator",
        ];
        parts.iter().any(|part| name.contains(part))
    };
    Loaded {
        library,
        beside,
        functions: image.functions(),
        exports: image.exports.clone(),
        links: OnceLock::new(),
        registers: image.imports.iter().any(|import| registers(&import.name))
            || image.exports(INIT),
    }
}

/// Refuses a library whose initialisers failed, or that found another runtime. What they registered stays, and with it the library.
fn checked(library: Library, error: Option<Error>, image: &Image) -> Result<Library> {
    let failed = error.map(|error| error.at("its initialisation"));
    match failed.map_or_else(|| check_slots(&library, image), Err) {
        Ok(()) => Ok(library),
        Err(error) => {
            library.keep();
            Err(error)
        }
    }
}

/// Whether all functions that a module wants are offered.
fn check_imports(image: &Image) -> Result<()> {
    let functions = runtime::functions();
    let offered = |name: &str| functions.iter().any(|(known, _)| *known == name);
    let missing = image
        .imports
        .iter()
        .find(|import| !import.is_weak && !offered(&import.name));
    let Some(missing) = missing else {
        return Ok(());
    };
    let (major, minor, patch) = runtime::VERSION;
    let message = format!(
        "the module was built for another version of the ABI: it needs `{}{}`, which version {major}.{minor}.{patch} does not have",
        image::PUBLIC_PREFIX,
        missing.name
    );
    Err(Error::new(ErrorKind::RuntimeError, message))
}

/// Names that no other library of the process has: another copy of tenspan gets others.
fn own_names() -> Names {
    static MARK: u8 = 0;
    let mut number = &raw const MARK as usize >> 4;
    let mut id = String::new();
    for _ in 0..4 {
        id.extend(char::from_digit((number % 36) as u32, 36));
        number /= 36;
    }
    Names {
        library: format!("libtns{id}.so"),
        prefix: format!("TN{}", id.to_uppercase()),
    }
}

/// Opens the library that has the functions of this copy of tenspan under these names, once.
fn provide(names: &Names) -> Result<()> {
    static OWN: OnceLock<std::result::Result<Library, String>> = OnceLock::new();
    static PUBLIC: OnceLock<std::result::Result<Library, String>> = OnceLock::new();
    let provider = if names.prefix == image::PUBLIC_PREFIX {
        &PUBLIC
    } else {
        &OWN
    };
    let opened = provider.get_or_init(|| {
        let functions = runtime::functions();
        let functions = functions
            .iter()
            .map(|(name, address)| (format!("{}{name}", names.prefix), *address));
        let functions: Vec<(String, u64)> = functions.collect();
        let made = Made {
            name: Some(&names.library),
            functions: &functions,
            ..Made::default()
        };
        library::open_bytes(
            &format!("tenspan:{}", names.library),
            &made.bytes(),
            &Medium::ALL,
            Library::open,
        )
    });
    match opened {
        Ok(_) => Ok(()),
        Err(why) => {
            let message = format!("the functions that modules use cannot be offered: {why}");
            Err(Error::new(ErrorKind::RuntimeError, message))
        }
    }
}

/// Opens libraries by way of another one that needs them: all that are opened together see each other's symbols.
fn tie(needed: &[&str]) -> std::result::Result<Library, String> {
    let made = Made {
        needed,
        ..Made::default()
    };
    library::open_bytes("tenspan:tie", &made.bytes(), &Medium::ALL, Library::open)
}

/// Opens the libraries that a module wants looked for where it lies itself: the image lies elsewhere.
fn neighbours(
    path: &str,
    image: &Image,
    media: &[Medium],
    open: &mut Vec<PathBuf>,
) -> Result<Vec<Library>> {
    let full = std::fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    let origin = full.parent().unwrap_or(Path::new(".")).to_string_lossy();
    open.push(full.clone());
    let mut opened = Vec::new();
    for name in &image.needed {
        let folders = image.folders.iter();
        let places = folders.map(|folder| {
            let folder = folder
                .replace("${ORIGIN}", &origin)
                .replace("$ORIGIN", &origin);
            Path::new(&folder).join(name)
        });
        let place = places.filter_map(|place| std::fs::canonicalize(place).ok());
        let Some(place) = place
            .into_iter()
            .find(|place| place.is_file() && !open.contains(place))
        else {
            continue;
        };
        let library = neighbour(&place, media, open)
            .map_err(|error| error.at(format!("{path}: needs {name}")))?;
        opened.push(library);
    }
    Ok(opened)
}

/// Opens a library that a module needs; one that uses the runtime itself is a module too.
fn neighbour(place: &Path, media: &[Medium], open: &mut Vec<PathBuf>) -> Result<Library> {
    let text = place.to_string_lossy();
    let image = image::adjust(read(&text)?, &own_names());
    if image.is_ok_and(|image| image.is_linked || !image.imports.is_empty()) {
        let loaded = load_among(&text, media, open)?;
        loaded.beside.into_iter().for_each(Library::keep);
        return Ok(loaded.library);
    }
    Library::open_path(place).map_err(|why| Error::new(ErrorKind::RuntimeError, why))
}

/// Whether each function that the module took is the one of this copy of tenspan.
fn check_slots(library: &Library, image: &Image) -> Result<()> {
    let functions = runtime::functions();
    for slot in &image.slots {
        let import = &image.imports[slot.import];
        let found = library.stored(slot.address);
        let own = functions.iter().find(|(name, _)| *name == import.name);
        let own = own.map(|(_, address)| *address);
        if found == own || import.is_weak && found == Some(0) {
            continue;
        }
        let place = found.and_then(library::path_of);
        let place = place.unwrap_or_else(|| "nowhere".to_owned());
        let message = format!(
            "the module uses `{}{}` of another runtime ({place}), which came first; without `inPlace` it is loaded apart from it",
            image::PUBLIC_PREFIX,
            import.name
        );
        return Err(Error::new(ErrorKind::RuntimeError, message));
    }
    Ok(())
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::abi::module::function;
    use crate::function::Signature;
    use crate::value::Kind;

    #[test]
    fn a_module_is_loaded_from_either_medium() {
        for name in ["gnu.so", "sysv.so", "apart.so"] {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/modules/");
            for medium in Medium::ALL {
                let loaded = load_among(&format!("{folder}{name}"), &[medium], &mut Vec::new());
                let loaded = loaded.unwrap();
                let add = function(
                    loaded.symbol("__tvm_ffi_add").unwrap(),
                    Signature::default(),
                );
                let sum = add.call(&[Any::int(2), Any::int(3)]).unwrap();
                assert!(matches!(sum.kind(), Kind::Int(5)), "{name}");
            }
        }
    }
}
