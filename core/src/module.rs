//! Compiled modules: shared libraries whose functions any language calls.
//!
//! A module is a library built by anyone against the public TVM FFI ABI, or with `<tenspan/kernel.hpp>`. What it exports as
//! `__tvm_ffi_<name>` is its function `name`. [`load_module`] opens a private [`image`] of the file, so that the module
//! finds the functions of this copy of tenspan whoever else is in the process; [`Module`] finds its functions.

mod bundle;
pub mod guard;
pub mod image;
pub mod links;
pub(crate) mod load;
mod once;
pub mod runtime;
pub mod system;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::abi::library::Symbol;
use crate::abi::module as entry;
use crate::error::{Error, ErrorKind, Result, nearest};
use crate::function::{Function, Signature};
use crate::generated::dictionaries::LoadModuleOptions;
use crate::value::{Any, Kind};
use image::EXPORT_PREFIX;
use links::Links;
use load::Loaded;

/// Before the name of a function, that of one that says what it is in words, and one that says its types.
const DOC: &str = "_doc_";
const METADATA: &str = "_metadata_";

/// A module: functions by name. Cloning counts a reference.
#[derive(Clone)]
pub struct Module(Arc<Inner>);

crate::class!(Module, "tenspan.Module");

struct Inner {
    source: Source,
    links: Links,
    /// Functions that were asked for, so that each is one object.
    known: Mutex<HashMap<String, Function>>,
}

enum Source {
    /// A library from a file.
    Library {
        path: String,
        loaded: Arc<Loaded>,
        /// Whether it never goes, so that its functions need not hold it.
        stays: bool,
    },
    /// What parts of the program registered themselves.
    System { prefix: String },
}

/// Loads a compiled module.
///
/// # Errors
/// [`ErrorKind::OSError`] when the file cannot be read; [`ErrorKind::InvalidFile`] with the offset when it is no module;
/// [`ErrorKind::RuntimeError`] when it needs what is not there, or was built for another version; and what its own
/// initialisation raises.
pub fn load_module(path: &str, options: &LoadModuleOptions) -> Result<Module> {
    let key = once::Key::of(path, options.in_place);
    let module = once::load(key, || load_new(path, options))?;
    if options.keep_alive {
        module.keep();
    }
    Ok(module)
}

/// Loads a module that is not there yet.
fn load_new(path: &str, options: &LoadModuleOptions) -> Result<Module> {
    let loaded = match options.in_place {
        true => load::load_in_place(path)?,
        false => load::load(path)?,
    };
    let loaded = Arc::new(loaded);
    let stays = options.keep_alive || loaded.registers;
    if stays {
        std::mem::forget(Arc::clone(&loaded));
    }
    let links = Links::default();
    entry::prepare(&loaded, loaded.links.get_or_init(|| links.object()));
    entry::initialise(&loaded).map_err(|error| error.at(path))?;
    let source = Source::Library {
        path: path.to_owned(),
        loaded: Arc::clone(&loaded),
        stays,
    };
    let module = Module::of(source, links);
    bundle::open(&module, &loaded).map_err(|error| error.at(path))
}

/// The module of the functions that parts of the program registered, those whose names begin with a prefix first. There is
/// one for each prefix.
pub fn system_lib(prefix: &str) -> Module {
    static MADE: Mutex<Vec<(String, Module)>> = Mutex::new(Vec::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, module)) = made.iter().find(|(known, _)| known == prefix) {
        return module.clone();
    }
    let source = Source::System {
        prefix: prefix.to_owned(),
    };
    let module = Module::of(source, Links::default());
    made.push((prefix.to_owned(), module.clone()));
    module
}

impl Module {
    fn of(source: Source, links: Links) -> Self {
        Module(Arc::new(Inner {
            source,
            links,
            known: Mutex::default(),
        }))
    }

    fn stays(&self) -> bool {
        matches!(self.0.source, Source::Library { stays: true, .. })
    }

    /// Leaves the code of the module in the process for ever.
    fn keep(&self) {
        if let Source::Library { loaded, .. } = &self.0.source {
            std::mem::forget(Arc::clone(loaded));
        }
    }

    /// What kind of module it is: `library` or `system_lib`.
    pub fn kind(&self) -> &'static str {
        match self.0.source {
            Source::Library { .. } => "library",
            Source::System { .. } => "system_lib",
        }
    }

    /// The path that it was loaded from.
    pub fn path(&self) -> Option<&str> {
        match &self.0.source {
            Source::Library { path, .. } => Some(path),
            Source::System { .. } => None,
        }
    }

    fn symbol(&self, name: &str) -> Option<Symbol> {
        match &self.0.source {
            Source::Library { loaded, .. } => loaded.symbol(&format!("{EXPORT_PREFIX}{name}")),
            Source::System { prefix } => system::find(prefix, name),
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, Function>> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A function of this module alone.
    fn own(&self, name: &str) -> Option<Function> {
        if let Some(function) = self.known().get(name) {
            return Some(function.clone());
        }
        let symbol = self.symbol(name)?;
        let signature = self.signature(name);
        let function = match &self.0.source {
            Source::Library {
                loaded,
                stays: false,
                ..
            } => guard::function(symbol, signature, loaded),
            _ => entry::function(symbol, signature),
        };
        let mut known = self.known();
        Some(known.entry(name.to_owned()).or_insert(function).clone())
    }

    /// What messages and calls by name need to know of a function.
    fn signature(&self, name: &str) -> Signature {
        Signature {
            name: name.to_owned(),
            parameters: self.parameters(name).unwrap_or_default(),
            ..Signature::default()
        }
    }

    /// The names of the parameters of a function, when they were built in.
    fn parameters(&self, name: &str) -> Option<Vec<String>> {
        let symbol = self.symbol(&format!("{METADATA}{name}"))?;
        let metadata = entry::function(symbol, Signature::default());
        let value = metadata.call(&[]).ok()?;
        let Kind::Str(text) = value.kind() else {
            return None;
        };
        let known: serde_json::Value = serde_json::from_str(text).ok()?;
        let names = known.get("arg_names")?.as_array()?.iter();
        names.map(|name| name.as_str().map(str::to_owned)).collect()
    }

    fn find(&self, name: &str, query_imports: bool) -> Option<Function> {
        if let Some(function) = self.own(name) {
            return Some(function);
        }
        let imports = if query_imports {
            self.imports()
        } else {
            Vec::new()
        };
        imports.iter().find_map(|module| module.find(name, true))
    }

    /// A function by its name, and with `query_imports` also of the modules that this one imports.
    ///
    /// # Errors
    /// [`ErrorKind::AttributeError`] when there is none, with the nearest name there is.
    pub fn get_function(&self, name: &str, query_imports: bool) -> Result<Function> {
        self.find(name, query_imports).ok_or_else(|| {
            let names = self.function_names();
            let hint = match nearest(name, names.iter().map(String::as_str)) {
                Some(near) => format!("; did you mean `{near}`?"),
                None => String::new(),
            };
            let message = format!("{self} has no function `{name}`{hint}");
            Error::new(ErrorKind::AttributeError, message)
        })
    }

    /// Whether there is such a function.
    pub fn implements_function(&self, name: &str, query_imports: bool) -> bool {
        let here = self.known().contains_key(name) || self.symbol(name).is_some();
        here || query_imports
            && self
                .imports()
                .iter()
                .any(|module| module.implements_function(name, true))
    }

    /// The names of its own functions, sorted.
    pub fn function_names(&self) -> Vec<String> {
        match &self.0.source {
            Source::Library { loaded, .. } => loaded.functions.clone(),
            Source::System { prefix } => system::names(prefix),
        }
    }

    /// What a function says of itself in words, when that was built in.
    ///
    /// # Errors
    /// [`ErrorKind::AttributeError`] when there is no such function.
    pub fn get_function_doc(&self, name: &str) -> Result<Option<String>> {
        self.text(DOC, name)
    }

    /// What a function says of its types, as JSON, when that was built in.
    ///
    /// # Errors
    /// [`ErrorKind::AttributeError`] when there is no such function.
    pub fn get_function_metadata(&self, name: &str) -> Result<Option<String>> {
        self.text(METADATA, name)
    }

    /// What a function beside that of `name` returns.
    fn text(&self, kind: &str, name: &str) -> Result<Option<String>> {
        if self.symbol(name).is_none() {
            let mut imports = self.imports().into_iter();
            if let Some(module) = imports.find(|module| module.implements_function(name, true)) {
                return module.text(kind, name);
            }
            self.get_function(name, false)?;
        }
        let Some(function) = self.own(&format!("{kind}{name}")) else {
            return Ok(None);
        };
        let value = function.call(&[])?;
        match value.kind() {
            Kind::Str(text) => Ok(Some(text.to_owned())),
            _ => Ok(None),
        }
    }

    /// The modules whose functions it uses and offers.
    pub fn imports(&self) -> Vec<Module> {
        self.0.links.imports()
    }

    /// Adds a module to those whose functions this one uses.
    ///
    /// # Errors
    /// [`ErrorKind::ValueError`] when that one imports this one, itself or through others.
    pub fn import_module(&self, module: &Module) -> Result<()> {
        // One at a time: two imports at once could close a circle.
        static ONE: Mutex<()> = Mutex::new(());
        let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        if module.reaches(self) {
            let message =
                format!("{module} cannot be imported by {self}: it imports that one itself");
            return Err(Error::new(ErrorKind::ValueError, message));
        }
        self.0.links.add(module);
        Ok(())
    }

    fn reaches(&self, other: &Module) -> bool {
        self.is(other) || self.imports().iter().any(|module| module.reaches(other))
    }

    /// Forgets the modules that it imports.
    pub fn clear_imports(&self) {
        self.0.links.clear();
    }

    /// Whether the two are one module.
    pub fn is(&self, other: &Module) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// A number that no other module has as long as this one is there.
    pub fn address(&self) -> u64 {
        Arc::as_ptr(&self.0) as u64
    }

    /// Calls the function `main`.
    ///
    /// # Errors
    /// [`ErrorKind::AttributeError`] when there is none, and what it raises.
    pub fn main(&self, args: &[Any]) -> Result<Any> {
        self.get_function("main", true)?.call(args)
    }

    /// Number of its own functions.
    pub fn len(&self) -> u64 {
        self.function_names().len() as u64
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As [`Module::function_names`].
    pub fn keys(&self) -> Vec<String> {
        self.function_names()
    }

    /// Whether there is such a function, here or in what it imports.
    pub fn has(&self, name: &str) -> bool {
        self.implements_function(name, true)
    }

    /// A function by its name, of this module or of those that it imports.
    ///
    /// # Errors
    /// None so far.
    pub fn get(&self, name: &str) -> Result<Option<Function>> {
        Ok(self.find(name, true))
    }
}

impl std::fmt::Display for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0.source {
            Source::Library { path, .. } => write!(f, "the module {path}"),
            Source::System { prefix } if prefix.is_empty() => f.write_str("the system library"),
            Source::System { prefix } => write!(f, "the system library with prefix `{prefix}`"),
        }
    }
}

impl std::fmt::Debug for Module {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
