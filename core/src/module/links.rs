//! What a module imports, and what its code found there.
//!
//! Code of a module asks for a function of its imports by the address that it finds in `__tvm_ffi__library_ctx`: that of an
//! object which holds these links. It stays as long as the module's code does.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::Module;
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::registry::get_global_func;
use crate::value::{Any, IntoAny};

/// The imports of a module.
#[derive(Clone, Default)]
pub struct Links(Arc<Inner>);

crate::class!(Links, "tenspan.ModuleLinks");

#[derive(Default)]
struct Inner {
    imports: RwLock<Vec<Module>>,
    /// Functions that code of the module found: it keeps no reference itself.
    found: Mutex<HashMap<String, Function>>,
}

impl Links {
    /// The modules, in the order of their import.
    pub fn imports(&self) -> Vec<Module> {
        let imports = self.0.imports.read();
        imports.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds a module.
    pub(super) fn add(&self, module: &Module) {
        let imports = self.0.imports.write();
        imports
            .unwrap_or_else(PoisonError::into_inner)
            .push(module.clone());
    }

    /// Takes all modules out.
    pub(super) fn clear(&self) {
        let imports = self.0.imports.write();
        // Dropped after the lock.
        let _old = std::mem::take(&mut *imports.unwrap_or_else(PoisonError::into_inner));
    }

    /// The object whose address code of the module has.
    pub(super) fn object(&self) -> Any {
        self.clone().into_any()
    }

    /// A function for code of the module: of its imports, or of all functions by name.
    ///
    /// # Errors
    /// [`ErrorKind::ValueError`] when there is none.
    pub fn look_up(&self, name: &str) -> Result<Function> {
        let known = || self.0.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = known().get(name) {
            return Ok(function.clone());
        }
        let imported = self
            .imports()
            .iter()
            .find_map(|module| module.find(name, true));
        let function = match imported {
            Some(function) => function,
            None => get_global_func(name, true)?.ok_or_else(|| {
                let message = format!("no imported module has a function `{name}`, and none is registered by that name");
                Error::new(ErrorKind::ValueError, message)
            })?,
        };
        Ok(known().entry(name.to_owned()).or_insert(function).clone())
    }
}
