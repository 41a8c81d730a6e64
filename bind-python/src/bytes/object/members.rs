//! Fields and methods of a type, put into a class.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use tenspan::object::{Method, ObjectType};

use super::super::function;
use super::{class, field};

/// Puts the fields and methods of a type into a class, those of ancestors too that no class it is derived from stands for. What the class
/// has of its own stays.
///
/// # Errors
/// None but of memory.
pub fn install(class: &Bound<'_, PyType>, of: ObjectType) -> PyResult<()> {
    let own = class.getattr("__dict__")?;
    let inherited = inherited(class)?;
    let has = |name: &str| own.contains(name);
    for field in of.fields() {
        let name = field.info().name();
        if inherited.contains(&field.owner().type_index) || has(name)? {
            continue;
        }
        class.setattr(name, field::attribute(class, field)?)?;
    }
    let mut seen: Vec<&str> = Vec::new();
    for method in of.methods() {
        let name = method.info().name();
        let is_hidden = name.starts_with("__ffi_") || seen.contains(&name);
        if is_hidden || inherited.contains(&method.owner().type_index) || has(name)? {
            continue;
        }
        seen.push(name);
        if let Some(made) = attribute(class.py(), method)? {
            class.setattr(name, made)?;
        }
    }
    Ok(())
}

/// The types that the classes stand for which a class is derived from.
fn inherited(class: &Bound<'_, PyType>) -> PyResult<Vec<i32>> {
    let mut found = Vec::new();
    for base in class.mro().iter().skip(1) {
        let base = base.cast_into::<PyType>()?;
        let of = class::type_index(base.as_type_ptr()).and_then(ObjectType::from_index);
        let mut of = of;
        while let Some(known) = of {
            found.push(known.index());
            of = known.parent();
        }
    }
    Ok(found)
}

/// The attribute of a class for a method.
fn attribute<'py>(py: Python<'py>, method: Method) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(behind) = method.function() else {
        return Ok(None);
    };
    let info = method.info();
    let made = if info.is_static() {
        function::wrap(py, behind.object())?
    } else {
        function::method(py, behind.object())?
    };
    if !info.is_static() {
        let attributes = made.getattr("__dict__")?.cast_into::<PyDict>()?;
        attributes.set_item("__doc__", PyString::new(py, info.doc()))?;
    }
    Ok(Some(made))
}
