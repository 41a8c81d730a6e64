//! Types of objects, as JavaScript makes classes of them: what there is to know of a type, and the definition of new ones.
//!
//! A field is two functions of core here, one that reads it and one that writes it, and a constructor is one too: so they are called
//! as every function is, and values keep what they are.

use tenspan::abi::layout::index;
use tenspan::abi::types::{self, Hook, flag};
use tenspan::function::Function;
use tenspan::generated::dispatch;
use tenspan::object::{Field, FieldSpec, FieldType, Method, ObjectType};
use tenspan::value::{self, Any, AnyView, Args, IntoAny, Kind};
use tenspan::{Error, ErrorKind, Result};

/// Entries of dynamic calls that core's table does not have.
pub const METHODS: &[(&str, dispatch::Method)] = &[
    ("Object.@type", describe),
    ("Object.@define", define),
    ("Object.@text", text),
    ("Object.@equal", equal),
    ("Object.@compare", compare),
];

/// What there is to know of a type, by its index or its key: key, index, index of its parent, what makes an object of arguments,
/// what makes one of named fields, its own fields, its own methods, whether it says itself how its objects are shown.
fn describe(args: Args<'_>) -> Result<Any> {
    args.count(1, 1)?;
    let of = object_type(&args.get(0, "type")?)?;
    let create = Function::new(move |args| of.create(args, &[]).map(IntoAny::into_any));
    let from_named = Function::new(move |args| from_named(of, args));
    let parent = of
        .parent()
        .filter(|parent| parent.index() >= index::DYNAMIC);
    let fields = of
        .fields()
        .filter(|field| field.owner().type_index == of.index());
    let methods = of
        .methods()
        .filter(|method| method.owner().type_index == of.index());
    Ok(Any::array(vec![
        Any::string(of.key()),
        Any::int(of.index().into()),
        parent.map_or(Any::NONE, |parent| Any::int(parent.index().into())),
        create.into_any(),
        from_named.into_any(),
        Any::array(fields.map(described_field).collect()),
        Any::array(methods.filter_map(described_method).collect()),
        Any::bool(Hook::Repr.of(of.index()).is_some()),
    ]))
}

fn object_type(named: &AnyView<'_>) -> Result<ObjectType> {
    match named.kind() {
        Kind::Str(key) => ObjectType::of(key),
        Kind::Int(found) => i32::try_from(found)
            .ok()
            .and_then(ObjectType::from_index)
            .ok_or_else(|| wrong(format!("there is no type of objects {found}"))),
        _ => Err(wrong(format!(
            "the key of a type is wanted, found {named:?}"
        ))),
    }
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::TypeError, message)
}

/// Makes an object of a type from a map of its fields.
fn from_named(of: ObjectType, args: &[AnyView<'_>]) -> Result<Any> {
    let Some(Kind::Map(map)) = args.first().map(AnyView::kind) else {
        return Err(wrong(format!(
            "fields of `{}` by their names are wanted",
            of.key()
        )));
    };
    let mut named = Vec::with_capacity(map.iter().count());
    for (name, value) in map.iter() {
        let Kind::Str(name) = name.kind() else {
            return Err(wrong(format!(
                "the name of a field of `{}` is wanted, found {name:?}",
                of.key()
            )));
        };
        named.push((name, value.view()));
    }
    of.create(&[], &named).map(IntoAny::into_any)
}

/// Name, bits, the function that reads it, the one that writes it if others may.
fn described_field(field: Field) -> Any {
    let info = field.info();
    let get = Function::new(move |args| field.get(&this(args)?));
    let set = Function::new(move |args| {
        let value = args.get(1).copied().unwrap_or(AnyView::NONE);
        field.put(&this(args)?, value).map(|()| Any::NONE)
    });
    Any::array(vec![
        Any::string(info.name()),
        Any::int(info.flags.into()),
        get.into_any(),
        if info.is(flag::WRITABLE) {
            set.into_any()
        } else {
            Any::NONE
        },
    ])
}

fn this(args: &[AnyView<'_>]) -> Result<tenspan::abi::object::ObjectRef> {
    args.first()
        .and_then(|value| value.object())
        .ok_or_else(|| wrong("an object with fields is wanted".to_owned()))
}

/// Name, whether it is called without an object, the function; nothing for what only the runtime calls.
fn described_method(method: Method) -> Option<Any> {
    let info = method.info();
    if info.name().starts_with("__ffi_") {
        return None;
    }
    Some(Any::array(vec![
        Any::string(info.name()),
        Any::bool(info.is_static()),
        method.function()?.into_any(),
    ]))
}

/// Defines a type: its key, the index of its parent, docs, whether objects are compared by their fields, and its fields, each as name,
/// type, docs, bits and, where it has one, default. Last come functions by which its objects are shown and compared, with their names.
fn define(args: Args<'_>) -> Result<Any> {
    args.count(6, 6)?;
    let mut definition =
        ObjectType::define(args.get::<String>(0, "key")?).doc(args.get::<String>(2, "doc")?);
    let parent: AnyView<'_> = args.get(1, "parent")?;
    if !parent.is_none() {
        definition = definition.parent(object_type(&parent)?);
    }
    if args.get(3, "compared")? {
        definition = definition.compared_by_fields();
    }
    let fields: AnyView<'_> = args.get(4, "fields")?;
    for field in items(&fields)? {
        definition = definition.field(field_spec(&field.view())?);
    }
    let hooks: AnyView<'_> = args.get(5, "hooks")?;
    let of = definition.finish()?;
    for hook in items(&hooks)?.chunks(2) {
        if let [name, function] = hook
            && let Kind::Str(name) = name.kind()
        {
            types::set_attribute(of.index(), name, function.clone())?;
        }
    }
    Ok(Any::int(of.index().into()))
}

fn items<'a>(value: &'a AnyView<'a>) -> Result<&'a [Any]> {
    match value.kind() {
        Kind::Array(items) => Ok(items),
        _ => Err(wrong(format!("an array is wanted, found {value:?}"))),
    }
}

fn field_spec(said: &AnyView<'_>) -> Result<FieldSpec> {
    let [name, of, doc, bits, default @ ..] = items(said)? else {
        return Err(wrong(format!("a field is wanted, found {said:?}")));
    };
    let (Kind::Str(name), Kind::Str(of), Kind::Str(doc), Kind::Int(bits)) =
        (name.kind(), of.kind(), doc.kind(), bits.kind())
    else {
        return Err(wrong(format!("a field is wanted, found {said:?}")));
    };
    let mut field = FieldSpec::new(name, FieldType::parse(of)?).doc(doc);
    if bits & flag::WRITABLE == 0 {
        field = field.read_only();
    }
    field = field.with(bits);
    let Some(default) = default.first() else {
        return Ok(field);
    };
    Ok(match default.kind() {
        Kind::Function(factory) if bits & flag::DEFAULT_IS_FACTORY != 0 => field.factory(&factory),
        _ => field.default(default.clone()),
    })
}

/// An object or a container as text.
fn text(args: Args<'_>) -> Result<Any> {
    args.count(1, 1)?;
    let value: AnyView<'_> = args.get(0, "object")?;
    Ok(Any::string(&format!("{value:?}")))
}

/// Whether two values are equal; what their types raise comes through.
fn equal(args: Args<'_>) -> Result<Any> {
    args.count(2, 2)?;
    value::try_equal(args.get(0, "object")?, args.get(1, "other")?).map(Any::bool)
}

/// Which of two values comes first: less than, equal to or more than 0.
fn compare(args: Args<'_>) -> Result<Any> {
    args.count(2, 2)?;
    let order = value::compare(args.get(0, "object")?, args.get(1, "other")?)?;
    Ok(Any::int(order as i128))
}
