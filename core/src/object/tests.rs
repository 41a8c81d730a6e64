//! Types that are defined here and their objects: fields, construction, methods, comparison.

use std::sync::Arc;

use super::*;
use crate::List;
use crate::abi::instance;
use crate::value::{Kind, equal, hash};

fn int(value: i64) -> Any {
    Any::int(value.into())
}

fn pair(key: &str) -> ObjectType {
    let sum = Function::new(|args| {
        let object = args[0].object().map(Object::from_object).unwrap();
        match (object.get("a")?.kind(), object.get("b")?.kind()) {
            (Kind::Int(a), Kind::Int(b)) => Ok(int(a + b)),
            _ => Ok(Any::NONE),
        }
    });
    let seven = Function::new(|_| Ok(int(7)));
    ObjectType::define(key)
        .doc("Two numbers.")
        .field(FieldSpec::new("a", FieldType::Int).doc("The first."))
        .field(
            FieldSpec::new("b", FieldType::Int)
                .default(int(5))
                .read_only(),
        )
        .method("sum", "Both together.", &sum)
        .static_method("seven", "", &seven)
        .compared_by_fields()
        .finish()
        .unwrap()
}

fn message<T>(result: Result<T>) -> (ErrorKind, String) {
    let error = result.err().expect("an error");
    (error.kind(), error.message().to_owned())
}

#[test]
fn fields_are_got_and_set_by_name() {
    let of = pair("test.object.Pair");
    assert_eq!((of.key(), of.doc()), ("test.object.Pair", "Two numbers."));
    let object = of.create(&[int(1).view()], &[]).unwrap();
    assert!(matches!(object.get("a").unwrap().kind(), Kind::Int(1)));
    assert!(matches!(object.get("b").unwrap().kind(), Kind::Int(5)));
    object.set("a", int(-9).view()).unwrap();
    assert!(matches!(object.get("a").unwrap().kind(), Kind::Int(-9)));
    let (kind, text) = message(object.set("b", int(1).view()));
    assert_eq!(
        (kind, &*text),
        (
            ErrorKind::AttributeError,
            "`b` of `test.object.Pair` is read-only"
        )
    );
    let (kind, text) = message(object.set("a", Any::string("x").view()));
    assert_eq!(kind, ErrorKind::TypeError);
    assert!(text.contains("`a` of `test.object.Pair`"), "{text}");
    assert_eq!(message(object.get("c")).0, ErrorKind::AttributeError);
    assert!(
        message(object.get("suma"))
            .1
            .contains("did you mean `sum`?")
    );
}

#[test]
fn whole_numbers_are_read_at_their_place() {
    let of = ObjectType::define("test.object.Mixed")
        .field(FieldSpec::new("name", FieldType::Str).default(Any::string("x")))
        .field(FieldSpec::new("number", FieldType::Int).default(int(i64::MIN)))
        .field(FieldSpec::new("any", FieldType::Any).default(int(3)))
        .finish()
        .unwrap();
    let object = of.create(&[], &[]).unwrap();
    let field = |name: &str| of.field(name).unwrap();
    assert_eq!(field("number").int(object.object()).unwrap(), i64::MIN);
    assert_eq!(field("any").int(object.object()).unwrap(), 3);
    let (kind, text) = message(field("name").int(object.object()));
    assert_eq!(
        (kind, &*text),
        (ErrorKind::TypeError, "field `name` is no whole number")
    );
    let other = pair("test.object.Other").create(&[int(1).view()], &[]);
    let (kind, text) = message(field("number").int(other.unwrap().object()));
    assert_eq!(
        (kind, &*text),
        (
            ErrorKind::TypeError,
            "field `number` is of `test.object.Mixed`, not of `test.object.Other`"
        )
    );
}

#[test]
fn a_value_lends_what_it_holds() {
    let function = Function::new(|_| Ok(int(7)));
    let value = function.clone().into_any();
    let view = value.view();
    assert_eq!(
        view.function().map(|held| held.object().handle()),
        Some(function.object().handle())
    );
    assert!(view.held_object().is_some() && AnyView::int(3).held_object().is_none());
    let object = pair("test.object.Lent").create(&[int(1).view()], &[]);
    let value = object.unwrap().into_any();
    assert!(value.view().function().is_none());
    let held = value.view().held_object().cloned();
    assert_eq!(held.unwrap().type_key(), "test.object.Lent");
}

#[test]
fn methods_get_the_object_unless_static() {
    let object = pair("test.object.Methods").create(&[int(1).view(), int(2).view()], &[]);
    let object = object.unwrap();
    assert!(matches!(
        object.call("sum", &[]).unwrap().kind(),
        Kind::Int(3)
    ));
    assert!(matches!(
        object.call("seven", &[]).unwrap().kind(),
        Kind::Int(7)
    ));
    assert_eq!(
        message(object.call("none", &[])).0,
        ErrorKind::AttributeError
    );
}

#[test]
fn a_constructor_takes_fields_in_order_or_by_name() {
    let of = pair("test.object.Create");
    let (one, two) = (int(1), int(2));
    let (one, two) = (one.view(), two.view());
    let single = ObjectType::define("test.object.Single")
        .field(FieldSpec::new("a", FieldType::Int))
        .finish()
        .unwrap();
    let by_name = of.create(&[], &[("b", two), ("a", one)]).unwrap();
    assert!(matches!(by_name.get("b").unwrap().kind(), Kind::Int(2)));
    let wrong = [
        (of.create(&[], &[]), "wants `a`"),
        (
            of.create(&[one, two, one], &[]),
            "takes 2 arguments in order, 3 were given",
        ),
        (
            single.create(&[one, two], &[]),
            "`test.object.Single` takes 1 argument in order, 2 were given",
        ),
        (of.create(&[one], &[("a", two)]), "got `a` twice"),
        (of.create(&[one], &[("bb", two)]), "did you mean `b`?"),
    ];
    for (result, text) in wrong {
        let (kind, found) = message(result);
        assert_eq!(kind, ErrorKind::TypeError);
        assert!(found.contains(text), "{found}");
    }
}

#[test]
fn flags_say_what_the_constructor_takes() {
    let make = Function::new(|_| Ok(Any::object(List::new(&[])?.object().clone())));
    let of = ObjectType::define("test.object.Flags")
        .field(FieldSpec::new("named", FieldType::Str).with(flag::KW_ONLY))
        .field(FieldSpec::new("items", FieldType::List).factory(&make))
        .field(FieldSpec::new("cache", FieldType::Any).with(flag::INIT_OFF | flag::REPR_OFF))
        .finish()
        .unwrap();
    let name = Any::string("a name of some length");
    let one = of.create(&[], &[("named", name.view())]).unwrap();
    let two = of.create(&[], &[("named", name.view())]).unwrap();
    let items = |object: &Object| object.get("items").unwrap().view().raw().payload;
    assert_ne!(items(&one), items(&two), "each has a list of its own");
    assert!(matches!(one.get("cache").unwrap().kind(), Kind::None));
    assert_eq!(
        message(of.create(&[name.view()], &[])).0,
        ErrorKind::TypeError
    );
    assert_eq!(
        message(of.create(&[], &[("cache", name.view())])).0,
        ErrorKind::TypeError
    );
    let text = format!("{:?}", one.into_any());
    assert_eq!(
        text,
        "test.object.Flags(named=\"a name of some length\", items=[])"
    );
}

#[test]
fn a_derived_type_has_the_fields_of_its_parent_first() {
    let parent = pair("test.object.Parent");
    let of = ObjectType::define("test.object.Child")
        .parent(parent)
        .field(FieldSpec::new("flag", FieldType::Bool).default(Any::bool(true)))
        .field(FieldSpec::new("weight", FieldType::Float).default(Any::float(0.5)))
        .field(
            FieldSpec::new(
                "next",
                FieldType::Optional(Box::new(FieldType::Object(parent.index()))),
            )
            .default(Any::NONE),
        )
        .finish()
        .unwrap();
    assert!(of.is(parent) && !parent.is(of));
    let names: Vec<_> = of.fields().map(|field| field.info().name()).collect();
    assert_eq!(names, ["a", "b", "flag", "weight", "next"]);
    let object = of
        .create(
            &[int(1).view(), int(2).view(), Any::bool(false).view()],
            &[],
        )
        .unwrap();
    assert!(matches!(
        object.call("sum", &[]).unwrap().kind(),
        Kind::Int(3)
    ));
    assert!(matches!(
        object.get("flag").unwrap().kind(),
        Kind::Bool(false)
    ));
    object.set("weight", int(2).view()).unwrap();
    assert!(matches!(
        object.get("weight").unwrap().kind(),
        Kind::Float(2.0)
    ));
    let next = object.clone().into_any();
    object.set("next", next.view()).unwrap();
    assert_eq!(
        message(object.set("next", int(1).view())).0,
        ErrorKind::TypeError
    );
    let text = format!("{:?}", object.clone().into_any());
    assert_eq!(
        text,
        "test.object.Child(a=1, b=2, flag=false, weight=2.0, next=...)"
    );
    object.set("next", Any::NONE.view()).unwrap();
    let field = of.field("flag").unwrap();
    let other = parent.create(&[int(1).view()], &[]).unwrap();
    assert_eq!(message(field.get(other.object())).0, ErrorKind::TypeError);
}

#[test]
fn what_cannot_be_a_definition_is_refused() {
    let of = pair("test.object.Taken");
    let field = |name: &str| FieldSpec::new(name, FieldType::Int);
    let wrong = [
        ObjectType::define("test.object.Taken"),
        ObjectType::define(""),
        ObjectType::define("test.object.Double")
            .field(field("x"))
            .field(field("x")),
        ObjectType::define("test.object.Shadow")
            .parent(of)
            .field(field("a")),
        ObjectType::define("test.object.Default").field(field("x").default(Any::string("no"))),
        ObjectType::define("test.object.Foreign").parent(ObjectType::of("ffi.Array").unwrap()),
    ];
    for wrong in wrong {
        assert!(wrong.finish().is_err());
    }
    assert!(
        ObjectType::of("test.object.Double").is_err(),
        "nothing is left behind"
    );
    assert_eq!(
        message(ObjectType::of("test.object.Nowhere")).0,
        ErrorKind::ValueError
    );
    let array = ObjectType::of("ffi.Array").unwrap();
    assert_eq!(message(array.create(&[], &[])).0, ErrorKind::TypeError);
}

#[test]
fn objects_are_compared_and_hashed_by_their_fields() {
    let of = pair("test.object.Compare");
    let new = |a: i64| of.create(&[int(a).view()], &[]).unwrap().into_any();
    let (one, same, other) = (new(1), new(1), new(2));
    assert!(equal(one.view(), same.view()) && !equal(one.view(), other.view()));
    assert_eq!(hash(one.view()), hash(same.view()));
    let plain = ObjectType::define("test.object.Identity").finish().unwrap();
    let new = || plain.create(&[], &[]).unwrap().into_any();
    let (one, other) = (new(), new());
    assert!(equal(one.view(), one.view()) && !equal(one.view(), other.view()));
}

#[test]
fn a_copy_has_fields_of_its_own_and_all_of_them_go() {
    let of = ObjectType::define("test.object.Copied")
        .field(FieldSpec::new("flag", FieldType::Bool))
        .field(FieldSpec::new("held", FieldType::Any))
        .field(FieldSpec::new("number", FieldType::Float))
        .finish()
        .unwrap();
    let witness = Arc::new(());
    let held = crate::value::Opaque::new(0, Box::new(Arc::clone(&witness))).into_any();
    let object = of.create(
        &[Any::bool(true).view(), held.view(), Any::float(2.5).view()],
        &[],
    );
    let object = object.unwrap();
    drop(held);
    let copy = object.copy().unwrap();
    object.set("number", Any::float(1.0).view()).unwrap();
    assert!(matches!(
        copy.get("number").unwrap().kind(),
        Kind::Float(2.5)
    ));
    assert!(matches!(copy.get("flag").unwrap().kind(), Kind::Bool(true)));
    assert_eq!(Arc::strong_count(&witness), 2);
    object.set("held", Any::NONE.view()).unwrap();
    drop(object);
    assert_eq!(Arc::strong_count(&witness), 2);
    drop(copy);
    assert_eq!(Arc::strong_count(&witness), 1);
    let array = Object::from_object(crate::Array::new(&[]).object().clone());
    assert_eq!(message(array.copy()).0, ErrorKind::TypeError);
    assert!(instance::layout_of(array.object()).is_none());
}

#[test]
fn containers_are_checked_item_by_item() {
    let numbers = FieldType::Array(Box::new(FieldType::Int));
    let named = FieldType::Map(Box::new(FieldType::Str), Box::new(numbers.clone()));
    let of = ObjectType::define("test.object.Typed")
        .field(FieldSpec::new("items", numbers))
        .field(FieldSpec::new("named", named).default(crate::Map::new(&[]).unwrap().into_any()))
        .finish()
        .unwrap();
    let good = Any::array(vec![int(1), Any::bool(true)]);
    let object = of.create(&[good.view()], &[]).unwrap();
    let items = object.get("items").unwrap();
    let Kind::Array([_, second]) = items.kind() else {
        panic!("two items are wanted")
    };
    assert!(matches!(second.kind(), Kind::Int(1)));
    let bad = Any::array(vec![int(1), Any::string("x")]);
    let (kind, text) = message(object.set("items", bad.view()));
    assert_eq!(kind, ErrorKind::TypeError);
    assert!(
        text.contains("item 1: int is wanted, found a string"),
        "{text}"
    );
    let map = crate::Map::from_entries(vec![(Any::string("k"), bad)])
        .unwrap()
        .into_any();
    assert_eq!(
        message(object.set("named", map.view())).0,
        ErrorKind::TypeError
    );
}

#[test]
fn a_field_that_is_set_by_many_threads_stays_whole() {
    let of = ObjectType::define("test.object.Threads")
        .field(FieldSpec::new("value", FieldType::Any).default(Any::NONE))
        .finish()
        .unwrap();
    let object = of.create(&[], &[]).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let object = &object;
            scope.spawn(move || {
                let text = format!("a text of the thread {thread}");
                for _ in 0..2000 {
                    object.set("value", Any::string(&text).view()).unwrap();
                    let read = object.get("value").unwrap();
                    assert!(
                        matches!(read.kind(), Kind::Str(text) if text.len() == 22),
                        "{read:?}"
                    );
                }
            });
        }
    });
}

/// A type whose objects are compared by the letters of a text, whatever their case, and shown between angles.
fn word(key: &str) -> ObjectType {
    let of = ObjectType::define(key)
        .field(FieldSpec::new("text", FieldType::Str))
        .field(FieldSpec::new("inside", FieldType::Any).default(Any::NONE))
        .finish()
        .unwrap();
    let text = |value: &AnyView<'_>| {
        let object = value.object().map(Object::from_object).unwrap();
        match object.get("text").unwrap().kind() {
            Kind::Str(text) => text.to_lowercase(),
            _ => String::new(),
        }
    };
    let inside = |value: &AnyView<'_>| {
        let object = value.object().map(Object::from_object).unwrap();
        object.get("inside").unwrap()
    };
    let hook = |name: &str, function: Function| {
        types::set_attribute(of.index(), name, function.into_any()).unwrap();
    };
    let function = |value: &AnyView<'_>| value.object().and_then(Function::from_object).unwrap();
    hook(
        "__ffi_repr__",
        Function::new(move |args| {
            let shown = function(&args[1]).call(&[inside(&args[0])])?;
            let Kind::Str(shown) = shown.kind() else {
                return Ok(Any::NONE);
            };
            Ok(Any::string(&format!("<{} {shown}>", text(&args[0]))))
        }),
    );
    hook(
        "__ffi_eq__",
        Function::new(move |args| {
            if text(&args[0]) == "broken" {
                return Err(Error::new(ErrorKind::ValueError, "a broken word"));
            }
            let same = function(&args[2]).call(&[inside(&args[0]), inside(&args[1])])?;
            let same = matches!(same.kind(), Kind::Bool(true));
            Ok(Any::bool(same && text(&args[0]) == text(&args[1])))
        }),
    );
    hook(
        "__ffi_hash__",
        Function::new(move |args| Ok(int(text(&args[0]).len() as i64))),
    );
    hook(
        "__any_hash__",
        Function::new(move |args| Ok(int(text(&args[0]).len() as i64))),
    );
    hook(
        "__any_equal__",
        Function::new(move |args| Ok(Any::bool(text(&args[0]) == text(&args[1])))),
    );
    of
}

#[test]
fn functions_of_a_type_show_and_compare_its_objects() {
    let of = word("test.object.Word");
    let make = |text: &str, inside: Any| {
        let made = of.create(&[Any::string(text).view(), inside.view()], &[]);
        made.unwrap().into_any()
    };
    let nested = make("A", make("b", int(1)));
    assert_eq!(format!("{nested:?}"), "<a <b 1>>");
    let other = make("a", make("B", int(1)));
    assert!(equal(nested.view(), other.view()) && hash(nested.view()) == hash(other.view()));
    assert!(!equal(nested.view(), make("a", make("B", int(2))).view()));
    let broken = make("broken", Any::NONE);
    let error = crate::value::try_equal(broken.view(), nested.view()).unwrap_err();
    assert_eq!(error.message(), "a broken word");
    assert!(!equal(broken.view(), nested.view()));
    let dict = crate::Dict::new(&[]).unwrap();
    for i in 0..20 {
        dict.set(
            make(&"A".repeat(i + 1), int(0)).view(),
            int(i as i64).view(),
        )
        .unwrap();
    }
    dict.set(make("aaa", Any::NONE).view(), int(-1).view())
        .unwrap();
    let found = dict.get(make("AAA", int(5)).view()).unwrap();
    assert!(dict.len() == 20 && matches!(found.kind(), Kind::Int(-1)));
}

#[test]
fn an_object_inside_of_itself_is_shown_and_compared() {
    let of = word("test.object.Ring");
    let ring = |text: &str| {
        let made = of.create(&[Any::string(text).view()], &[]).unwrap();
        made.set("inside", made.clone().into_any().view()).unwrap();
        made
    };
    let (one, other) = (ring("a"), ring("A"));
    let [a, b] = [&one, &other].map(|object| object.clone().into_any());
    assert_eq!(format!("{a:?}"), "<a ...>");
    assert!(equal(a.view(), b.view()));
    for object in [one, other] {
        object.set("inside", AnyView::NONE).unwrap();
    }
}

#[test]
fn objects_nested_too_deep_are_an_error() {
    let of = word("test.object.Deep");
    let deep = || {
        (0..400).fold(Any::NONE, |inside, _| {
            let made = of.create(&[Any::string("a").view(), inside.view()], &[]);
            made.unwrap().into_any()
        })
    };
    let (kind, _) = message(crate::value::try_equal(deep().view(), deep().view()));
    assert_eq!(kind, ErrorKind::ValueError);
    assert!(format!("{:?}", deep()).contains("..."));
}

#[test]
fn types_of_fields_are_read_from_their_names() {
    let own = pair("test.object.Parsed").index();
    let bracketed = pair("test.object.Parsed[int]").index();
    let boxed = |of| Box::new(of);
    let all = [
        FieldType::Any,
        FieldType::Int,
        FieldType::Float,
        FieldType::Bool,
        FieldType::Str,
        FieldType::Bytes,
        FieldType::List,
        FieldType::Dict,
        FieldType::DType,
        FieldType::Device,
        FieldType::Object(own),
        FieldType::Array(boxed(FieldType::Object(bracketed))),
        FieldType::Object(crate::abi::layout::index::TENSOR),
        FieldType::Optional(boxed(FieldType::Array(boxed(FieldType::Object(own))))),
        FieldType::Map(
            boxed(FieldType::Str),
            boxed(FieldType::Map(boxed(FieldType::Int), boxed(FieldType::Any))),
        ),
    ];
    for of in all {
        assert_eq!(FieldType::parse(&of.name()).unwrap(), of);
    }
    for bad in [
        "",
        "integer",
        "ffi.Array[int",
        "ffi.Array[int, int]",
        "ffi.Map[int]",
        "Optional[]",
        "int[int]",
        "test.object.NotThere",
        "ffi.Array[]]",
    ] {
        let (kind, text) = message(FieldType::parse(bad));
        assert_eq!(kind, ErrorKind::ValueError, "{text}");
    }
}

#[test]
fn an_object_is_made_by_its_key() {
    let of = pair("test.object.Keyed");
    let named = [("a".to_owned(), int(3))];
    let object = Object::create("test.object.Keyed", &[], &named).unwrap();
    assert_eq!(object.object_type().index(), of.index());
    assert!(matches!(object.get("a").unwrap().kind(), Kind::Int(3)));
    let (kind, _) = message(Object::create("test.object.Nothing", &[], &[]));
    assert_eq!(kind, ErrorKind::ValueError);
}
