//! The containers that every language shares, as classes of Python: `Array` and `Shape` are sequences, `List` is one that changes;
//! `Map` is a mapping, `Dict` one that changes.
//!
//! Their items are values of core, which become objects when they are asked for. The same container is the same object of Python as
//! long as that lives.

use pyo3::prelude::*;
use pyo3::types::PyType;
use tenspan::abi::device_tensor;
use tenspan::abi::layout::index;
use tenspan::abi::object::ObjectRef;
use tenspan::value::Any;

use crate::bytes::identity;
use crate::value::wrap::remembered;

mod array;
mod dict;
mod iterate;
mod list;
mod map;
mod mapping;
mod position;
mod repr;
mod shape;
mod view;

pub use array::Array;
pub use dict::Dict;
pub use list::List;
pub use map::Map;
pub use shape::Shape;

/// A value that Python has no class for: it can be kept, compared and passed on.
#[pyclass(frozen, weakref, module = "tenspan._tenspan")]
pub struct Foreign(pub Any);

#[pymethods]
impl Foreign {
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let same = |other: &Bound<'_, Foreign>| tenspan::equal(self.0.view(), other.get().0.view());
        other.cast::<Foreign>().is_ok_and(same)
    }

    fn __hash__(&self) -> u64 {
        tenspan::value::hash(self.0.view())
    }

    fn __repr__(&self) -> String {
        let view = self.0.view();
        let device = view
            .object()
            .and_then(|object| device_tensor::device(&object));
        match device {
            Some(device) => format!("<tenspan.Object: a tensor in memory of {device}>"),
            None => format!("<tenspan.Object: {}>", view.type_name()),
        }
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        if let Some(object) = self.0.view().object() {
            identity::forget(&object, std::ptr::from_ref(self) as usize);
        }
    }
}

/// The object of a container.
///
/// # Errors
/// None but of memory.
pub fn wrap<'py>(py: Python<'py>, object: ObjectRef) -> PyResult<Bound<'py, PyAny>> {
    if let Some(known) = identity::find(py, &object) {
        return Ok(known);
    }
    macro_rules! made {
        ($class:ident) => {
            tenspan::$class::from_object(object.clone())
                .map(|container| remembered(py, &object, $class(container)))
        };
    }
    let made = match object.type_index() {
        index::ARRAY => made!(Array),
        index::LIST => made!(List),
        index::MAP => made!(Map),
        index::DICT => made!(Dict),
        index::SHAPE => made!(Shape),
        _ => None,
    };
    match made {
        Some(made) => made,
        None => remembered(py, &object, Foreign(Any::object(object.clone()))),
    }
}

/// Remembers a wrapper whose object somebody else gets hold of.
fn remember<T>(wrapper: &Bound<'_, T>, object: &ObjectRef)
where
    T: pyo3::PyClass<Frozen = pyo3::pyclass::boolean_struct::True> + Sync,
{
    if !identity::is_kept(object) {
        let value = std::ptr::from_ref(wrapper.get()) as usize;
        identity::keep(object, wrapper.as_any(), value);
    }
}

/// Whether an object is of one of the classes here.
pub fn is_ours(object: &Bound<'_, PyAny>) -> bool {
    crate::bytes::argument::owned(object).is_some_and(|value| value.view().object().is_some())
        && !object.is_instance_of::<pyo3::types::PyString>()
        && !object.is_instance_of::<pyo3::types::PyBytes>()
        || object.is_instance_of::<Foreign>()
}

/// The value that an object of no known class holds.
pub fn unknown(object: &Bound<'_, PyAny>) -> Option<Any> {
    object
        .cast::<Foreign>()
        .ok()
        .map(|object| object.get().0.clone())
}

/// The class of an object that is to be made again, for pickling.
fn class_of<'py, T: pyo3::PyTypeInfo>(py: Python<'py>) -> Bound<'py, PyType> {
    py.get_type::<T>()
}

/// Adds the classes to the module, and makes them count as what they are.
///
/// # Errors
/// None but of memory.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add_class::<Array>()?;
    module.add_class::<List>()?;
    module.add_class::<Map>()?;
    module.add_class::<Dict>()?;
    module.add_class::<Shape>()?;
    let parents = py.import("_collections_abc")?;
    let count_as = |class: Bound<'_, PyType>, parent: &str| {
        let parent = parents.getattr(parent)?;
        parent.call_method1("register", (class,)).map(drop)
    };
    count_as(py.get_type::<Array>(), "Sequence")?;
    count_as(py.get_type::<Shape>(), "Sequence")?;
    count_as(py.get_type::<List>(), "MutableSequence")?;
    crate::value::mapping::register::<Map>(py, false)?;
    crate::value::mapping::register::<Dict>(py, true)?;
    dict::take_back(py)?;
    view::register(py)
}
