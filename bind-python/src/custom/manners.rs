//! Context managers, pickling and texts of the other classes.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::repr;
use crate::generated::{Context, DType, File, Metadata};
use crate::value::to_python;

/// Most entries of a mapping that its text shows.
const SHOWN: usize = 8;

#[pymethods]
impl DType {
    fn __repr__(&self) -> String {
        format!("DType('{}')", self.0)
    }

    fn __str__(&self) -> String {
        self.0.name()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyAny>, (String,)) {
        (py.get_type::<DType>().into_any(), (self.0.name(),))
    }
}

#[pymethods]
impl File {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let path = self.0.path().into_pyobject(py)?.repr()?;
        Ok(format!(
            "File({path}, format={}, {})",
            self.0.format(),
            repr::counted(self.0.len(), "tensor")
        ))
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// Closes the file; tensors already taken stay valid.
    fn __exit__(
        &self,
        _exception: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) {
        self.0.close();
    }
}

#[pymethods]
impl Context {
    fn __repr__(&self) -> String {
        let (used, capacity) = (repr::size(self.0.used()), repr::size(self.0.capacity()));
        let planned = if self.0.no_alloc() { ", no_alloc" } else { "" };
        format!(
            "Context({used} of {capacity} used, {}{planned})",
            repr::counted(self.0.len(), "named tensor")
        )
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// Nothing to do: the memory goes with the last tensor in it.
    fn __exit__(
        &self,
        _exception: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) {
    }
}

#[pymethods]
impl Metadata {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let keys = self.0.keys();
        let mut shown = Vec::new();
        for key in keys.iter().take(SHOWN) {
            let text = match self.0.get(key).map_err(crate::error::raised)? {
                Some(value) => summary(&to_python(py, value.view())?)?,
                None => continue,
            };
            shown.push(format!(
                "{}: {text}",
                key.as_str().into_pyobject(py)?.repr()?
            ));
        }
        if keys.len() > SHOWN {
            shown.push(format!("... {} more", keys.len() - SHOWN));
        }
        Ok(format!("Metadata({{{}}})", shown.join(", ")))
    }

    /// Names and values, to be made again.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let items = slf.call_method0("items")?.try_iter()?;
        (
            py.get_type::<Metadata>(),
            PyTuple::empty(py),
            py.None(),
            py.None(),
            items,
        )
            .into_pyobject(py)
    }
}

/// A value in few letters: long lists and texts are cut.
fn summary(value: &Bound<'_, PyAny>) -> PyResult<String> {
    const LETTERS: usize = 60;
    if let Ok(list) = value.cast::<pyo3::types::PyList>()
        && list.len() > SHOWN
    {
        return Ok(format!("[{}]", repr::counted(list.len() as u64, "value")));
    }
    let text = value.repr()?.to_string();
    if text.chars().count() <= LETTERS {
        return Ok(text);
    }
    Ok(text
        .chars()
        .take(LETTERS - 3)
        .chain("...".chars())
        .collect())
}
