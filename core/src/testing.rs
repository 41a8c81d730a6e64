//! Global functions to try calls, callbacks and errors with, in every language alike.

use std::borrow::Cow;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use crate::abi::device_tensor;
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::object::{Field, FieldSpec, FieldType, Object, ObjectType};
use crate::registry::register_global_func;
use crate::stream;
use crate::value::{Any, AnyView, Args, IntoAny};

/// What `testing.keep` holds until `testing.release`.
static KEPT: Mutex<Vec<Any>> = Mutex::new(Vec::new());

/// Registers the functions named `testing.…`, over whatever has these names. Nothing is registered before this is called.
///
/// | name | what it does |
/// | --- | --- |
/// | `nop(…)` | nothing |
/// | `echo(value)` | gives its argument back |
/// | `count(…)` | the number of its arguments |
/// | `add_one(x: int)` | adds one |
/// | `narrow(x: int)` | its argument as a number of 32 bits |
/// | `apply(f, …)` | calls a function with the other arguments |
/// | `apply_in_thread(f, …)` | as `apply`, in a new thread, and waits for it |
/// | `repeat(f, n: int)` | calls a function with 0, 1, … n − 1 and gives the last result |
/// | `keep(value)`, `release()` | holds a value until it is released, in a new thread; gives how many were |
/// | `raise(kind, message)` | raises an error |
/// | `panic(message)` | panics |
/// | `sleep(milliseconds: int)` | waits |
/// | `stream(device)` | the stream of a device on this thread |
/// | `device_tensor(device, length: int)` | a tensor of bytes in memory of a device, which is none |
///
/// And the class `testing.IntPair`: two integers `a` and `b`, and their `sum`.
///
/// # Errors
/// None that can be known; the signature leaves room for them.
pub fn register_testing_funcs() -> Result<()> {
    define_pair()?;
    let put = |name: &str, parameters: &[&str], body: fn(&[AnyView<'_>]) -> Result<Any>| {
        let name = format!("testing.{name}");
        register_global_func(&name, &Function::named(&*name, parameters, body), true)
    };
    put("nop", &[], |_| Ok(Any::NONE))?;
    put("echo", &["value"], |args| {
        let args = named("echo", args, 1)?;
        args.get::<Any>(0, "value")
    })?;
    put("count", &[], |args| Ok((args.len() as u64).into_any()))?;
    put("add_one", &["x"], |args| {
        let x: i64 = named("add_one", args, 1)?.get(0, "x")?;
        Ok(Any::int(i128::from(x) + 1))
    })?;
    put("narrow", &["x"], |args| {
        named("narrow", args, 1)?
            .get::<i32>(0, "x")
            .map(IntoAny::into_any)
    })?;
    put("apply", &[], |args| {
        callee("apply", args)?.call_views(&args[1..])
    })?;
    put("apply_in_thread", &[], |args| {
        let function = callee("apply_in_thread", args)?;
        thread::scope(|scope| scope.spawn(|| function.call_views(&args[1..])).join())
            .unwrap_or_else(|_| {
                let message = "the thread of a call ended without a result";
                Err(Error::new(ErrorKind::InternalError, message))
            })
    })?;
    put("repeat", &["f", "n"], |args| {
        let args = named("repeat", args, 2)?;
        let (function, count) = (args.get::<Function>(0, "f")?, args.get::<i64>(1, "n")?);
        (0..count).try_fold(Any::NONE, |_, i| function.call_views(&[AnyView::int(i)]))
    })?;
    put("keep", &["value"], |args| {
        let value = named("keep", args, 1)?.get::<Any>(0, "value")?;
        KEPT.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(value);
        Ok(Any::NONE)
    })?;
    put("release", &[], |_| {
        let kept = std::mem::take(&mut *KEPT.lock().unwrap_or_else(PoisonError::into_inner));
        let count = kept.len() as u64;
        // What is held may run code of any language as it goes, on a thread that this language has never seen.
        let ended = thread::spawn(move || drop(kept)).join();
        ended
            .map(|()| count.into_any())
            .map_err(|_| Error::new(ErrorKind::InternalError, "a value panicked as it went"))
    })?;
    put("raise", &["kind", "message"], |args| {
        let args = named("raise", args, 2)?;
        let (kind, message) = (
            args.get::<&str>(0, "kind")?,
            args.get::<&str>(1, "message")?,
        );
        Err(Error::from_kind_name(kind, message))
    })?;
    #[allow(clippy::panic, reason = "that is what it is for")]
    put("panic", &["message"], |args| {
        let message: String = named("panic", args, 1)?.get(0, "message")?;
        panic!("{message}")
    })?;
    put("sleep", &["milliseconds"], |args| {
        let milliseconds: u32 = named("sleep", args, 1)?.get(0, "milliseconds")?;
        thread::sleep(Duration::from_millis(milliseconds.into()));
        Ok(Any::NONE)
    })?;
    put("stream", &["device"], |args| {
        let device = named("stream", args, 1)?.get(0, "device")?;
        Ok(Any::pointer(stream::get(device)))
    })?;
    put("device_tensor", &["device", "length"], |args| {
        let args = named("device_tensor", args, 2)?;
        let (device, length) = (args.get(0, "device")?, args.get::<u32>(1, "length")?);
        let object = device_tensor::of_address(device, 64, (1, 8, 1), &[length.into()], ())?;
        Ok(Any::object(object))
    })
}

/// Defines the class, once.
fn define_pair() -> Result<()> {
    static DEFINING: Mutex<()> = Mutex::new(());
    let _one = DEFINING.lock().unwrap_or_else(PoisonError::into_inner);
    let key = "testing.IntPair";
    if ObjectType::of(key).is_ok() {
        return Ok(());
    }
    let sum = Function::named("testing.IntPair.sum", &["self"], |args| {
        // Found once: a method reads fields at their places, not by name.
        static FIELDS: OnceLock<Option<[Field; 2]>> = OnceLock::new();
        let object: Cow<'_, Object> = named("sum", args, 1)?.get(0, "self")?;
        let fields = FIELDS.get_or_init(|| {
            let pair = ObjectType::of("testing.IntPair").ok()?;
            Some([pair.field("a")?, pair.field("b")?])
        });
        let number = |which: usize| match fields {
            Some(fields) => fields[which].int(object.object()).map(i128::from),
            None => Err(Error::new(
                ErrorKind::TypeError,
                "a pair of integers is wanted",
            )),
        };
        Ok(Any::int(number(0)? + number(1)?))
    });
    ObjectType::define(key)
        .doc("Two integers.")
        .field(FieldSpec::new("a", FieldType::Int).doc("The first."))
        .field(FieldSpec::new("b", FieldType::Int).doc("The second."))
        .method("sum", "Both together.", &sum)
        .compared_by_fields()
        .finish()
        .map(drop)
}

/// The arguments of a function that takes so many.
fn named<'a>(name: &'a str, args: &'a [AnyView<'a>], count: usize) -> Result<Args<'a>> {
    let args = Args::new(name, args);
    args.count(count, count)?;
    Ok(args)
}

/// The function that the first argument is.
fn callee<'a>(name: &'a str, args: &'a [AnyView<'a>]) -> Result<Cow<'a, Function>> {
    Args::new(name, args).get(0, "f")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::get_global_func;
    use crate::value::Kind;

    fn call(name: &str, args: &[Any]) -> Result<Any> {
        let function = get_global_func(&format!("testing.{name}"), false)?;
        function.map_or(Ok(Any::NONE), |function| function.call(args))
    }

    #[test]
    fn calls_go_through_threads_and_functions() {
        register_testing_funcs().unwrap();
        let add = get_global_func("testing.add_one", false)
            .unwrap()
            .unwrap()
            .into_any();
        for way in ["apply", "apply_in_thread"] {
            let sum = call(way, &[add.clone(), Any::int(i64::MAX.into())]).unwrap();
            assert!(matches!(sum.kind(), Kind::BigInt(n) if n.to_i128() == Some(1 << 63)));
        }
        let last = call("repeat", &[add, Any::int(5)]).unwrap();
        assert!(matches!(last.kind(), Kind::Int(5)));
        call("keep", &[Any::string("a text of some length")]).unwrap();
        assert!(matches!(call("release", &[]).unwrap().kind(), Kind::Int(1)));
    }

    #[test]
    fn failures_keep_their_kind() {
        register_testing_funcs().unwrap();
        let kind = |name, args: &[Any]| call(name, args).unwrap_err().kind_name().to_owned();
        assert_eq!(
            kind("raise", &[Any::string("MyError"), Any::string("x")]),
            "MyError"
        );
        assert_eq!(kind("panic", &[Any::string("x")]), "InternalError");
        assert_eq!(kind("narrow", &[Any::int(1 << 40)]), "OverflowError");
        assert_eq!(kind("add_one", &[Any::float(1.0)]), "TypeError");
        assert_eq!(kind("add_one", &[]), "TypeError");
    }
}
