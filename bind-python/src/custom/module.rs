//! Modules in the manners of Python: functions as attributes, a call of the main one, and no pickling.

use std::hash::{DefaultHasher, Hash, Hasher};

use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::repr;
use crate::error::raised;
use crate::generated::Module;
use crate::value::object;

#[pymethods]
impl Module {
    /// A function by its name, where the class has nothing of that name itself. Its own functions are found faster the next time.
    fn __getattr__<'py>(slf: &Bound<'py, Self>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let (py, module) = (slf.py(), &slf.get().0);
        // What the interpreter asks every object for is no function of a module unless it says so.
        if name.starts_with("__") && !module.implements_function(name, true) {
            let message = format!("'Module' object has no attribute '{name}'");
            return Err(PyAttributeError::new_err(message));
        }
        let function = object(py, module.get_function(name, true).map_err(raised)?)?;
        if module.implements_function(name, false) {
            slf.setattr(name, &function)?;
        }
        Ok(function)
    }

    fn __dir__<'py>(slf: &Bound<'py, Self>) -> PyResult<Vec<String>> {
        let class = slf.get_type().into_any();
        let known = class.call_method0("mro")?.get_item(0)?;
        let mut names: Vec<String> = known.dir()?.extract()?;
        names.extend(slf.get().0.function_names());
        Ok(names)
    }

    /// Calls the function ``main`` of the module.
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let main = object(py, self.0.get_function("main", true).map_err(raised)?)?;
        main.call(args, kwargs)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let other = other.cast::<Module>();
        other.is_ok_and(|other| self.0.is(&other.get().0))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.address().hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let functions = repr::counted(self.0.len(), "function");
        let path = match self.0.path() {
            Some(path) => path.into_pyobject(py)?.repr()?.to_string(),
            None => self.0.kind().to_owned(),
        };
        Ok(format!("Module({path}, {functions})"))
    }

    fn __reduce__(&self) -> PyResult<()> {
        let message = format!(
            "{} cannot be pickled: load it again where it is needed",
            self.0
        );
        Err(PyTypeError::new_err(message))
    }
}
