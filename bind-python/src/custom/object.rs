//! Classes of objects: what `tenspan/_object.py` is made of.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use tenspan::ErrorKind;
use tenspan::abi::types;
use tenspan::object::{FieldSpec, FieldType, Object, ObjectType};

use crate::bytes::object::{self, class, members};
use crate::container::Foreign;
use crate::error::{new_error, raised};
use crate::value::convert;

/// Makes a class stand for a type, and gives it the fields and methods of that. True when objects of the type had an automatic class before.
#[pyfunction]
fn _register(class: &Bound<'_, PyType>, key: &str) -> PyResult<bool> {
    let py = class.py();
    let of = ObjectType::of(key).map_err(raised)?;
    let known = class::registered(py, of.index());
    if let Some((other, false)) = &known
        && !other.is(class)
    {
        let message = format!(
            "the type `{key}` is registered already, for {}",
            other.repr()?
        );
        return Err(new_error(ErrorKind::ValueError, message));
    }
    members::install(class, of)?;
    class::register(class, of.index(), false);
    Ok(known.is_some_and(|(_, is_automatic)| is_automatic))
}

/// Sets what makes a class for a type that has none.
#[pyfunction]
fn _set_automatic(make: &Bound<'_, PyAny>) {
    class::set_automatic(make.py(), make.clone().unbind());
}

/// The key of the type that a class stands for, itself or by what it is derived from.
#[pyfunction]
fn _type_key(class: &Bound<'_, PyType>) -> Option<&'static str> {
    class::type_index(class.as_type_ptr())
        .and_then(ObjectType::from_index)
        .map(ObjectType::key)
}

/// The class that is registered for a type, if any.
#[pyfunction]
fn _registered<'py>(py: Python<'py>, key: &str) -> Option<Bound<'py, PyType>> {
    let of = ObjectType::of(key).ok()?;
    let (class, is_automatic) = class::registered(py, of.index())?;
    (!is_automatic).then_some(class)
}

/// Whether an object is of the type that a class stands for, whatever its class in Python.
#[pyfunction]
fn _is_instance(object: &Bound<'_, PyAny>, class: &Bound<'_, PyType>) -> bool {
    let wanted = class::type_index(class.as_type_ptr());
    let found = object::of(object.as_ptr(), object.get_type_ptr());
    match (wanted, found) {
        (Some(wanted), Some(found)) => types::is_a(found.type_index(), wanted),
        _ => false,
    }
}

/// Names, types, docs, bits and defaults of the fields of a type, those of its ancestors first.
#[pyfunction]
fn _fields<'py>(py: Python<'py>, key: &str) -> PyResult<Vec<Bound<'py, PyTuple>>> {
    let of = ObjectType::of(key).map_err(raised)?;
    let fields = of.fields().map(|field| {
        let info = field.info();
        (info.name(), info.doc(), info.flags, info.metadata()).into_pyobject(py)
    });
    fields.collect()
}

/// Writes a field, also one that is read-only.
#[pyfunction]
fn _put(object: &Bound<'_, PyAny>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let Some(held) = object::of(object.as_ptr(), object.get_type_ptr()) else {
        return Err(new_error(
            ErrorKind::TypeError,
            "an object with fields is wanted",
        ));
    };
    let of = Object::from_object(held.clone()).object_type();
    let field = of
        .field(name)
        .ok_or_else(|| raised(of.missing("field", name)))?;
    object::field::put(object.py(), object.as_ptr(), &field, value.as_ptr())
}

/// Makes an object of a class, or of the type of a key, from its fields.
#[pyfunction]
fn _rebuild<'py>(
    class: &Bound<'py, PyAny>,
    fields: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    object::rebuild(class, fields)
}

/// A field as Python describes it: name, type, docs, bits, default.
type Described<'py> = (String, String, String, i64, Option<(Bound<'py, PyAny>,)>);

/// Defines a type.
#[pyfunction]
fn _define(
    key: &str,
    parent: Option<&str>,
    doc: &str,
    fields: Vec<Described<'_>>,
    by_fields: bool,
) -> PyResult<()> {
    let mut definition = ObjectType::define(key).doc(doc);
    if let Some(parent) = parent {
        definition = definition.parent(ObjectType::of(parent).map_err(raised)?);
    }
    if by_fields {
        definition = definition.compared_by_fields();
    }
    for (name, of, doc, flags, default) in fields {
        let mut field = FieldSpec::new(name, FieldType::parse(&of).map_err(raised)?).doc(doc);
        if flags & types::flag::WRITABLE == 0 {
            field = field.read_only();
        }
        field = field.with(flags);
        if let Some((default,)) = default {
            let is_factory = flags & types::flag::DEFAULT_IS_FACTORY != 0;
            field = match convert::function(&default)?.filter(|_| is_factory) {
                Some(factory) => field.factory(&factory),
                None => field.default(convert::to_any(&default)?),
            };
        }
        definition = definition.field(field);
    }
    definition.finish().map(drop).map_err(raised)
}

/// Gives a type an attribute.
#[pyfunction]
fn _set_attribute(key: &str, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let of = ObjectType::of(key).map_err(raised)?;
    types::set_attribute(of.index(), name, convert::to_any(value)?).map_err(raised)
}

/// Adds the functions and the class to the module. They are not public, so `__all__` does not name them.
///
/// # Errors
/// None but of memory.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.setattr("_Object", object::base(module.py())?)?;
    module.setattr("_Foreign", module.py().get_type::<Foreign>())?;
    module.setattr("_register", wrap_pyfunction!(_register, module)?)?;
    module.setattr("_set_automatic", wrap_pyfunction!(_set_automatic, module)?)?;
    module.setattr("_type_key", wrap_pyfunction!(_type_key, module)?)?;
    module.setattr("_registered", wrap_pyfunction!(_registered, module)?)?;
    module.setattr("_is_instance", wrap_pyfunction!(_is_instance, module)?)?;
    module.setattr("_fields", wrap_pyfunction!(_fields, module)?)?;
    module.setattr("_put", wrap_pyfunction!(_put, module)?)?;
    module.setattr("_rebuild", wrap_pyfunction!(_rebuild, module)?)?;
    module.setattr("_set_attribute", wrap_pyfunction!(_set_attribute, module)?)?;
    module.setattr("_define", wrap_pyfunction!(_define, module)?)
}
