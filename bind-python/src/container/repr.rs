//! Texts of containers: `Array([1, 'a'])`, `Map({'k': 1})`. One that holds itself ends in `...`.

use std::cell::RefCell;

use pyo3::prelude::*;
use tenspan::abi::object::ObjectRef;
use tenspan::value::Any;

use crate::value::wrap::wrap;

/// Containers inside containers that are written out.
const DEEPEST: usize = 50;

thread_local! {
    /// The containers that this thread is writing out, from the outermost inwards.
    static INSIDE: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Leaves a container when it goes.
struct Inside;

impl Drop for Inside {
    fn drop(&mut self) {
        let _ = INSIDE.try_with(|inside| inside.borrow_mut().pop());
    }
}

fn enter(object: &ObjectRef) -> Option<Inside> {
    let address = object.handle().as_ptr() as usize;
    INSIDE.with(|inside| {
        let mut inside = inside.borrow_mut();
        if inside.contains(&address) || inside.len() >= DEEPEST {
            return None;
        }
        inside.push(address);
        Some(Inside)
    })
}

fn text(py: Python<'_>, value: &Any) -> PyResult<String> {
    Ok(wrap(py, value)?.repr()?.to_string())
}

/// The text of a sequence.
///
/// # Errors
/// What the texts of its items raise.
pub fn sequence(
    py: Python<'_>,
    class: &str,
    object: &ObjectRef,
    items: &[Any],
) -> PyResult<String> {
    let Some(_inside) = enter(object) else {
        return Ok(format!("{class}([...])"));
    };
    let texts = items.iter().map(|item| text(py, item));
    let texts = texts.collect::<PyResult<Vec<_>>>()?;
    Ok(format!("{class}([{}])", texts.join(", ")))
}

/// The text of a mapping.
///
/// # Errors
/// As [`sequence`].
pub fn mapping(
    py: Python<'_>,
    class: &str,
    object: &ObjectRef,
    pairs: &[(Any, Any)],
) -> PyResult<String> {
    let Some(_inside) = enter(object) else {
        return Ok(format!("{class}({{...}})"));
    };
    let texts = pairs
        .iter()
        .map(|(key, value)| Ok(format!("{}: {}", text(py, key)?, text(py, value)?)));
    let texts = texts.collect::<PyResult<Vec<_>>>()?;
    Ok(format!("{class}({{{}}})", texts.join(", ")))
}
