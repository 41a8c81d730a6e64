//! Views of the keys, values and pairs of a mapping.

use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use tenspan::value::{Any, equal};

use super::iterate::{Items, Iterator};
use crate::error::raised;
use crate::value::convert;
use crate::value::wrap::wrap;

/// What is viewed.
#[derive(Clone)]
pub enum Mapping {
    /// A map, which never changes.
    Map(tenspan::Map),
    /// A dict, as it is at the time.
    Dict(tenspan::Dict),
}

impl Mapping {
    /// Keys and values in order, as they are now.
    pub fn pairs(&self) -> Vec<(Any, Any)> {
        match self {
            Mapping::Map(map) => map
                .iter()
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
            Mapping::Dict(dict) => dict.pairs(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Mapping::Map(map) => map.len() as usize,
            Mapping::Dict(dict) => dict.len() as usize,
        }
    }

    fn find(&self, key: &Any) -> PyResult<Option<Any>> {
        match self {
            Mapping::Map(map) => map.find(key.view()).map(Option::<&Any>::cloned),
            Mapping::Dict(dict) => dict.find(key.view()),
        }
        .map_err(raised)
    }

    fn object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Mapping::Map(map) => crate::value::wrap::object(py, map.clone()),
            Mapping::Dict(dict) => crate::value::wrap::object(py, dict.clone()),
        }
    }
}

/// Which part of a mapping.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// Keys.
    Keys,
    /// Values.
    Values,
    /// Pairs of key and value.
    Items,
}

/// A view of a mapping before its class is chosen.
pub struct View {
    mapping: Mapping,
    what: What,
}

impl View {
    /// A view of a part of a mapping.
    pub fn new(mapping: Mapping, what: What) -> Self {
        View { mapping, what }
    }

    fn iterate(&self) -> Items {
        let pairs = self.mapping.pairs();
        match self.what {
            What::Keys => Items::Values(pairs.into_iter().map(|(key, _)| key).collect()),
            What::Values => Items::Values(pairs.into_iter().map(|(_, value)| value).collect()),
            What::Items => Items::Pairs(pairs),
        }
    }

    fn contains(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        match self.what {
            What::Keys => Ok(self.mapping.find(&convert::to_any(value)?)?.is_some()),
            What::Values => {
                let wanted = convert::to_any(value)?;
                let same = |(_, value): &(Any, Any)| equal(value.view(), wanted.view());
                Ok(self.mapping.pairs().iter().any(same))
            }
            What::Items => {
                let Ok(pair) = value.cast::<PyTuple>() else {
                    return Ok(false);
                };
                if pair.len() != 2 {
                    return Ok(false);
                }
                let (key, value) = (pair.get_item(0)?, pair.get_item(1)?);
                let (key, value) = (convert::to_any(&key)?, convert::to_any(&value)?);
                let found = self.mapping.find(&key)?;
                Ok(found.is_some_and(|found| equal(found.view(), value.view())))
            }
        }
    }

    fn text(&self, py: Python<'_>, class: &str) -> PyResult<String> {
        let object = |value: &Any| Ok::<_, PyErr>(wrap(py, value)?.repr()?.to_string());
        let texts = self.mapping.pairs();
        let texts = texts.iter().map(|(key, value)| {
            Ok::<_, PyErr>(match self.what {
                What::Keys => object(key)?,
                What::Values => object(value)?,
                What::Items => format!("({}, {})", object(key)?, object(value)?),
            })
        });
        Ok(format!(
            "{class}([{}])",
            texts.collect::<PyResult<Vec<_>>>()?.join(", ")
        ))
    }
}

impl<'py> IntoPyObject<'py> for View {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self.what {
            What::Keys => Bound::new(py, Keys(self))?.into_any(),
            What::Values => Bound::new(py, Values(self))?.into_any(),
            What::Items => Bound::new(py, Pairs(self))?.into_any(),
        })
    }
}

macro_rules! view {
    ($class:ident, $name:literal, $docs:literal) => {
        #[doc = $docs]
        #[pyclass(frozen, module = "tenspan", name = $name)]
        pub struct $class(View);

        #[pymethods]
        impl $class {
            fn __len__(&self) -> usize {
                self.0.mapping.len()
            }

            fn __iter__(&self) -> Iterator {
                Iterator::forwards(self.0.iterate())
            }

            fn __reversed__(&self) -> Iterator {
                Iterator::backwards(self.0.iterate())
            }

            fn __contains__(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
                self.0.contains(value)
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                self.0.text(py, $name)
            }

            /// The mapping that is viewed.
            #[getter]
            fn mapping<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
                self.0.mapping.object(py)
            }
        }
    };
}

view!(Keys, "KeysView", "The keys of a mapping.");
view!(Values, "ValuesView", "The values of a mapping.");
view!(Pairs, "ItemsView", "Pairs of key and value of a mapping.");

/// Operations of sets that follow from those that a view has.
const OF_SETS: &[&str] = &[
    "__and__",
    "__rand__",
    "__or__",
    "__ror__",
    "__sub__",
    "__rsub__",
    "__xor__",
    "__rxor__",
    "__le__",
    "__lt__",
    "__ge__",
    "__gt__",
    "__eq__",
    "isdisjoint",
    "_from_iterable",
];

/// Makes the views count as such, and those of keys and of pairs sets.
///
/// # Errors
/// None of its own.
pub fn register(py: Python<'_>) -> PyResult<()> {
    let parents = py.import("_collections_abc")?;
    let count_as = |class: &Bound<'_, PyType>, parent: &str| {
        let parent = parents.getattr(parent)?;
        parent.call_method1("register", (class,)).map(drop)
    };
    for (class, parent) in [
        (py.get_type::<Keys>(), "KeysView"),
        (py.get_type::<Pairs>(), "ItemsView"),
    ] {
        count_as(&class, parent)?;
        let parent = parents.getattr(parent)?;
        for name in OF_SETS {
            class.setattr(*name, parent.getattr(*name)?)?;
        }
        class.setattr("__hash__", py.None())?;
    }
    count_as(&py.get_type::<Values>(), "ValuesView")
}
