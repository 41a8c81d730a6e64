//! The module of `examples/rust/kernel.rs`, loaded and called.

#![expect(clippy::unwrap_used, reason = "these are tests")]

use std::path::PathBuf;

use tenspan::generated::dictionaries::LoadModuleOptions;
use tenspan::value::{Any, IntoAny, Kind};
use tenspan::{Error, ErrorKind, Function, Module, Tensor, load_module, register_global_func};

/// The library, which cargo builds beside the tests.
fn module() -> Module {
    let mut path: PathBuf = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.push(format!(
        "examples/{}kernel{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    ));
    load_module(path.to_str().unwrap(), &LoadModuleOptions::default()).unwrap()
}

fn call(name: &str, arguments: &[Any]) -> tenspan::Result<Any> {
    module().get_function(name, true)?.call(arguments)
}

fn message(name: &str, arguments: &[Any]) -> (ErrorKind, String) {
    let error = call(name, arguments).unwrap_err();
    (error.kind(), error.message().to_owned())
}

#[test]
fn functions_of_rust_are_called() {
    assert!(matches!(
        call("add", &[Any::int(2), Any::int(3)]).unwrap().kind(),
        Kind::Int(5)
    ));
    let greeting = call("greet", &["whoever this may be".into_any()]).unwrap();
    assert!(matches!(
        greeting.kind(),
        Kind::Str("hello whoever this may be")
    ));
    let numbers = call("count_up", &[Any::int(3)]).unwrap();
    let Kind::Tensor(numbers) = numbers.kind() else {
        panic!("no tensor");
    };
    assert_eq!(numbers.to_vec::<f32>().unwrap(), [0.0, 1.0, 2.0]);
}

#[test]
fn tensors_are_written_where_they_are() {
    let x = Tensor::from_vec(vec![1f32, 2.0], &[2]).unwrap();
    let y = Tensor::from_vec(vec![0f32, 0.0], &[2]).unwrap();
    call("add_one", &[x.into_any(), y.clone().into_any()]).unwrap();
    assert_eq!(y.to_vec::<f32>().unwrap(), [2.0, 3.0]);
}

#[test]
fn errors_are_raised_in_the_library_that_loaded_the_module() {
    let (kind, text) = message("add", &[Any::int(2)]);
    assert_eq!(
        (kind, text.as_str()),
        (ErrorKind::TypeError, "add takes 2 arguments, 1 was given")
    );
    let (kind, text) = message("add", &["a".into_any(), Any::int(3)]);
    assert_eq!(kind, ErrorKind::TypeError);
    assert_eq!(
        text,
        "add: argument 0 (`a`) wants an integer, found the string \"a\""
    );
    let (kind, text) = message("root", &[Any::float(-1.0)]);
    assert_eq!(
        (kind, text.as_str()),
        (ErrorKind::ValueError, "-1 is negative")
    );
    let (kind, text) = message("panics", &[]);
    assert_eq!(kind, ErrorKind::InternalError);
    assert!(text.contains("as it had to come"), "{text}");
}

#[test]
fn callbacks_are_called_and_their_errors_pass_through() {
    let double = Function::new(|arguments| match arguments[0].kind() {
        Kind::Int(n) if n < 9 => Ok(Any::int((2 * n).into())),
        _ => Err(Error::new(ErrorKind::IndexError, "too much")),
    });
    let numbers = |all: Vec<i64>| [double.clone().into_any(), all.into_any()];
    let doubled = call("map", &numbers(vec![1, 2])).unwrap();
    assert!(tenspan::equal(
        doubled.view(),
        vec![2i64, 4].into_any().view()
    ));
    let (kind, text) = message("map", &numbers(vec![1, 10]));
    assert_eq!((kind, text.as_str()), (ErrorKind::IndexError, "too much"));
}

#[test]
fn functions_by_name_are_those_of_the_library_that_loaded_the_module() {
    let triple = Function::new(|arguments| match arguments[0].kind() {
        Kind::Int(n) => Ok(Any::int((3 * n).into())),
        _ => Ok(Any::NONE),
    });
    register_global_func("tests.triple", &triple, true).unwrap();
    let result = call("by_name", &["tests.triple".into_any(), Any::int(5)]).unwrap();
    assert!(matches!(result.kind(), Kind::Int(15)));
    let (kind, text) = message("by_name", &["tests.missing".into_any(), Any::int(5)]);
    assert_eq!(kind, ErrorKind::ValueError);
    assert!(text.contains("tests.missing"), "{text}");
}

#[test]
fn docs_go_with_the_module() {
    let doc = module().get_function_doc("add").unwrap();
    assert_eq!(doc.as_deref(), Some("Adds two numbers."));
}
