//! The global registry: functions by name, shared by all languages of the process.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use crate::abi::guest;
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;

static FUNCTIONS: RwLock<BTreeMap<String, Entry>> = RwLock::new(BTreeMap::new());

struct Entry {
    function: Function,
    description: Description,
}

/// What whoever registered a function says of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Description {
    /// What it does.
    pub doc: String,
    /// JSON that says more, such as its type.
    pub metadata: String,
}

/// The function of a name; `None` for a missing one when `allow_missing`.
///
/// # Errors
/// [`ErrorKind::ValueError`] for a missing one otherwise, with the nearest name there is.
pub fn get_global_func(name: &str, allow_missing: bool) -> Result<Option<Function>> {
    if let Some(found) = guest::global(name) {
        let missing = || {
            let message = format!("there is no global function `{name}`");
            Error::new(ErrorKind::ValueError, message)
        };
        return match found? {
            None if !allow_missing => Err(missing()),
            found => Ok(found),
        };
    }
    let functions = FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner);
    match functions.get(name) {
        Some(entry) => Ok(Some(entry.function.clone())),
        None if allow_missing => Ok(None),
        None => {
            let names = functions.keys().map(String::as_str);
            let missing = Error::missing_key("global function", name, names);
            Err(Error::new(ErrorKind::ValueError, missing.message()))
        }
    }
}

/// Registers a function under a name, for all languages.
///
/// # Errors
/// [`ErrorKind::RuntimeError`] when the name is taken and `override_` is not given; [`ErrorKind::ValueError`] for an empty name.
pub fn register_global_func(name: &str, function: &Function, override_: bool) -> Result<()> {
    register_described(name, function, Description::default(), override_)
}

/// As [`register_global_func`], with what is known of the function.
///
/// # Errors
/// As [`register_global_func`].
pub fn register_described(
    name: &str,
    function: &Function,
    description: Description,
    override_: bool,
) -> Result<()> {
    if name.is_empty() {
        let message = "a global function needs a name, found an empty one";
        return Err(Error::new(ErrorKind::ValueError, message));
    }
    if let Some(done) = guest::set_global(name, function, override_) {
        return done;
    }
    // What was there before is dropped after the lock: that may run anybody's code.
    let _old = {
        let mut functions = FUNCTIONS.write().unwrap_or_else(PoisonError::into_inner);
        if !override_ && functions.contains_key(name) {
            let message = format!(
                "the global function `{name}` is registered already; `override` replaces it"
            );
            return Err(Error::new(ErrorKind::RuntimeError, message));
        }
        let entry = Entry {
            function: function.clone(),
            description,
        };
        functions.insert(name.to_owned(), entry)
    };
    Ok(())
}

/// Takes a function out of the registry; false when there was none. Who holds the function may still call it.
pub fn remove_global_func(name: &str) -> bool {
    let removed = {
        let mut functions = FUNCTIONS.write().unwrap_or_else(PoisonError::into_inner);
        functions.remove(name)
    };
    removed.is_some()
}

/// What is known of the function of a name.
pub fn describe(name: &str) -> Option<Description> {
    let functions = FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner);
    functions.get(name).map(|entry| entry.description.clone())
}

/// The names of all functions, sorted.
pub fn list_global_func_names() -> Vec<String> {
    let functions = FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner);
    functions.keys().cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Any, Kind};

    #[test]
    fn a_name_is_taken_until_it_is_removed_or_replaced() {
        let number = |n: i64| Function::new(move |_| Ok(Any::int(n.into())));
        let call = || match get_global_func("test.registry", false)?.map(|f| f.call(&[])) {
            Some(Ok(value)) => Ok(match value.kind() {
                Kind::Int(n) => n,
                _ => -1,
            }),
            _ => Ok::<_, Error>(-2),
        };
        register_global_func("test.registry", &number(1), false).unwrap();
        let taken = register_global_func("test.registry", &number(2), false).unwrap_err();
        assert_eq!(taken.kind(), ErrorKind::RuntimeError);
        assert_eq!(call().unwrap(), 1);
        register_global_func("test.registry", &number(2), true).unwrap();
        assert_eq!(call().unwrap(), 2);
        assert!(list_global_func_names().contains(&"test.registry".to_owned()));
        let near = get_global_func("test.registri", false).err().unwrap();
        assert!(
            near.message().contains("did you mean `test.registry`?"),
            "{near}"
        );
        assert!(remove_global_func("test.registry") && !remove_global_func("test.registry"));
        assert!(get_global_func("test.registry", true).unwrap().is_none());
        assert_eq!(call().unwrap_err().kind(), ErrorKind::ValueError);
    }
}
