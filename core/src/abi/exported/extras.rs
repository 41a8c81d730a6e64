//! Functions that the public headers look up by name.
//!
//! They are found by compiled modules alone: the registry does not list them, and a function that somebody registers under such a
//! name is found before them.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::container::{Array, Dict, List, Map, Shape};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::object::{self, ObjectType};
use crate::registry;
use crate::value::{Any, AnyView, Args, IntoAny, Kind};

type Body = fn(&Args<'_>) -> Result<Any>;

/// Name, names of the parameters, what it does.
const FUNCTIONS: &[(&str, &[&str], Body)] = &[
    ("ffi.FunctionListGlobalNamesFunctor", &[], list_names),
    ("ffi.FunctionRemoveGlobal", &["name"], |args| {
        let name: String = args.get(0, "name")?;
        Ok(Any::bool(registry::remove_global_func(&name)))
    }),
    ("ffi._RegisterFFIInit", &["type_index"], |args| {
        object_type(args)?.register_field_init()?;
        Ok(Any::NONE)
    }),
    ("ffi.MakeObjectFromPackedArgs", &[], |args| {
        let named = object::pairs(args.values().get(1..).unwrap_or_default())?;
        Ok(object_type(args)?.from_fields(&[], &named)?.into_any())
    }),
    ("ffi.GetKwargsObject", &[], |_| {
        Ok(object::keywords().clone())
    }),
    ("ffi.Array", &[], |args| {
        Ok(Array::new(&owned(args)).into_any())
    }),
    ("ffi.List", &[], |args| {
        Ok(List::new(&owned(args))?.into_any())
    }),
    ("ffi.Map", &[], |args| {
        Ok(Map::new(&pairs(args)?)?.into_any())
    }),
    ("ffi.Dict", &[], |args| {
        Ok(Dict::new(&pairs(args)?)?.into_any())
    }),
    ("ffi.Shape", &[], |args| {
        let lengths: Result<Vec<i64>> = (0..args.len()).map(|i| args.get(i, "length")).collect();
        Ok(Shape::new(&lengths?).into_any())
    }),
    ("ffi.String", &["text"], |args| {
        Ok(Any::string(args.get::<&str>(0, "text")?))
    }),
    ("ffi.Bytes", &["bytes"], |args| {
        Ok(Any::bytes(args.get::<&[u8]>(0, "bytes")?))
    }),
];

/// The function of a name that the headers look up.
pub fn find(name: &str) -> Option<Function> {
    static MADE: LazyLock<HashMap<&str, Function>> = LazyLock::new(|| {
        let made = FUNCTIONS.iter().map(|(name, parameters, body)| {
            let function = Function::named(*name, parameters, |args| body(&Args::new(name, args)));
            (*name, function)
        });
        made.collect()
    });
    MADE.get(name).cloned()
}

/// The type whose index is the first argument.
fn object_type(args: &Args<'_>) -> Result<ObjectType> {
    let type_index: i32 = args.get(0, "type_index")?;
    ObjectType::from_index(type_index).ok_or_else(|| {
        let message = format!("there is no type of objects of the index {type_index}");
        Error::new(ErrorKind::ValueError, message)
    })
}

fn owned(args: &Args<'_>) -> Vec<Any> {
    args.values().iter().map(|value| value.to_any()).collect()
}

/// Keys and values in turn.
fn pairs(args: &Args<'_>) -> Result<Vec<Any>> {
    if !args.len().is_multiple_of(2) {
        let message = format!("keys and values in turn are wanted, found {}", args.len());
        return Err(Error::new(ErrorKind::ValueError, message));
    }
    Ok(owned(args))
}

/// A function that returns how many functions there are for -1, and the name of one for its position.
fn list_names(_: &Args<'_>) -> Result<Any> {
    let names = registry::list_global_func_names();
    let functor = move |args: &[AnyView<'_>]| match args.first().map(AnyView::kind) {
        Some(Kind::Int(-1)) => Ok(Any::int(names.len() as i128)),
        Some(Kind::Int(at)) => usize::try_from(at)
            .ok()
            .and_then(|at| names.get(at))
            .map(|name| Any::string(name))
            .ok_or_else(|| {
                let message = format!("position {at} of {} names", names.len());
                Error::new(ErrorKind::IndexError, message)
            }),
        _ => Err(Error::new(
            ErrorKind::TypeError,
            "the position of a name is wanted",
        )),
    };
    Ok(Function::new(functor).into_any())
}
