//! Equality and hash of values by what they hold.
//!
//! An array equals a list with equal items, a map a dict with equal keys and values in any order. Numbers are equal when kind and
//! value are: 1, true and 1.0 differ. NaN equals itself. Tensors are equal when dtype, shape and elements are. Objects are compared by the
//! function that their type has for it ([`hooks`]), or by their fields when it says so; functions, errors and other objects are equal
//! when they are the same. Containers that hold themselves, and those nested millions deep, are compared without a deep stack.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Any, AnyView, Complex, Kind};
use crate::abi::class;
use crate::error::Result;
use crate::object::{by_fields, compared, hashed, hooks};

/// Whether two values are equal; they are not when a function of their type raises.
pub fn equal(a: AnyView<'_>, b: AnyView<'_>) -> bool {
    try_equal(a, b).unwrap_or(false)
}

/// As [`equal`].
///
/// # Errors
/// What a function of a type raises.
pub fn try_equal(a: AnyView<'_>, b: AnyView<'_>) -> Result<bool> {
    if let Some(known) = equal_plain(a, b) {
        return Ok(known);
    }
    let mut open = vec![(a.to_any(), b.to_any())];
    // Pairs that are compared already: if they differ, that is found out there.
    let mut seen = HashSet::new();
    while let Some((a, b)) = open.pop() {
        if let Some(known) = equal_plain(a.view(), b.view()) {
            if known {
                continue;
            }
            return Ok(false);
        }
        if !seen.insert((a.view().raw().payload, b.view().raw().payload)) {
            continue;
        }
        match (a.kind(), b.kind()) {
            (Kind::Tensor(a), Kind::Tensor(b)) => {
                // Elements that cannot be compared are not equal.
                if !a.equals(&b).unwrap_or(false) {
                    return Ok(false);
                }
            }
            (Kind::Other(a_type), Kind::Other(b_type)) => {
                if let (Some(a), Some(b)) = (a.view().object(), b.view().object())
                    && let Some(same) = hooks::equal(&a, &b)?
                {
                    if same {
                        continue;
                    }
                    return Ok(false);
                }
                let fields = |value: &Any| compared(&value.view().object()?);
                let (Some(a), Some(b)) = (fields(&a), fields(&b)) else {
                    return Ok(false);
                };
                if a_type != b_type || a.len() != b.len() {
                    return Ok(false);
                }
                open.extend(a.into_iter().zip(b));
            }
            (a, b) => {
                let paired = match (items(&a), items(&b)) {
                    (Some(a), Some(b)) => {
                        a.len() == b.len() && {
                            open.extend(a.into_iter().zip(b));
                            true
                        }
                    }
                    _ => pair_by_key(&a, &b, &mut open)?,
                };
                if !paired {
                    return Ok(false);
                }
            }
        }
    }
    Ok(true)
}

/// Adds the values of equal keys of two mappings to what is to be compared; false when the keys differ.
fn pair_by_key(a: &Kind<'_>, b: &Kind<'_>, open: &mut Vec<(Any, Any)>) -> Result<bool> {
    let (Some(left), Some(right)) = (entries(a), entries(b)) else {
        return Ok(false);
    };
    if left.len() != right.len() {
        return Ok(false);
    }
    for (key, value) in left {
        let found = match b {
            Kind::Map(map) => map.find(key.view())?.cloned(),
            Kind::Dict(dict) => dict.find(key.view())?,
            _ => None,
        };
        let Some(other) = found else {
            return Ok(false);
        };
        open.push((value, other));
    }
    Ok(true)
}

/// Whether two values are equal, where that needs no look into containers or tensors.
fn equal_plain(a: AnyView<'_>, b: AnyView<'_>) -> Option<bool> {
    Some(match (a.kind(), b.kind()) {
        (Kind::None, Kind::None) => true,
        (Kind::Bool(a), Kind::Bool(b)) => a == b,
        (Kind::Int(a), Kind::Int(b)) => a == b,
        (Kind::BigInt(a), Kind::BigInt(b)) => a == b,
        (Kind::Float(a), Kind::Float(b)) => a == b || a.is_nan() && b.is_nan(),
        (Kind::Pointer(a), Kind::Pointer(b)) => a == b,
        (Kind::DType(a), Kind::DType(b)) => a == b,
        (Kind::Device(a), Kind::Device(b)) => a == b,
        (Kind::Str(a), Kind::Str(b)) => a == b,
        (Kind::Bytes(a), Kind::Bytes(b)) => a == b,
        (Kind::Shape(a), Kind::Shape(b)) => a == b,
        (a_kind, b_kind) => {
            if let (Some(a), Some(b)) = (complex(a), complex(b)) {
                let same = |a: f64, b: f64| a == b || a.is_nan() && b.is_nan();
                return Some(same(a.re, b.re) && same(a.im, b.im));
            }
            let (a, b) = (a.raw(), b.raw());
            if a.type_index == b.type_index && a.payload == b.payload {
                return Some(true);
            }
            let open = |kind: &Kind<'_>| {
                matches!(
                    kind,
                    Kind::Array(_) | Kind::List(_) | Kind::Map(_) | Kind::Dict(_) | Kind::Tensor(_)
                )
            };
            if open(&a_kind) && open(&b_kind) {
                return None;
            }
            if a.type_index == b.type_index
                && (by_fields(a.type_index) || hooks::compares(a.type_index))
            {
                return None;
            }
            false
        }
    })
}

fn complex(value: AnyView<'_>) -> Option<Complex> {
    class::read::<Complex>(value).copied()
}

/// The items of a sequence.
pub(super) fn items(kind: &Kind<'_>) -> Option<Vec<Any>> {
    match kind {
        Kind::Array(items) => Some(items.to_vec()),
        Kind::List(list) => Some(list.items()),
        _ => None,
    }
}

/// Keys and values of a mapping.
fn entries(kind: &Kind<'_>) -> Option<Vec<(Any, Any)>> {
    match kind {
        Kind::Map(map) => Some(map.iter().map(|(k, v)| (k.clone(), v.clone())).collect()),
        Kind::Dict(dict) => Some(dict.pairs()),
        _ => None,
    }
}

/// Containers inside containers that the hash looks into.
const DEEPEST: usize = 8;

/// A hash that is the same for equal values; 0 when a function of a type raises.
pub fn hash(value: AnyView<'_>) -> u64 {
    try_hash(value).unwrap_or(0)
}

/// As [`hash`].
///
/// # Errors
/// What a function of a type raises, and [`ErrorKind::TypeError`](crate::ErrorKind::TypeError) for objects of a type that can compare them and not
/// hash them.
pub fn try_hash(value: AnyView<'_>) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    feed(value, &mut hasher, 0)?;
    Ok(hasher.finish())
}

fn feed(value: AnyView<'_>, hasher: &mut DefaultHasher, depth: usize) -> Result<()> {
    let kind = value.kind();
    if let Some(items) = items(&kind) {
        (1u8, items.len()).hash(hasher);
        for item in items.iter().filter(|_| depth < DEEPEST) {
            feed(item.view(), hasher, depth + 1)?;
        }
        return Ok(());
    }
    if let Some(entries) = entries(&kind) {
        // The order does not count.
        let mut sum = 0u64;
        for (key, value) in entries.iter().filter(|_| depth < DEEPEST) {
            let mut entry = DefaultHasher::new();
            feed(key.view(), &mut entry, depth + 1)?;
            feed(value.view(), &mut entry, depth + 1)?;
            sum = sum.wrapping_add(entry.finish());
        }
        (2u8, entries.len(), sum).hash(hasher);
        return Ok(());
    }
    if let Kind::Other(type_index) = kind
        && let Some(object) = value.object()
    {
        if let Some(hash) = hooks::hash(&object)? {
            (12u8, type_index, hash).hash(hasher);
            return Ok(());
        }
        if let Some(fields) = hashed(&object) {
            (11u8, type_index, fields.len()).hash(hasher);
            for field in fields.iter().filter(|_| depth < DEEPEST) {
                feed(field.view(), hasher, depth + 1)?;
            }
            return Ok(());
        }
    }
    match kind {
        Kind::Str(text) => (3u8, text).hash(hasher),
        Kind::Bytes(bytes) => (4u8, bytes).hash(hasher),
        Kind::BigInt(number) => (5u8, number).hash(hasher),
        Kind::Float(number) => (6u8, float_bits(number)).hash(hasher),
        Kind::Tensor(tensor) => (8u8, tensor.shape()).hash(hasher),
        Kind::Shape(lengths) => (9u8, lengths).hash(hasher),
        _ => match complex(value) {
            Some(number) => (7u8, float_bits(number.re), float_bits(number.im)).hash(hasher),
            None => (10u8, value.raw().type_index, value.raw().payload).hash(hasher),
        },
    }
    Ok(())
}

/// Bits that are the same for equal numbers: 0.0 equals -0.0, and NaN itself.
fn float_bits(number: f64) -> u64 {
    if number.is_nan() {
        return f64::NAN.to_bits();
    }
    (number + 0.0).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::{Array, Dict, List, Map};
    use crate::value::IntoAny;

    fn same(a: &Any, b: &Any) -> bool {
        let equal = equal(a.view(), b.view());
        if equal {
            assert_eq!(hash(a.view()), hash(b.view()), "{a:?} {b:?}");
        }
        equal
    }

    #[test]
    fn containers_are_compared_by_what_they_hold() {
        let one = |value: Any| Array::from_vec(vec![value]).into_any();
        let list = List::from_vec(vec![Any::int(1)]).unwrap().into_any();
        assert!(same(&one(Any::int(1)), &list));
        assert!(!same(&one(Any::float(1.0)), &list) && !same(&one(Any::bool(true)), &list));
        assert!(same(&one(Any::float(f64::NAN)), &one(Any::float(f64::NAN))));
        let pairs = |order: [i128; 6]| {
            order
                .map(|i| (Any::int(i), Any::string("a text of some length")))
                .to_vec()
        };
        let map = Map::from_entries(pairs([1, 2, 3, 4, 5, 6]))
            .unwrap()
            .into_any();
        let dict = Dict::from_entries(pairs([6, 5, 4, 3, 2, 1]))
            .unwrap()
            .into_any();
        assert!(same(&map, &dict) && !same(&map, &list));
    }

    #[test]
    fn complex_numbers_are_equal_by_value() {
        let number = |re, im| Complex { re, im }.into_any();
        assert!(same(&number(1.0, -0.0), &number(1.0, 0.0)));
        assert!(same(&number(f64::NAN, 2.0), &number(f64::NAN, 2.0)));
        assert!(!same(&number(1.0, 2.0), &number(1.0, 3.0)));
        assert!(!same(&number(1.0, 0.0), &Any::float(1.0)));
    }

    #[test]
    fn lists_that_hold_themselves_end() {
        let ring = || {
            let list = List::from_vec(vec![]).unwrap();
            list.push(list.clone().into_any().view()).unwrap();
            list
        };
        let (a, b) = (ring(), ring());
        assert!(same(&a.clone().into_any(), &b.clone().into_any()));
        b.push(Any::int(1).view()).unwrap();
        assert!(!same(&a.clone().into_any(), &b.clone().into_any()));
        a.clear();
        b.clear();
    }

    #[test]
    fn values_nested_very_deep_are_compared_and_dropped() {
        let deep = || {
            (0..300_000).fold(Any::NONE, |inner, _| {
                Array::from_vec(vec![inner]).into_any()
            })
        };
        assert!(same(&deep(), &deep()));
    }
}
