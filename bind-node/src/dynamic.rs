//! Calls whose values keep what they are: of functions, and of the members of containers.
//!
//! A container stays one, and an object of core has one object of JavaScript while that is alive. What the rest of this front
//! reads as lists of numbers, options or tensors is here an array, a map, or something that only JavaScript understands.

use std::ptr;

use napi::bindgen_prelude::{Array, JsValue, ToNapiValue, Unknown};
use napi::sys::napi_value;
use tenspan::abi::layout::index;
use tenspan::function::Function;
use tenspan::generated::dispatch;
use tenspan::value::{Any, AnyView, Args, FromAny, IntoAny, Kind};
use tenspan::{Error, ErrorKind, Result};

use crate::bytes::frame::{RECORDS, Record, tag};
use crate::bytes::pinned::{self, Pinned};
use crate::bytes::watched::LARGE;
use crate::bytes::{self, MAX_SAFE};
use crate::host::{Ask, Scope};
use crate::kept::Kept;
use crate::packed::Answer;
use crate::{callback, classes, custom, error, guarded, value};

mod read;

pub use read::read;

/// What is called, in the head of the frame, when it is no entry of the table. The numbers are those in `js/dynamic.cjs`.
mod target {
    /// The function that is the first argument.
    pub const FUNCTION: i32 = -1;
    /// Nothing: the argument is the result.
    pub const CONVERT: i32 = -2;
}

/// What becomes of a result, in the head of the frame.
mod mode {
    /// The items of an array are given as an array of JavaScript.
    pub const SPREAD: u32 = 1;
    /// A function is given as a `Function`, also when it was one of JavaScript.
    pub const WRAP: u32 = 2;
}

/// Arguments of most calls.
const FEW: usize = 4;

/// Calls a function whose arguments are all packed.
#[inline]
pub fn invoke(scope: &Scope<'_>) -> Answer {
    scope.room.post.let_go(scope);
    let head = scope.room.frame.get(0);
    let count = (head.extra as usize).min(RECORDS - 1);
    if count <= FEW {
        invoke_packed::<FEW>(scope, head.number(), count)
    } else {
        invoke_packed::<{ RECORDS - 1 }>(scope, head.number(), count)
    }
}

#[inline]
fn invoke_packed<const MOST: usize>(scope: &Scope<'_>, function: f64, count: usize) -> Answer {
    let frame = &scope.room.frame;
    let objects = &scope.room.objects;
    let pinned = Pinned::new(objects);
    let look = pinned.look();
    let mut views = [AnyView::NONE; MOST];
    for (i, view) in views[..count].iter_mut().enumerate() {
        let record = frame.get(i + 1);
        *view = if record.tag == tag::HANDLE {
            match look.get(record.number()) {
                Some(view) => view,
                None => {
                    drop(look);
                    return Err(value::disposed(scope).into());
                }
            }
        } else {
            unpacked(record)
        };
    }
    let views = &views[..count];
    let function = look.get(function);
    drop(look);
    let Some(function) = function else {
        return Err(value::disposed(scope).into());
    };
    let result = pinned::call(function, views);
    // The table holds one.
    let has_escaped = views.iter().any(|view| bytes::holders(*view) > 1);
    drop(pinned);
    objects.catch_up();
    match result {
        Ok(result) => match plain(&result.view()) {
            Some(record) => {
                frame.put(0, record);
                frame.put(1, escaped(has_escaped));
                Ok(ptr::null_mut())
            }
            None => Ok(deliver(scope, result, 0, has_escaped)?),
        },
        Err(error) => Err(error::throw(scope, &error).into()),
    }
}

/// What JavaScript is told of the arguments.
#[inline]
fn escaped(has_escaped: bool) -> Record {
    Record {
        tag: has_escaped.into(),
        ..Record::default()
    }
}

/// A number, a truth or nothing.
#[inline]
fn unpacked(record: Record) -> AnyView<'static> {
    match record.tag {
        tag::NUMBER => match value::whole(record.number()) {
            Some(whole) => AnyView::int(whole),
            None => AnyView::float(record.number()),
        },
        tag::BOOL => AnyView::bool(record.payload != 0),
        _ => AnyView::NONE,
    }
}

/// Calls what the head of the frame says, with any values.
pub fn call(scope: &Scope<'_>, list: &Array<'_>) -> Answer {
    scope.room.post.let_go(scope);
    let head = scope.room.frame.get(0);
    let values = arguments(scope, list)?;
    let result = guarded(|| called(head.tag, &values));
    drop(values);
    scope.room.objects.catch_up();
    match result {
        Ok(result) => Ok(deliver(scope, result, head.extra, false)?),
        Err(error) => Err(error::throw(scope, &error).into()),
    }
}

fn called(target: i32, values: &[Any]) -> Result<Any> {
    let views = AnyView::slice(values);
    match (target, views) {
        (target::FUNCTION, [function, args @ ..]) => match function.kind() {
            Kind::Function(function) => function.call_views(args),
            _ => Err(Error::new(
                ErrorKind::TypeError,
                format!("{} wanted, found {function:?}", Function::wanted()),
            )),
        },
        (target::CONVERT, [value]) => Ok(value.to_any()),
        _ => {
            let entry = usize::try_from(target).ok().and_then(find_entry);
            let (name, entry) = entry.ok_or_else(|| {
                let message = format!("there is no dynamic entry {target}");
                Error::new(ErrorKind::InternalError, message)
            })?;
            entry(Args::new(name, views))
        }
    }
}

/// An entry of core's table, or one of [`classes`], which stand behind all others.
fn find_entry(at: usize) -> Option<&'static (&'static str, dispatch::Method)> {
    let behind = dispatch::METHODS.len() + custom::METHODS.len();
    dispatch::METHODS
        .get(at)
        .or_else(|| classes::METHODS.get(at.checked_sub(behind)?))
}

/// The arguments: what is packed from the frame, all else from the list.
fn arguments(scope: &Scope<'_>, list: &Array<'_>) -> napi::Result<Vec<Any>> {
    let count = list.len() as usize;
    let packed = count.min(RECORDS - 1);
    let records: Vec<Record> = (1..=packed).map(|at| scope.room.frame.get(at)).collect();
    let mut values = vec![Any::NONE; count];
    // First what is held: what is read later may run code of the user, which may let go of it.
    for (value, record) in values.iter_mut().zip(&records) {
        *value = match record.tag {
            tag::NUMBER => value::number(record.number()),
            tag::BOOL => Any::bool(record.payload != 0),
            tag::HANDLE => value::held(scope, record.number())?,
            _ => continue,
        };
    }
    for (i, value) in values.iter_mut().enumerate() {
        if records.get(i).is_none_or(|record| record.tag == tag::VALUE)
            && let Some(given) = list.get::<Unknown<'_>>(i as u32)?
        {
            *value = read(scope, given, 0)?;
        }
    }
    Ok(values)
}

/// The address of the object that a number stands for; 0 for values that are none.
pub fn address_of(scope: &Scope<'_>, number: f64) -> f64 {
    let in_use = scope.room.objects.in_use();
    in_use
        .get(number)
        .map_or(0.0, |held| bytes::address(held.value.view()) as f64)
}

/// Puts a result into the frame. What has no place there is returned.
fn deliver(
    scope: &Scope<'_>,
    result: Any,
    mode: u32,
    has_escaped: bool,
) -> napi::Result<napi_value> {
    let escaped = escaped(has_escaped);
    let frame = &scope.room.frame;
    if let Some(record) = plain(&result.view()) {
        frame.put(0, record);
        frame.put(1, escaped);
        return Ok(ptr::null_mut());
    }
    let returned = Record {
        tag: tag::VALUE,
        ..Record::default()
    };
    let handle = |tag, type_index, number: f64| Record {
        tag,
        extra: type_index as u32,
        payload: number.to_bits(),
    };
    let mut lent = None;
    let mut is_large = false;
    let record = match result.kind() {
        Kind::DType(dtype) => handle(tag::HANDLE, index::DTYPE, scope.room.dtype(dtype)),
        Kind::Device(device) => handle(tag::HANDLE, index::DEVICE, scope.room.device(device)),
        Kind::Array(items) if mode == mode::SPREAD => {
            lent = Some(spread(scope, items)?);
            returned
        }
        Kind::List(list) if mode == mode::SPREAD => {
            lent = Some(spread(scope, &list.items())?);
            returned
        }
        Kind::Shape(lengths) if mode == mode::SPREAD => {
            let lengths: Vec<Any> = lengths
                .iter()
                .map(|length| Any::int((*length).into()))
                .collect();
            lent = Some(spread(scope, &lengths)?);
            returned
        }
        _ => match as_itself(scope, &result.view(), mode)? {
            Some(value) => {
                lent = Some(value);
                returned
            }
            None => {
                let number = match result.kind() {
                    Kind::Tensor(tensor) => {
                        lent = bytes::lent(scope, &tensor)?;
                        is_large = tensor.storage().len() as u64 >= LARGE;
                        value::hold_tensor(scope, tensor)
                    }
                    _ => scope.room.hold(scope.env, result.clone(), 0),
                };
                handle(tag::OBJECT, result.view().type_index(), number)
            }
        },
    };
    frame.put(0, record);
    frame.put(
        1,
        Record {
            extra: is_large.into(),
            payload: (bytes::address(result.view()) as f64).to_bits(),
            ..escaped
        },
    );
    Ok(lent.map_or(ptr::null_mut(), |value| value.raw()))
}

/// What a value is in JavaScript when it is no object of a class of ours; none for those.
fn as_itself<'env>(
    scope: &Scope<'env>,
    value: &AnyView<'_>,
    mode: u32,
) -> napi::Result<Option<Unknown<'env>>> {
    match value.kind() {
        Kind::Function(function) if mode != mode::WRAP => {
            callback::original(scope, &function).transpose()
        }
        Kind::Opaque(opaque) => {
            let kept = opaque
                .value()
                .and_then(|value| (value as &dyn std::any::Any).downcast_ref::<Kept>());
            kept.and_then(|kept| kept.value(scope)).transpose()
        }
        Kind::Error(error) => error::object(scope, &error).map(Some),
        Kind::Bytes(bytes) => bytes::buffer(scope, bytes).map(Some),
        Kind::Tensor(_)
        | Kind::Function(_)
        | Kind::Array(_)
        | Kind::List(_)
        | Kind::Map(_)
        | Kind::Dict(_)
        | Kind::Shape(_) => Ok(None),
        Kind::Other(_) if value::complex(value).is_none() => Ok(None),
        _ => value::view_to_js(scope, value).map(Some),
    }
}

fn spread<'env>(scope: &Scope<'env>, items: &[Any]) -> napi::Result<Unknown<'env>> {
    list(scope, AnyView::slice(items))
}

/// An array of values.
pub fn list<'env>(scope: &Scope<'env>, values: &[AnyView<'_>]) -> napi::Result<Unknown<'env>> {
    let mut array = scope.env.create_array(values.len() as u32)?;
    for (i, value) in values.iter().enumerate() {
        array.set(i as u32, to_js(scope, value)?)?;
    }
    Ok(array.to_unknown())
}

/// Puts the arguments of a function of JavaScript into the frame, if all of them have a place there.
pub fn pack(scope: &Scope<'_>, args: &[AnyView<'_>]) -> bool {
    if args.len() >= RECORDS {
        return false;
    }
    let frame = &scope.room.frame;
    for (i, arg) in args.iter().enumerate() {
        let Some(record) = plain(arg) else {
            return false;
        };
        frame.put(i + 1, record);
    }
    frame.put(
        0,
        Record {
            extra: args.len() as u32,
            ..Record::default()
        },
    );
    true
}

/// The result of a function of JavaScript, in the frame.
pub fn unpack(scope: &Scope<'_>) -> Any {
    unpacked(scope.room.frame.get(0)).to_any()
}

/// The record of a number, a truth or nothing.
#[inline]
fn plain(value: &AnyView<'_>) -> Option<Record> {
    let raw = value.raw();
    let (tag, payload) = match raw.type_index {
        index::NONE => (tag::NONE, 0),
        index::BOOL => (tag::BOOL, raw.payload),
        index::FLOAT => (tag::NUMBER, raw.payload),
        index::INT if (-MAX_SAFE..=MAX_SAFE).contains(&(raw.payload as i64)) => {
            (tag::NUMBER, (raw.payload as i64 as f64).to_bits())
        }
        _ => return None,
    };
    Some(Record {
        tag,
        extra: 0,
        payload,
    })
}

/// A value of core as one of JavaScript.
pub fn to_js<'env>(scope: &Scope<'env>, view: &AnyView<'_>) -> napi::Result<Unknown<'env>> {
    if let Some(value) = as_itself(scope, view, 0)? {
        return Ok(value);
    }
    let value = view.to_any();
    if let Some(found) = find(scope, bytes::address(value.view()))? {
        return Ok(found);
    }
    let lent = match value.kind() {
        Kind::Tensor(tensor) => bytes::lent(scope, &tensor)?,
        _ => None,
    };
    let type_index = value.view().type_index();
    wrap(scope, value, type_index, lent)
}

/// The object that stands for an object of core, if one is alive.
pub fn find<'env>(scope: &Scope<'env>, address: u64) -> napi::Result<Option<Unknown<'env>>> {
    let found = scope.ask(Ask::Find, (address as f64).into_unknown(scope.env)?)?;
    let is_there = found.get_type()? != napi::ValueType::Undefined;
    Ok(is_there.then_some(found))
}

/// A new object that stands for an object of core.
pub fn wrap<'env>(
    scope: &Scope<'env>,
    value: Any,
    type_index: i32,
    lent: Option<Unknown<'env>>,
) -> napi::Result<Unknown<'env>> {
    let address = bytes::address(value.view()) as f64;
    let number = match value.kind() {
        Kind::Tensor(tensor) => {
            drop(value);
            value::hold_tensor(scope, tensor)
        }
        _ => scope.room.hold(scope.env, value, 0),
    };
    let object = value::wrap(scope, type_index, number, lent)?;
    let address = address.into_unknown(scope.env)?;
    scope.ask_with(Ask::Remember, [Some(object), Some(address), None])?;
    Ok(object)
}

/// Keeps a value that only JavaScript understands.
fn opaque(scope: &Scope<'_>, given: Unknown<'_>) -> napi::Result<Any> {
    let kept = Kept::new(scope, given)?;
    let address = kept.number() as u64;
    Ok(tenspan::value::Opaque::new(address, Box::new(kept)).into_any())
}
