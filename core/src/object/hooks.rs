//! Functions that a type has for its objects: how they are shown, compared, ordered and hashed.
//!
//! Each is an attribute of the type itself, not of types derived from it. It gets the object, or both, and a function that does the
//! same with a value inside of it. An object that is met again inside of itself is not entered twice.

use std::cell::RefCell;
use std::cmp::Ordering;

use crate::abi::object::ObjectRef;
use crate::abi::types::{self, Hook};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::value::{self, Any, AnyView, IntoAny, Kind};

/// Functions of types inside of one another.
const DEEPEST: usize = 200;

thread_local! {
    /// What is being done on this thread, and with which objects.
    static ENTERED: RefCell<Vec<(Hook, [u64; 2])>> = const { RefCell::new(Vec::new()) };
}

/// Ends with what was entered.
struct Entered;

impl Drop for Entered {
    fn drop(&mut self) {
        ENTERED.with(|entered| entered.borrow_mut().pop());
    }
}

/// Notes what is being done; nothing when it is being done already.
fn enter(hook: Hook, objects: [&ObjectRef; 2]) -> Result<Option<Entered>> {
    let step = (hook, objects.map(|object| object.handle().as_ptr() as u64));
    ENTERED.with(|entered| {
        let mut entered = entered.borrow_mut();
        if entered.contains(&step) {
            return Ok(None);
        }
        if entered.len() >= DEEPEST {
            let message = format!(
                "`{}`: objects are nested more than {DEEPEST} deep",
                hook.name()
            );
            return Err(Error::new(ErrorKind::ValueError, message));
        }
        entered.push(step);
        Ok(Some(Entered))
    })
}

fn function(hook: Hook, type_index: i32) -> Option<Function> {
    hook.of(type_index)?
        .object()
        .and_then(Function::from_object)
}

/// Calls a function of a type, and says what it returned in the place of what was wanted.
fn call<T>(
    hook: Hook,
    of: &ObjectRef,
    args: &[AnyView<'_>],
    read: impl FnOnce(&Kind<'_>) -> Option<T>,
) -> Result<Option<T>> {
    let Some(function) = function(hook, of.type_index()) else {
        return Ok(None);
    };
    let result = function.call_views(args)?;
    if let Some(read) = read(&result.kind()) {
        return Ok(Some(read));
    }
    let (key, name) = (types::key(of.type_index()), hook.name());
    let message = format!("`{name}` of `{key}` returned {}", result.view().type_name());
    Err(Error::new(ErrorKind::TypeError, message))
}

/// An object as an argument.
fn object(object: &ObjectRef) -> Any {
    Any::object(object.clone())
}

/// The text of an object by the function of its type; `show` gives the text of a value inside of it.
///
/// # Errors
/// What the function raises.
pub fn shown(of: &ObjectRef, show: &Function) -> Result<Option<String>> {
    if Hook::Repr.of(of.type_index()).is_none() {
        return Ok(None);
    }
    let Some(_entered) = enter(Hook::Repr, [of, of])? else {
        return Ok(Some("...".to_owned()));
    };
    let (this, show) = (object(of), show.clone().into_any());
    call(
        Hook::Repr,
        of,
        &[this.view(), show.view()],
        |kind| match kind {
            Kind::Str(text) => Some((*text).to_owned()),
            _ => None,
        },
    )
}

/// Whether a type has a function by which its objects are compared.
pub fn compares(type_index: i32) -> bool {
    Hook::Equal.of(type_index).is_some() || Hook::Compare.of(type_index).is_some()
}

/// Whether two objects are equal by the function of their type.
///
/// # Errors
/// What the function raises.
pub fn equal(a: &ObjectRef, b: &ObjectRef) -> Result<Option<bool>> {
    let of = a.type_index();
    if of != b.type_index() || !compares(of) {
        return Ok(None);
    }
    if Hook::Equal.of(of).is_none() {
        return Ok(ordered(a, b)?.map(Ordering::is_eq));
    }
    let Some(_entered) = enter(Hook::Equal, [a, b])? else {
        return Ok(Some(true));
    };
    let inside = Function::new(|args| {
        let [a, b] = both(args)?;
        value::try_equal(a, b).map(Any::bool)
    });
    let (left, right, inside) = (object(a), object(b), inside.into_any());
    let args = [left.view(), right.view(), inside.view()];
    call(Hook::Equal, a, &args, |kind| match kind {
        Kind::Bool(same) => Some(*same),
        Kind::Int(same) => Some(*same != 0),
        _ => None,
    })
}

/// Which of two objects comes first, by the function of their type.
///
/// # Errors
/// What the function raises.
pub fn ordered(a: &ObjectRef, b: &ObjectRef) -> Result<Option<Ordering>> {
    let of = a.type_index();
    if of != b.type_index() || Hook::Compare.of(of).is_none() {
        return Ok(None);
    }
    let Some(_entered) = enter(Hook::Compare, [a, b])? else {
        return Ok(Some(Ordering::Equal));
    };
    let inside = Function::new(|args| {
        let [a, b] = both(args)?;
        Ok(Any::int(value::compare(a, b)? as i128))
    });
    let (left, right, inside) = (object(a), object(b), inside.into_any());
    let args = [left.view(), right.view(), inside.view()];
    call(Hook::Compare, a, &args, |kind| match kind {
        Kind::Int(order) => Some(order.cmp(&0)),
        _ => None,
    })
}

/// The hash of an object by the function of its type.
///
/// # Errors
/// [`ErrorKind::TypeError`] for a type that has a function to compare its objects and none to hash them; what the function raises.
pub fn hash(of: &ObjectRef) -> Result<Option<u64>> {
    if Hook::Hash.of(of.type_index()).is_none() {
        if !compares(of.type_index()) {
            return Ok(None);
        }
        let key = types::key(of.type_index());
        let message = format!(
            "objects of `{key}` have no hash: the type has a function to compare them and no `{}`",
            Hook::Hash.name()
        );
        return Err(Error::new(ErrorKind::TypeError, message));
    }
    let Some(_entered) = enter(Hook::Hash, [of, of])? else {
        return Ok(Some(of.type_index() as u64));
    };
    let inside = Function::new(|args| {
        let value = args.first().copied().unwrap_or_default();
        value::try_hash(value).map(|hash| Any::int((hash as i64).into()))
    });
    let (this, inside) = (object(of), inside.into_any());
    call(
        Hook::Hash,
        of,
        &[this.view(), inside.view()],
        |kind| match kind {
            Kind::Int(hash) => Some(*hash as u64),
            _ => None,
        },
    )
}

/// The two arguments of a function that compares.
fn both<'a>(args: &[AnyView<'a>]) -> Result<[AnyView<'a>; 2]> {
    match args {
        [a, b] => Ok([*a, *b]),
        _ => {
            let message = format!("two values are wanted, found {}", args.len());
            Err(Error::new(ErrorKind::TypeError, message))
        }
    }
}
