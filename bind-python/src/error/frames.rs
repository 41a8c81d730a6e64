//! The frames of an error that Python raised, for other languages: those of Python, and between them those of the other languages that it
//! passed on its way.
//!
//! An exception knows the functions of Python that it left. What it passed before it came to Python again is noted on it, with the
//! place among its own frames.

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple, PyType};
use tenspan::error::Passed;

use super::Origin;

/// The attribute of an exception that holds what it passed.
const ATTRIBUTE: &str = "__tenspan_passed__";

/// What an exception passed in other languages, and the address of the first of its frames of Python then. It holds no object of Python.
#[derive(Clone)]
pub struct Passage {
    first: usize,
    passed: Passed,
}

/// All that an exception passed.
#[pyclass(frozen, module = "tenspan._tenspan")]
struct Passages(Vec<Passage>);

#[pymethods]
impl Passages {
    /// Copies and pickles of an exception are without.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        Ok((py.None().bind(py).get_type(), PyTuple::empty(py)))
    }
}

/// What an exception has passed before.
pub fn passed(exception: &Bound<'_, PyAny>) -> Vec<Passage> {
    let noted = exception.getattr_opt(pyo3::intern!(exception.py(), ATTRIBUTE));
    let noted = noted.ok().flatten();
    let noted = noted
        .as_ref()
        .and_then(|noted| noted.cast::<Passages>().ok());
    noted.map_or_else(Vec::new, |noted| noted.get().0.clone())
}

/// Notes what an exception has passed since it left Python.
pub fn note(exception: &Bound<'_, PyAny>, origin: &Origin, passed: Passed) {
    let first = origin
        .traceback
        .as_ref()
        .map_or(0, |first| first.as_ptr() as usize);
    let mut all = origin.passed.clone();
    all.push(Passage { first, passed });
    // An exception without room for attributes tells less.
    let _ = exception.setattr(pyo3::intern!(exception.py(), ATTRIBUTE), Passages(all));
}

/// The frames of an exception as lines, most recent first.
pub fn text(origin: &tenspan::error::Origin) -> String {
    let Some(origin) = origin.downcast_ref::<Origin>() else {
        return String::new();
    };
    let blocks = Python::try_attach(|py| blocks(py, origin).unwrap_or_default());
    let mut blocks = blocks.unwrap_or_default();
    blocks.reverse();
    blocks.concat()
}

/// Frames of Python and what was passed between them, most recent last.
fn blocks(py: Python<'_>, origin: &Origin) -> PyResult<Vec<String>> {
    let mut blocks = Vec::new();
    let passed_at = |first: usize| {
        let there = origin
            .passed
            .iter()
            .rev()
            .filter(move |one| one.first == first);
        there.map(|one| one.passed.to_string())
    };
    let mut next = origin
        .traceback
        .as_ref()
        .map(|first| first.bind(py).clone());
    while let Some(entry) = next.filter(|entry| !entry.is_none()) {
        blocks.extend(passed_at(entry.as_ptr() as usize));
        let line: u64 = entry.getattr(pyo3::intern!(py, "tb_lineno"))?.extract()?;
        let frame = entry.getattr(pyo3::intern!(py, "tb_frame"))?;
        let code = frame.getattr(pyo3::intern!(py, "f_code"))?;
        let text = |name| {
            code.getattr(name)?
                .cast_into::<PyString>()
                .map_err(PyErr::from)
        };
        let file = text(pyo3::intern!(py, "co_filename"))?;
        let name = text(pyo3::intern!(py, "co_name"))?;
        let (file, name) = (file.to_string_lossy(), name.to_string_lossy());
        blocks.push(format!("  File \"{file}\", line {line}, in {name}\n"));
        next = Some(entry.getattr(pyo3::intern!(py, "tb_next"))?);
    }
    blocks.extend(passed_at(0));
    Ok(blocks)
}
