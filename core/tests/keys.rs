//! Keys that functions of their type hash and compare. These run while no table is locked: they may use any dict, wait for other
//! threads, and fail.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::time::Duration;

use proptest::prelude::*;
use tenspan::abi::types::set_attribute;
use tenspan::object::{FieldSpec, FieldType};
use tenspan::value::{Any, AnyView, IntoAny, Kind};
use tenspan::{Dict, Error, ErrorKind, Function, Map, Object, ObjectType, Result};

/// What a function of a type does before it answers, with the numbers of the keys that it got.
type Before = dyn Fn(&[i64]) -> Result<()> + Send + Sync;

/// A type of keys with a number each. Their hash is the number modulo `hashes`; two are the same when half their number is.
fn keys(
    name: &str,
    hashes: i64,
    before: impl Fn(&[i64]) -> Result<()> + Send + Sync + 'static,
) -> ObjectType {
    let of = ObjectType::define(name)
        .field(FieldSpec::new("number", FieldType::Int))
        .finish()
        .expect("a new type");
    let before: Arc<Before> = Arc::new(before);
    let asked = before.clone();
    let hash = Function::new(move |args| {
        let number = number(args[0]);
        asked(&[number])?;
        Ok(Any::int((number / 2 % hashes).into()))
    });
    let same = Function::new(move |args| {
        let (a, b) = (number(args[0]), number(args[1]));
        before(&[a, b])?;
        Ok(Any::bool(a / 2 == b / 2))
    });
    set_attribute(of.index(), "__any_hash__", hash.into_any()).expect("a new attribute");
    set_attribute(of.index(), "__any_equal__", same.into_any()).expect("a new attribute");
    of
}

fn number(key: AnyView<'_>) -> i64 {
    let object = Object::from_object(key.object().expect("an object"));
    match object.get("number").expect("a number").kind() {
        Kind::Int(number) => number,
        _ => unreachable!("the field is a number"),
    }
}

fn make(of: ObjectType, number: i64) -> Any {
    let number = Any::int(number.into());
    let key = of.create(&[number.view()], &[]);
    key.expect("a key").into_any()
}

fn empty() -> Dict {
    Dict::new(&[]).expect("a dict")
}

fn int(value: i64) -> Any {
    Any::int(value.into())
}

/// Runs something that must end, on a thread of its own.
fn ends<R: Send + 'static>(body: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || done.send(body()));
    wait.recv_timeout(Duration::from_secs(60))
        .expect("it ends in time and does not panic")
}

#[test]
fn a_function_of_keys_may_use_the_dict_that_asks_and_others() {
    let [own, other] = [empty(), empty()];
    let (used, also) = (own.clone(), other.clone());
    let of = keys("test.keys.Reader", 3, move |numbers| {
        // A new key may ask for the hashes of the others: whoever hashes may read, and not add any.
        if let [_] = numbers {
            return used.has(Any::string("asked").view()).map(drop);
        }
        for dict in [&used, &also] {
            dict.put(Any::string("asked"), Any::int(dict.len().into()))?;
            assert!(dict.has(Any::string("asked").view())?);
            dict.remove(Any::string("asked").view())?;
            dict.put(Any::string("last"), Any::NONE)?;
        }
        Ok(())
    });
    ends(move || {
        for i in 0..60 {
            own.put(make(of, i), int(i)).unwrap();
            assert!(own.has(make(of, i ^ 1).view()).unwrap());
        }
        assert_eq!((own.len(), other.len()), (31, 1));
        let last = own.get(make(of, 8).view()).unwrap();
        assert!(matches!(last.kind(), Kind::Int(9)));
        for i in 0..30 {
            assert!(own.remove(make(of, 2 * i).view()).unwrap());
        }
        assert_eq!(own.len(), 1);
    });
}

#[test]
fn functions_of_keys_of_two_dicts_that_use_each_other_do_not_wait_for_each_other() {
    let dicts = [empty(), empty()];
    let types = [0, 1].map(|i| {
        let other = dicts[1 - i].clone();
        keys(&format!("test.keys.Crossed{i}"), 2, move |numbers| {
            if let [a, _] = numbers {
                other.put(int(*a), Any::NONE)?;
            }
            other.remove(int(numbers[0]).view()).map(drop)
        })
    });
    let [a, b] = dicts.clone();
    ends(move || {
        std::thread::scope(|scope| {
            for (dict, of) in [(&a, types[0]), (&b, types[1])] {
                scope.spawn(move || {
                    for i in 0..2000 {
                        dict.put(make(of, i % 40), int(i)).unwrap();
                        if i % 3 == 0 {
                            dict.remove(make(of, i % 10).view()).unwrap();
                        }
                    }
                });
            }
        });
    });
    for dict in dicts {
        let own = dict
            .keys()
            .iter()
            .filter(|key| key.view().object().is_some())
            .count();
        assert!((15..=20).contains(&own), "{own}");
    }
}

#[test]
fn a_function_of_keys_may_wait_for_a_thread_that_uses_the_dict() {
    let dict = empty();
    let used = dict.clone();
    let of = keys("test.keys.Waiting", 1, move |_| {
        let dict = used.clone();
        let thread = std::thread::spawn(move || dict.put(int(1), int(2)));
        thread.join().unwrap()
    });
    ends(move || {
        for i in 0..20 {
            dict.put(make(of, i), int(i)).unwrap();
        }
        assert_eq!(dict.len(), 11);
    });
}

#[test]
fn one_dict_is_changed_by_many_threads_while_its_keys_are_compared() {
    let of = keys("test.keys.Shared", 5, |_| {
        std::thread::yield_now();
        Ok(())
    });
    let dict = empty();
    let shared = dict.clone();
    ends(move || {
        let begin = Barrier::new(3);
        std::thread::scope(|scope| {
            for thread in 0..3i64 {
                let (dict, begin) = (&shared, &begin);
                scope.spawn(move || {
                    begin.wait();
                    for i in 0..300 {
                        let own = 2 * (100 * thread + i % 50);
                        dict.put(make(of, own), int(i)).unwrap();
                        dict.put(make(of, 1000 + i % 10), int(i)).unwrap();
                        let found = dict.get(make(of, own + 1).view()).unwrap();
                        assert!(matches!(found.kind(), Kind::Int(last) if last == i));
                        dict.remove(make(of, 1000 + i % 6).view()).unwrap();
                    }
                });
            }
        });
    });
    let left = dict.keys().into_iter().map(|key| number(key.view()) / 2);
    let mut left: Vec<_> = left.filter(|half| *half < 500).collect();
    left.sort_unstable();
    let all: Vec<_> = (0..300).filter(|half| half % 100 < 50).collect();
    assert_eq!(left, all);
}

#[test]
fn a_dict_that_every_comparison_changes_is_an_error() {
    let dict = empty();
    let changed = dict.clone();
    let of = Arc::new(Mutex::new(None));
    let made = of.clone();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    // The key that was compared makes way for another one, which nobody knows.
    let class = keys("test.keys.Restless", 1, move |numbers| {
        let of: Option<ObjectType> = *made.lock().unwrap();
        if let (Some(of), [stored, _]) = (of, numbers) {
            count.fetch_add(1, Ordering::Relaxed);
            changed.clear();
            changed.put(make(of, stored + 2), Any::NONE)?;
        }
        Ok(())
    });
    dict.put(make(class, 10), Any::NONE).unwrap();
    *of.lock().unwrap() = Some(class);
    ends(move || {
        let errors = [
            dict.put(make(class, 1), Any::NONE),
            dict.get(make(class, 1).view()).map(drop),
            dict.has(make(class, 1).view()).map(drop),
            dict.remove(make(class, 1).view()).map(drop),
        ];
        for result in errors {
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::RuntimeError);
            let text = "the table was changed 1000 times while its keys were compared";
            assert_eq!(error.message(), text);
        }
        assert_eq!(dict.len(), 1);
    });
    assert_eq!(asked.load(Ordering::Relaxed), 4 * 999);
    *of.lock().unwrap() = None;
}

#[test]
fn a_function_of_keys_that_leads_to_itself_is_an_error() {
    let dict = empty();
    let used = dict.clone();
    let of = Arc::new(Mutex::new(None));
    let made = of.clone();
    let class = keys("test.keys.Endless", 1, move |numbers| {
        let of: Option<ObjectType> = *made.lock().unwrap();
        match (of, numbers) {
            (Some(of), [_, _]) => used.put(make(of, 99), Any::NONE),
            _ => Ok(()),
        }
    });
    dict.put(make(class, 0), Any::NONE).unwrap();
    *of.lock().unwrap() = Some(class);
    ends(move || {
        let error = dict.put(make(class, 2), Any::NONE).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::RuntimeError);
        let text = "more than 100 inside of one another";
        assert!(error.message().ends_with(text), "{error:?}");
        assert_eq!(dict.len(), 1);
    });
    *of.lock().unwrap() = None;
}

#[test]
fn what_a_function_of_keys_raises_comes_through_and_changes_nothing() {
    let of = keys("test.keys.Broken", 2, |numbers| match numbers {
        [100] => Err(Error::new(ErrorKind::ValueError, "no hash")),
        [6, 1] => Err(Error::new(ErrorKind::ValueError, "no comparison")),
        _ => Ok(()),
    });
    let pairs = || [2, 6, 10].map(|i| (make(of, i), int(i)));
    let (dict, map) = (
        Dict::from_entries(pairs().to_vec()).unwrap(),
        Map::from_entries(pairs().to_vec()).unwrap(),
    );
    for (number, text) in [(100, "no hash"), (1, "no comparison")] {
        let key = make(of, number);
        let key = key.view();
        let small = [(6, 0), (number, 0)].map(|(key, value)| (make(of, key), int(value)));
        let results = [
            dict.set(key, AnyView::NONE),
            dict.get(key).map(drop),
            dict.has(key).map(drop),
            dict.remove(key).map(drop),
            map.get(key).map(drop),
            map.has(key).map(drop),
            Map::from_entries(small.to_vec()).map(drop),
            Dict::from_entries(small.to_vec()).map(drop),
        ];
        for result in results {
            let error = result.unwrap_err();
            assert_eq!(
                (error.kind(), error.message()),
                (ErrorKind::ValueError, text)
            );
        }
    }
    assert_eq!((dict.len(), map.len()), (3, 3));
    let none = empty();
    assert!(none.set(make(of, 100).view(), AnyView::NONE).is_err());
    assert!(none.has(make(of, 100).view()).is_err() && none.is_empty());
}

#[test]
fn a_table_whose_keys_have_lost_their_hash_does_not_grow_and_keeps_them() {
    let is_lost = Arc::new(AtomicUsize::new(0));
    let lost = is_lost.clone();
    let of = keys("test.keys.Lost", 1000, move |numbers| {
        if lost.load(Ordering::Relaxed) != 0 && numbers.len() == 1 {
            return Err(Error::new(ErrorKind::ValueError, "lost"));
        }
        Ok(())
    });
    let dict = empty();
    for i in 0..4 {
        dict.put(make(of, 2 * i), int(i)).unwrap();
    }
    is_lost.store(1, Ordering::Relaxed);
    let error = dict.put(Any::string("one more"), Any::NONE).unwrap_err();
    assert_eq!((error.message(), dict.len()), ("lost", 4));
    is_lost.store(0, Ordering::Relaxed);
    dict.put(Any::string("one more"), Any::NONE).unwrap();
    assert_eq!(dict.len(), 5);
    assert!(dict.has(make(of, 5).view()).unwrap());
}

#[derive(Debug, Clone)]
enum Step {
    Set(i64, i64),
    Remove(i64),
}

/// A key of the type, or a plain number, which must not be in the way of the others.
fn key(of: ObjectType, n: i64) -> Any {
    if n % 3 == 0 { int(n) } else { make(of, n) }
}

fn is_same(a: i64, b: i64) -> bool {
    match (a % 3 == 0, b % 3 == 0) {
        (true, true) => a == b,
        (false, false) => a / 2 == b / 2,
        _ => false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn dicts_of_such_keys_are_as_a_list_of_pairs(
        steps in proptest::collection::vec(
            prop_oneof![
                2 => (0..400i64, any::<i64>()).prop_map(|(k, v)| Step::Set(k, v)),
                1 => (0..400i64).prop_map(Step::Remove),
            ],
            0..300,
        ),
        hashes in prop_oneof![Just(1), Just(7), Just(1000)],
    ) {
        let name = format!("test.keys.Model{hashes}");
        let of = ObjectType::of(&name).unwrap_or_else(|_| keys(&name, hashes, |_| Ok(())));
        let dict = empty();
        let mut model: Vec<(i64, i64)> = Vec::new();
        for step in steps {
            match step {
                Step::Set(k, v) => {
                    dict.put(key(of, k), int(v)).unwrap();
                    match model.iter_mut().find(|(known, _)| is_same(*known, k)) {
                        Some(entry) => entry.1 = v,
                        None => model.push((k, v)),
                    }
                }
                Step::Remove(k) => {
                    let place = model.iter().position(|(known, _)| is_same(*known, k));
                    let expected = place.map(|place| model.remove(place)).is_some();
                    prop_assert_eq!(dict.remove(key(of, k).view()).unwrap(), expected);
                }
            }
        }
        let map = Map::from_entries(dict.pairs()).unwrap();
        let value = |value: &Any| match value.kind() {
            Kind::Int(value) => value,
            _ => number(value.view()),
        };
        let pairs: Vec<_> = dict.pairs().iter().map(|(k, v)| (value(k), value(v))).collect();
        prop_assert_eq!(&pairs, &model);
        for k in 0..400 {
            let expected = model.iter().find(|(known, _)| is_same(*known, k)).map(|entry| entry.1);
            prop_assert_eq!(dict.find(key(of, k).view()).unwrap().as_ref().map(value), expected);
            prop_assert_eq!(map.find(key(of, k).view()).unwrap().map(value), expected);
        }
    }
}
