//! Calls between threads, deep nesting, panics and tracebacks. Every test has a deadline: a call that hangs is a failure.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tenspan::value::{Any, AnyView, IntoAny, Kind, equal};
use tenspan::{
    Dict, Error, ErrorKind, Function, List, get_global_func, register_global_func,
    remove_global_func,
};

/// Runs a test in a thread of its own and fails when it takes too long.
fn within(seconds: u64, test: impl FnOnce() + Send + 'static) {
    let (done, ended) = mpsc::channel();
    let thread = thread::spawn(move || {
        test();
        done.send(()).ok();
    });
    match ended.recv_timeout(Duration::from_secs(seconds)) {
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("no end after {seconds} seconds"),
        _ => thread.join().unwrap(),
    }
}

fn int(value: &Any) -> i64 {
    match value.kind() {
        Kind::Int(number) => number,
        _ => panic!("{value:?} is no number"),
    }
}

fn add() -> Function {
    Function::new(|args| match (args[0].kind(), args[1].kind()) {
        (Kind::Int(a), Kind::Int(b)) => Ok((a + b).into_any()),
        _ => Err(Error::new(ErrorKind::TypeError, "integers wanted")),
    })
}

#[test]
fn native_threads_call_one_function() {
    within(60, || {
        let function = add();
        thread::scope(|scope| {
            for t in 0..8 {
                let function = function.clone();
                scope.spawn(move || {
                    for i in 0..5000 {
                        let args = [AnyView::int(t), AnyView::int(i)];
                        assert_eq!(int(&function.call_views(&args).unwrap()), t + i);
                    }
                });
            }
        });
    });
}

#[test]
fn errors_stay_in_their_thread() {
    within(60, || {
        let failing = Function::new(|args| {
            let message = format!("error of {:?}", args[0]);
            Err(Error::new(ErrorKind::ValueError, message))
        });
        thread::scope(|scope| {
            for t in 0..8 {
                let failing = failing.clone();
                scope.spawn(move || {
                    for i in 0..500 {
                        let number = t * 1000 + i;
                        let error = failing.call_views(&[AnyView::int(number)]).unwrap_err();
                        assert_eq!(error.message(), format!("error of {number}"));
                    }
                });
            }
        });
    });
}

#[test]
fn functions_go_on_whatever_thread_drops_them_last() {
    within(60, || {
        let gone = Arc::new(AtomicUsize::new(0));
        struct Witness(Arc<AtomicUsize>);
        impl Drop for Witness {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        for _ in 0..50 {
            let witness = Witness(Arc::clone(&gone));
            let function = Function::new(move |_| {
                let _held = &witness;
                Ok(Any::NONE)
            });
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    let function = function.clone();
                    thread::spawn(move || {
                        function.call(&[]).unwrap();
                        drop(function);
                    })
                })
                .collect();
            drop(function);
            threads
                .into_iter()
                .for_each(|thread| thread.join().unwrap());
        }
        assert_eq!(gone.load(Ordering::Relaxed), 50);
    });
}

#[test]
fn the_registry_is_used_from_many_threads_and_from_its_own_functions() {
    within(60, || {
        thread::scope(|scope| {
            for t in 0..4 {
                scope.spawn(move || {
                    for i in 0..200 {
                        let name = format!("test.calls.{t}.{}", i % 5);
                        register_global_func(&name, &add(), true).unwrap();
                        let found = get_global_func(&name, false).unwrap().unwrap();
                        assert_eq!(int(&found.call(&[Any::int(1), Any::int(2)]).unwrap()), 3);
                        remove_global_func(&name);
                    }
                });
            }
        });
        // A function that takes itself out of the registry, and one whose end registers another.
        struct Registers;
        impl Drop for Registers {
            fn drop(&mut self) {
                register_global_func("test.calls.heir", &add(), true).unwrap();
            }
        }
        let registers = Registers;
        let own = Function::new(move |_| {
            let _held = &registers;
            Ok(remove_global_func("test.calls.own").into_any())
        });
        register_global_func("test.calls.own", &own, false).unwrap();
        drop(own);
        let own = get_global_func("test.calls.own", false).unwrap().unwrap();
        own.call(&[]).unwrap();
        drop(own);
        assert!(remove_global_func("test.calls.heir"));
    });
}

#[test]
fn functions_call_themselves_deeply() {
    within(60, || {
        let down = Function::named("down", &["self", "n"], |args| {
            match (args[0].kind(), args[1].kind()) {
                (Kind::Function(_), Kind::Int(0)) => Ok(Any::int(0)),
                (Kind::Function(this), Kind::Int(n)) => {
                    let below = this.call_views(&[args[0], AnyView::int(n - 1)])?;
                    Ok((int(&below) + 1).into_any())
                }
                _ => Err(Error::new(
                    ErrorKind::TypeError,
                    "a function and a number wanted",
                )),
            }
        });
        let args = [down.clone().into_any(), Any::int(500)];
        assert_eq!(int(&down.call(&args).unwrap()), 500);
    });
}

#[test]
fn panics_become_errors_on_every_thread() {
    within(60, || {
        let panicking = Function::named("panicking", &[], |_| panic!("all is lost"));
        let apply = Function::named("apply", &["f"], |args| match args[0].kind() {
            Kind::Function(f) => f.call(&[]),
            _ => Ok(Any::NONE),
        });
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let error = apply.call(&[panicking.clone().into_any()]).unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::InternalError);
                    assert_eq!(error.message(), "a Rust function panicked: all is lost");
                    let lines = error.traceback();
                    assert!(
                        lines.find("in panicking") < lines.find("in apply"),
                        "{lines}"
                    );
                });
            }
        });
    });
}

#[test]
fn a_traceback_has_where_it_began_and_each_function_that_it_left() {
    let inner = Function::named("inner", &[], |_| {
        Err(Error::new(ErrorKind::ValueError, "no"))
    });
    let line = line!() - 2;
    let outer = Function::named("outer", &["f"], move |_| inner.call(&[]));
    let error = outer.call(&[]).unwrap_err();
    let lines: Vec<&str> = error.traceback().lines().collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(
        lines[0],
        format!("  File \"{}\", line {line}, in <native>", file!())
    );
    assert!(lines[1].ends_with(", in inner") && lines[2].ends_with(", in outer"));
    let error = error.with_frames("  File \"a.py\", line 1, in work");
    assert!(
        error
            .traceback()
            .ends_with("in outer\n  File \"a.py\", line 1, in work\n")
    );
    // Through a value and back nothing is lost.
    let value = error.clone().into_any();
    let Kind::Error(read) = value.kind() else {
        panic!("{value:?} is no error")
    };
    assert_eq!(read.traceback(), error.traceback());
}

#[test]
fn an_error_is_cheap_while_nobody_reads_its_traceback() {
    let failing = Function::named("failing", &[], |_| {
        Err(Error::new(ErrorKind::ValueError, "no"))
    });
    let cost = (0..200)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..50 {
                std::hint::black_box(failing.call(&[]).unwrap_err());
            }
            start.elapsed() / 50
        })
        .min()
        .unwrap();
    // A microsecond in a release build; room for one without optimisation.
    assert!(cost < Duration::from_micros(10), "{cost:?}");
}

#[test]
fn nesting_has_no_limit() {
    within(120, || {
        let depth = 1_000_000;
        let mut nested = List::from_vec(Vec::new()).unwrap().into_any();
        let mut other = List::from_vec(Vec::new()).unwrap().into_any();
        for i in 0..depth {
            let wrap = |inner: Any| match i % 3 {
                0 => List::from_vec(vec![inner]).unwrap().into_any(),
                1 => Any::array(vec![inner]),
                _ => Dict::from_entries(vec![(Any::int(1), inner)])
                    .unwrap()
                    .into_any(),
            };
            (nested, other) = (wrap(nested), wrap(other));
        }
        assert!(equal(nested.view(), other.view()));
        // The last reference goes in a thread with a small stack.
        thread::Builder::new()
            .stack_size(128 << 10)
            .spawn(move || drop((nested, other)))
            .unwrap()
            .join()
            .unwrap();
    });
}

#[test]
fn containers_change_while_others_read_them() {
    within(60, || {
        let list = List::from_vec(Vec::new()).unwrap();
        let dict = Dict::from_entries(Vec::new()).unwrap();
        thread::scope(|scope| {
            for t in 0..4i64 {
                let (list, dict) = (list.clone(), dict.clone());
                scope.spawn(move || {
                    for i in 0..300i64 {
                        let text = Any::string(&format!("a text of its own {t} {i}"));
                        list.push(text.view()).unwrap();
                        dict.set(AnyView::int(i), text.view()).unwrap();
                        assert!(dict.has(AnyView::int(i)).unwrap());
                        assert!(!list.items().is_empty() && dict.pairs().len() as i64 > i);
                        list.set(0, text.view()).unwrap();
                    }
                });
            }
        });
        assert_eq!((list.len(), dict.len()), (1200, 300));
    });
}
