//! The type table from the inside: keys, parents, room for children, attributes.

use std::sync::atomic::Ordering;

use super::*;
use crate::abi::any::{Any, Kind};
use crate::error::ErrorKind;

fn child(key: &str) -> Request<'_> {
    Request::child_of(index::OBJECT, key)
}

#[test]
fn a_key_gets_one_index() {
    let first = register("test.types.a");
    assert_eq!(register("test.types.a"), first);
    assert_ne!(register("test.types.b"), first);
    assert_eq!(key(first), "test.types.a");
    assert_eq!(find("test.types.a"), Some(first));
    assert!(first >= index::DYNAMIC);
}

#[test]
fn every_fixed_type_is_there_from_the_beginning() {
    for (type_index, key) in BUILTIN {
        let info = info(*type_index).unwrap();
        assert_eq!((info.type_index, info.key()), (*type_index, *key));
        assert_eq!(find(key), Some(*type_index));
        let depth = i32::from(*type_index > index::OBJECT);
        assert_eq!(info.depth, depth, "{key}");
        assert!(is_a(*type_index, *type_index));
    }
    assert!(is_a(index::ARRAY, index::OBJECT) && !is_a(index::OBJECT, index::ARRAY));
    assert!(!is_a(index::INT, index::OBJECT));
    for unknown in [-1, 14, 63, 127, 60_000, i32::MAX, i32::MIN] {
        assert!(info(unknown).is_none());
        assert_eq!(info_or_unknown(unknown).key(), "<unknown>");
    }
}

#[test]
fn children_get_the_indices_that_were_kept_for_them() {
    let base = Request {
        slots: 3,
        can_overflow: false,
        ..child("test.types.base")
    };
    let base = allocate(&base).unwrap();
    let one = Request {
        slots: 1,
        ..Request::child_of(base, "test.types.one")
    };
    let one = allocate(&one).unwrap();
    assert_eq!(one, base + 1);
    let grandchild = allocate(&Request::child_of(one, "test.types.grandchild")).unwrap();
    assert_eq!(grandchild, base + 2);
    let two = allocate(&Request::child_of(base, "test.types.two")).unwrap();
    assert_eq!(two, base + 3);
    let full = allocate(&Request::child_of(base, "test.types.three")).unwrap_err();
    assert_eq!(full.kind(), ErrorKind::RuntimeError);
    assert!(full.message().contains("`test.types.base`"), "{full}");
    let beyond = allocate(&Request::child_of(one, "test.types.beyond")).unwrap();
    assert!(beyond > base + 3, "an overflow goes elsewhere");
    let ancestors: Vec<_> = info(grandchild)
        .unwrap()
        .ancestors()
        .iter()
        .map(|info| info.key())
        .collect();
    assert_eq!(
        ancestors,
        ["ffi.Object", "test.types.base", "test.types.one"]
    );
    assert!(is_a(grandchild, base) && is_a(beyond, base) && !is_a(base, grandchild));
}

#[test]
fn what_cannot_be_a_type_is_refused() {
    let made = allocate(&child("test.types.made")).unwrap();
    let wrong = [
        Request {
            parent: Some(made),
            ..child("test.types.made")
        },
        Request {
            depth: Some(2),
            ..child("test.types.made")
        },
        Request {
            depth: Some(0),
            ..child("test.types.deep")
        },
        Request {
            parent: Some(59_999),
            ..child("test.types.orphan")
        },
        Request {
            parent: Some(index::INT),
            ..child("test.types.number")
        },
        Request {
            parent: Some(i32::MIN),
            ..child("test.types.least")
        },
        Request {
            slots: -5,
            ..child("test.types.negative")
        },
        Request {
            slots: i32::MAX,
            ..child("test.types.many")
        },
        Request {
            static_index: Some(index::ARRAY),
            ..child("test.types.taken")
        },
        Request {
            static_index: Some(5000),
            ..child("test.types.fixed")
        },
    ];
    for request in wrong {
        let error = allocate(&request).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ValueError, "{request:?}");
        assert!(request.key == "test.types.made" || find(request.key).is_none());
    }
}

#[test]
fn columns_and_their_values_stay_where_they_are() {
    assert!(column("test.types.attribute").is_none());
    set_attribute(index::NONE, "test.types.attribute", Any::NONE).unwrap();
    let first = column("test.types.attribute").unwrap();
    assert_eq!(first.size.load(Ordering::Relaxed), 0);
    let low = register("test.types.low");
    set_attribute(
        low,
        "test.types.attribute",
        Any::string("a long enough text"),
    )
    .unwrap();
    let value = attribute(low, "test.types.attribute").unwrap();
    let room = Request {
        slots: 2000,
        ..child("test.types.room")
    };
    let high = allocate(&Request::child_of(
        allocate(&room).unwrap(),
        "test.types.high",
    ))
    .unwrap();
    for type_index in [high, high - 1] {
        set_attribute(
            type_index,
            "test.types.attribute",
            Any::int(type_index.into()),
        )
        .unwrap();
    }
    let again = column("test.types.attribute").unwrap();
    assert!(std::ptr::eq(first, again));
    assert!(matches!(value.kind(), Kind::Str("a long enough text")));
    assert_eq!(again.size.load(Ordering::Relaxed), high + 1);
    let twice = set_attribute(low, "test.types.attribute", Any::int(1)).unwrap_err();
    assert_eq!(twice.kind(), ErrorKind::RuntimeError);
    assert!(attribute(high + 1, "test.types.attribute").is_none());
    assert!(attribute(-3, "test.types.attribute").is_none());
    let missing = set_attribute(59_000, "test.types.attribute", Any::int(1)).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::ValueError);
}

#[test]
fn threads_agree_on_indices() {
    let keys: Vec<String> = (0..200).map(|i| format!("test.types.thread{i}")).collect();
    let indices = || -> Vec<i32> {
        keys.iter()
            .map(|key| allocate(&child(key)).unwrap())
            .collect()
    };
    let all: Vec<Vec<i32>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(indices)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    assert!(all.iter().all(|indices| *indices == all[0]));
}
