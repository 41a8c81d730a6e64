//! Containers against simple models, and under many threads.

use proptest::prelude::*;
use tenspan::value::{Any, IntoAny, Kind, equal};
use tenspan::{Array, Dict, ErrorKind, List, Map};

/// A key of one of many kinds; few enough of each that they collide.
fn key(n: u16) -> Any {
    let number = i128::from(n % 97);
    match n % 7 {
        0 => Any::int(number),
        1 => Any::float(number as f64),
        2 => Any::bool(number % 2 == 0),
        3 => Any::string(&"s".repeat(n as usize % 23)),
        4 => Any::bytes(&vec![b's'; n as usize % 23]),
        5 => Any::int(number << 80),
        _ => Any::string(&format!("a longer text {number}")),
    }
}

fn number(value: &Any) -> i64 {
    match value.kind() {
        Kind::Int(number) => number,
        other => panic!("{}", matches!(other, Kind::None)),
    }
}

#[derive(Debug, Clone)]
enum Step {
    Set(u16, i64),
    Remove(u16),
    Clear,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        30 => (any::<u16>(), any::<i64>()).prop_map(|(k, v)| Step::Set(k, v)),
        15 => any::<u16>().prop_map(Step::Remove),
        1 => Just(Step::Clear),
    ];
    prop::collection::vec(step, 0..400)
}

fn same(a: &Any, b: &Any) -> bool {
    equal(a.view(), b.view())
}

proptest! {
    #[test]
    fn a_dict_is_a_list_of_pairs(steps in steps()) {
        let dict = Dict::new(&[]).unwrap();
        let mut model: Vec<(Any, i64)> = Vec::new();
        for step in steps {
            match step {
                Step::Set(k, v) => {
                    dict.put(key(k), Any::int(v.into())).unwrap();
                    match model.iter_mut().find(|(known, _)| same(known, &key(k))) {
                        Some(entry) => entry.1 = v,
                        None => model.push((key(k), v)),
                    }
                }
                Step::Remove(k) => {
                    let place = model.iter().position(|(known, _)| same(known, &key(k)));
                    let expected = place.map(|place| model.remove(place).1);
                    let removed = dict.take(key(k).view()).unwrap();
                    prop_assert_eq!(removed.as_ref().map(number), expected);
                }
                Step::Clear => {
                    dict.clear();
                    model.clear();
                }
            }
            prop_assert_eq!(dict.len(), model.len() as u64);
        }
        let entries = dict.pairs();
        for ((k, v), (known, expected)) in entries.iter().zip(&model) {
            prop_assert!(same(k, known));
            prop_assert_eq!(number(v), *expected);
        }
        for n in 0..700 {
            let expected = model.iter().find(|(known, _)| same(known, &key(n))).map(|entry| entry.1);
            prop_assert_eq!(dict.find(key(n).view()).unwrap().as_ref().map(number), expected);
        }
        let map = Map::from_entries(entries).unwrap();
        prop_assert!(equal(map.clone().into_any().view(), dict.into_any().view()));
        prop_assert_eq!(map.iter().map(|(_, v)| number(v)).collect::<Vec<_>>(), model.iter().map(|e| e.1).collect::<Vec<_>>());
    }

    #[test]
    fn a_list_is_a_vector(steps in prop::collection::vec((any::<u8>(), 0usize..40, 0usize..12, 0usize..9), 0..100)) {
        let list = List::new(&[]).unwrap();
        let mut model: Vec<i64> = Vec::new();
        for (kind, start, width, count) in steps {
            let items: Vec<i64> = (0..count as i64).map(|i| i + i64::from(kind)).collect();
            let at = start as i64 - 20;
            match kind % 4 {
                0 | 1 => {
                    let new = items.iter().map(|i| Any::int((*i).into())).collect();
                    let removed = list.replace(start..start + width, new).unwrap();
                    let (start, end) = (start.min(model.len()), (start + width).min(model.len()));
                    let expected: Vec<i64> = model.splice(start..end, items).collect();
                    prop_assert_eq!(removed.iter().map(number).collect::<Vec<_>>(), expected);
                }
                2 => {
                    let place = if at < 0 { at + model.len() as i64 } else { at };
                    let inside = (0..model.len() as i64).contains(&place);
                    prop_assert_eq!(list.set(at, Any::int(7).view()).is_ok(), inside);
                    if inside {
                        model[place as usize] = 7;
                    }
                }
                _ => {
                    list.push(Any::int(9).view()).unwrap();
                    model.push(9);
                }
            }
            prop_assert_eq!(list.items().iter().map(number).collect::<Vec<_>>(), model.clone());
        }
    }
}

#[test]
fn a_map_of_any_size_finds_all_its_keys() {
    for count in [0, 1, 3, 4, 5, 6, 15, 16, 17, 1000, 100_000] {
        let entries = (0..count).map(|i| (Any::int(i), Any::int(-i))).collect();
        let map = Map::from_entries(entries).unwrap();
        assert_eq!(map.len(), count as u64);
        for i in 0..count {
            assert_eq!(
                map.find(Any::int(i).view()).unwrap().map(number),
                Some(-i as i64)
            );
        }
        assert!(map.find(Any::int(count).view()).unwrap().is_none());
    }
}

#[test]
fn positions_outside_say_how_long_it_is() {
    let array = Array::new(&[Any::int(5)]);
    assert_eq!(number(&array.get(-1).unwrap()), 5);
    for (index, message) in [
        (1, "position 1 is outside of an array of 1 item"),
        (-2, "position -2 is outside of an array of 1 item"),
        (
            i64::MIN,
            "position -9223372036854775808 is outside of an array of 1 item",
        ),
    ] {
        let error = array.get(index).unwrap_err();
        assert_eq!(
            (error.kind(), error.message()),
            (ErrorKind::IndexError, message)
        );
    }
}

#[test]
fn a_list_and_a_dict_change_under_many_threads() {
    let list = List::new(&[]).unwrap();
    let dict = Dict::new(&[]).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4i128 {
            let (list, dict) = (list.clone(), dict.clone());
            scope.spawn(move || {
                for i in 0..2_000 {
                    let text = Any::string(&format!("thread {thread} says {i}"));
                    list.push(text.view()).unwrap();
                    dict.put(text.clone(), Any::int(i)).unwrap();
                    assert!(dict.has(text.view()).unwrap());
                    if i % 3 == 0 {
                        dict.take(text.view()).unwrap();
                        let _ = list.get(i as i64 / 2);
                    }
                }
            });
        }
    });
    assert_eq!(list.len(), 8_000);
    assert_eq!(dict.len(), 8_000 - 4 * 667);
}

#[test]
fn what_a_container_holds_goes_with_it() {
    let witness = List::new(&[]).unwrap();
    let held = |any: &Any| {
        any.view().object().map(|object| {
            object
                .header()
                .counts
                .load(std::sync::atomic::Ordering::SeqCst) as u32
                - 1
        })
    };
    let value = witness.into_any();
    let before = held(&value);
    let pairs = || {
        (0..40)
            .map(|i| (Any::int(i), value.clone()))
            .collect::<Vec<_>>()
    };
    let (map, dict) = (
        Map::from_entries(pairs()).unwrap(),
        Dict::from_entries(pairs()).unwrap(),
    );
    let list = List::from_vec(vec![value.clone(); 9]).unwrap();
    let array = Array::from_vec(vec![value.clone(); 9]);
    assert_eq!(held(&value), before.map(|n| n + 98));
    for i in 0..40 {
        dict.put(Any::int(i), Any::NONE).unwrap();
    }
    list.set(0, Any::NONE.view()).unwrap();
    list.replace(3..5, vec![]).unwrap();
    assert_eq!(held(&value), before.map(|n| n + 55));
    drop((map, dict, list, array));
    assert_eq!(held(&value), before);
}
