//! Going through the items of a container, forwards or backwards.

use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tenspan::value::Any;

use crate::bytes::function::call::plain;
use crate::value::wrap::wrap;

/// What is gone through.
pub enum Items {
    /// An array, which never changes.
    Array(tenspan::Array),
    /// A list, as it is when an item is asked for.
    List(tenspan::List),
    /// Values as they were.
    Values(Vec<Any>),
    /// Keys and values as they were.
    Pairs(Vec<(Any, Any)>),
}

impl Items {
    fn len(&self) -> usize {
        match self {
            Items::Array(array) => array.items().len(),
            Items::List(list) => list.len() as usize,
            Items::Values(values) => values.len(),
            Items::Pairs(pairs) => pairs.len(),
        }
    }

    fn at<'py>(&self, py: Python<'py>, position: usize) -> PyResult<Option<Bound<'py, PyAny>>> {
        let object = |value: &Any| match plain(py, value.view()) {
            Some(made) => made,
            None => wrap(py, value),
        };
        match self {
            Items::Array(array) => array.items().get(position).map(object).transpose(),
            Items::Values(values) => values.get(position).map(object).transpose(),
            Items::List(list) => match list.at(position as u64) {
                Ok(value) => object(&value).map(Some),
                Err(_) => Ok(None),
            },
            Items::Pairs(pairs) => {
                let Some((key, value)) = pairs.get(position) else {
                    return Ok(None);
                };
                let pair = PyTuple::new(py, [object(key)?, object(value)?])?;
                Ok(Some(pair.into_any()))
            }
        }
    }
}

/// Goes through the items of a container.
#[pyclass(frozen, module = "tenspan", name = "Iterator")]
pub struct Iterator {
    items: Items,
    /// Items that were given; more than there are once the end was seen.
    given: AtomicUsize,
    /// Items there were at first, when it goes backwards.
    backwards_from: Option<usize>,
}

/// Says that the end was seen, which stays so.
const ENDED: usize = usize::MAX / 2;

impl Iterator {
    /// From the first item on.
    pub fn forwards(items: Items) -> Self {
        Iterator {
            items,
            given: AtomicUsize::new(0),
            backwards_from: None,
        }
    }

    /// From the last item on.
    pub fn backwards(items: Items) -> Self {
        Iterator {
            backwards_from: Some(items.len()),
            items,
            given: AtomicUsize::new(0),
        }
    }
}

#[pymethods]
impl Iterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let given = self.given.fetch_add(1, Ordering::Relaxed);
        let position = match self.backwards_from {
            None => Some(given),
            Some(from) => from.checked_sub(given + 1),
        };
        let found = match position.filter(|_| given < ENDED) {
            Some(position) => self.items.at(py, position)?,
            None => None,
        };
        if found.is_none() {
            self.given.store(ENDED, Ordering::Relaxed);
        }
        Ok(found)
    }

    fn __length_hint__(&self) -> usize {
        let all = self.backwards_from.unwrap_or_else(|| self.items.len());
        all.saturating_sub(self.given.load(Ordering::Relaxed))
    }
}
