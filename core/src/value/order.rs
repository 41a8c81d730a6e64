//! Which of two values comes first.
//!
//! Numbers are ordered with numbers of their kind, text and bytes by their bytes, sequences item by item. Objects are ordered by the
//! function that their type has for it ([`hooks`]), or by their fields when they are compared by these.

use std::cmp::Ordering;

use super::{AnyView, Kind};
use crate::abi::types;
use crate::error::{Error, ErrorKind, Result};
use crate::object::{compared, hooks};

/// Sequences and objects inside of one another.
const DEEPEST: usize = 200;

/// Which of two values comes first.
///
/// # Errors
/// [`ErrorKind::TypeError`] for values that have no order: those of different kinds, NaN, mappings; [`ErrorKind::ValueError`] for values that are
/// nested too deep; and what a function of a type raises.
pub fn compare(a: AnyView<'_>, b: AnyView<'_>) -> Result<Ordering> {
    compare_at(a, b, 0)
}

fn compare_at(a: AnyView<'_>, b: AnyView<'_>, depth: usize) -> Result<Ordering> {
    if depth > DEEPEST {
        let message = format!("values to order are nested more than {DEEPEST} deep");
        return Err(Error::new(ErrorKind::ValueError, message));
    }
    let (left, right) = (a.kind(), b.kind());
    if let (Some(left), Some(right)) = (super::equal::items(&left), super::equal::items(&right)) {
        return in_turn(&left, &right, depth);
    }
    let known = match (&left, &right) {
        (Kind::None, Kind::None) => Some(Ordering::Equal),
        (Kind::Bool(a), Kind::Bool(b)) => Some(a.cmp(b)),
        (Kind::Int(a), Kind::Int(b)) => Some(a.cmp(b)),
        (Kind::BigInt(a), Kind::BigInt(b)) if a == b => Some(Ordering::Equal),
        (Kind::Float(a), Kind::Float(b)) => a.partial_cmp(b),
        (Kind::Str(a), Kind::Str(b)) => Some(a.cmp(b)),
        (Kind::Bytes(a), Kind::Bytes(b)) => Some(a.cmp(b)),
        (Kind::Shape(a), Kind::Shape(b)) => Some(a.cmp(b)),
        (Kind::Other(of), Kind::Other(other)) if of == other => return objects(a, b, depth),
        _ => None,
    };
    known.ok_or_else(|| no_order(a, b))
}

fn objects(a: AnyView<'_>, b: AnyView<'_>, depth: usize) -> Result<Ordering> {
    let (Some(left), Some(right)) = (a.object(), b.object()) else {
        return Err(no_order(a, b));
    };
    if let Some(known) = hooks::ordered(&left, &right)? {
        return Ok(known);
    }
    match (compared(&left), compared(&right)) {
        (Some(left), Some(right)) => in_turn(&left, &right, depth),
        _ => Err(no_order(a, b)),
    }
}

fn in_turn(left: &[super::Any], right: &[super::Any], depth: usize) -> Result<Ordering> {
    for (a, b) in left.iter().zip(right) {
        let order = compare_at(a.view(), b.view(), depth + 1)?;
        if order.is_ne() {
            return Ok(order);
        }
    }
    Ok(left.len().cmp(&right.len()))
}

fn no_order(a: AnyView<'_>, b: AnyView<'_>) -> Error {
    let name = |value: AnyView<'_>| types::key(value.type_index());
    let message = format!("{} and {} have no order", name(a), name(b));
    Error::new(ErrorKind::TypeError, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Any, IntoAny};

    fn order(a: &Any, b: &Any) -> Result<Ordering> {
        compare(a.view(), b.view())
    }

    #[test]
    fn values_of_a_kind_are_ordered_and_others_refused() {
        let text = |text: &str| Any::string(text);
        assert_eq!(order(&Any::int(1), &Any::int(2)).unwrap(), Ordering::Less);
        assert_eq!(
            order(&text("a text of some length"), &text("a")).unwrap(),
            Ordering::Greater
        );
        let rows = [vec![1i64, 2], vec![1, 2, 0]].map(IntoAny::into_any);
        assert_eq!(order(&rows[0], &rows[1]).unwrap(), Ordering::Less);
        for (a, b) in [
            (Any::int(1), Any::float(1.0)),
            (Any::float(f64::NAN), Any::float(1.0)),
            (rows[0].clone(), Any::int(1)),
        ] {
            assert_eq!(order(&a, &b).unwrap_err().kind(), ErrorKind::TypeError);
        }
    }

    #[test]
    fn what_is_nested_too_deep_is_refused() {
        let deep = || (0..1000).fold(Any::NONE, |inner, _| Any::array(vec![inner]));
        assert_eq!(
            order(&deep(), &deep()).unwrap_err().kind(),
            ErrorKind::ValueError
        );
    }
}
