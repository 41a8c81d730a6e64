//! Calls whose arguments and result go through the [frame](crate::bytes::frame).
//!
//! Numbers and held values need nothing of the engine: they are views for core right away. All else is read as
//! [`Given`], which may run JavaScript, and so never before the whole frame was read.

use std::ptr;

use napi::bindgen_prelude::{Array, JsValue, Unknown};
use napi::sys::napi_value;
use tenspan::abi::layout::index;
use tenspan::generated::dispatch;
use tenspan::value::{Any, AnyView, Args, Kind};
use tenspan::{Error, ErrorKind};

use crate::bytes::frame::{Frame, NUMBERS, RECORDS, Record, tag};
use crate::bytes::{self, MAX_SAFE};
use crate::host::Scope;
use crate::value::{self, Given};
use crate::{custom, error, guarded};

/// What stands in a frame when a call begins.
pub struct Packed {
    /// Which entry is called.
    pub index: usize,
    /// The arguments.
    pub records: Vec<Record>,
    /// Numbers of lists.
    pub numbers: Vec<f64>,
}

impl Packed {
    fn read(frame: &Frame) -> Self {
        let (index, count) = head(frame);
        let records: Vec<Record> = (1..=count).map(|i| frame.get(i)).collect();
        let has_list = records.iter().any(|record| record.tag == tag::LIST);
        let numbers = if has_list { NUMBERS } else { 0 };
        Packed {
            index,
            records,
            numbers: (0..numbers).map(|i| frame.number(i)).collect(),
        }
    }

    /// The numbers of a list; none where the frame does not have them.
    pub fn list(&self, record: Record) -> &[f64] {
        let start = record.payload as usize;
        let end = start.saturating_add(record.extra as usize);
        self.numbers.get(start..end).unwrap_or(&[])
    }
}

/// The entry to call, and how many arguments there are.
#[inline]
fn head(frame: &Frame) -> (usize, usize) {
    let head = frame.get(0);
    (
        head.tag as u32 as usize,
        (head.extra as usize).min(RECORDS - 1),
    )
}

/// A call without values of JavaScript.
#[inline]
pub fn run(scope: &Scope<'_>) -> napi::Result<napi_value> {
    let (index, count) = head(&scope.room.frame);
    let Some((name, entry)) = dispatch::METHODS.get(index) else {
        return ordinary(scope, &[]);
    };
    let result = if count <= FEW {
        enter::<FEW>(scope, name, *entry, count)
    } else {
        enter::<{ RECORDS - 1 }>(scope, name, *entry, count)
    };
    scope.room.objects.catch_up();
    match result {
        Ok(result) => deliver(scope, result),
        Err(Refused::Ordinary) => ordinary(scope, &[]),
        Err(Refused::Disposed) => Err(value::disposed(scope)),
        Err(Refused::Core(error)) => Err(error::throw(scope, &error)),
    }
}

/// Arguments of most calls.
const FEW: usize = 4;

/// Why an entry gave no result.
enum Refused {
    /// An argument is none that core can take as it is.
    Ordinary,
    /// An argument holds nothing any more.
    Disposed,
    /// The entry says so.
    Core(Error),
}

/// Calls an entry with up to `MOST` packed arguments, which are views of what the frame and the table hold.
#[inline]
fn enter<const MOST: usize>(
    scope: &Scope<'_>,
    name: &str,
    entry: dispatch::Method,
    count: usize,
) -> Result<Any, Refused> {
    let frame = &scope.room.frame;
    let in_use = scope.room.objects.in_use();
    let mut views = [AnyView::NONE; MOST];
    for (i, view) in views[..count].iter_mut().enumerate() {
        let record = frame.get(i + 1);
        *view = match record.tag {
            tag::NONE => AnyView::NONE,
            tag::NUMBER => number(record.number()),
            tag::BOOL => AnyView::bool(record.payload != 0),
            tag::HANDLE => {
                let held = in_use.get(record.number()).ok_or(Refused::Disposed)?;
                held.value.view()
            }
            _ => return Err(Refused::Ordinary),
        };
    }
    entry(Args::new(name, &views[..count])).map_err(Refused::Core)
}

/// A call with typed arrays among the arguments.
pub fn run_with(scope: &Scope<'_>, values: &[napi_value]) -> napi::Result<napi_value> {
    let (index, count) = head(&scope.room.frame);
    if let Some(result) = scope.room.metrics.call(scope, index, count, values) {
        return match result {
            Ok(result) => deliver(scope, result),
            Err(error) => Err(error::throw(scope, &error)),
        };
    }
    let values: Vec<Unknown<'_>> = values
        .iter()
        .map(|value| bytes::unknown(scope.env, *value))
        .collect();
    ordinary(scope, &values)
}

/// A call with any values.
pub fn call(scope: &Scope<'_>, list: &Array<'_>) -> napi::Result<napi_value> {
    let mut values = Vec::with_capacity(list.len() as usize);
    for i in 0..list.len() {
        if let Some(value) = list.get::<Unknown<'_>>(i)? {
            values.push(value);
        }
    }
    ordinary(scope, &values)
}

/// Arguments that core cannot take as they are.
fn ordinary(scope: &Scope<'_>, values: &[Unknown<'_>]) -> napi::Result<napi_value> {
    let packed = Packed::read(&scope.room.frame);
    let given = Given::read(scope, &packed, values)?;
    if let Some((name, entry)) = dispatch::METHODS.get(packed.index) {
        let result = guarded(|| entry(Args::new(name, &given.views())));
        given.finish(scope)?;
        return match result {
            Ok(result) => deliver(scope, result),
            Err(error) => Err(error::throw(scope, &error)),
        };
    }
    let own = packed.index - dispatch::METHODS.len();
    let Some((name, entry)) = custom::METHODS.get(own) else {
        let message = format!("there is no entry {}", packed.index);
        return Err(error::throw(
            scope,
            &Error::new(ErrorKind::InternalError, message),
        ));
    };
    let result = guarded(|| entry(scope, &given, Args::new(name, &given.views())));
    given.finish(scope)?;
    match result {
        Ok(custom::Made::Core(result)) => deliver(scope, result),
        Ok(custom::Made::Js(made)) => {
            let made = made?;
            scope.room.frame.put(0, plain(tag::VALUE, 0));
            Ok(made.raw())
        }
        Err(error) => Err(error::throw(scope, &error)),
    }
}

/// Whole numbers become integers while they are exact; a negative zero is none.
#[inline]
fn number(number: f64) -> AnyView<'static> {
    match value::whole(number) {
        Some(whole) => AnyView::int(whole),
        None => AnyView::float(number),
    }
}

fn plain(tag: i32, payload: u64) -> Record {
    Record {
        tag,
        extra: 0,
        payload,
    }
}

/// Puts a result into the frame. What has no place there is returned.
fn deliver(scope: &Scope<'_>, result: Any) -> napi::Result<napi_value> {
    let frame = &scope.room.frame;
    let (record, returned) = match result.kind() {
        Kind::None => (plain(tag::NONE, 0), None),
        Kind::Bool(value) => (plain(tag::BOOL, value.into()), None),
        Kind::Int(whole) if (-MAX_SAFE..=MAX_SAFE).contains(&whole) => {
            (plain(tag::NUMBER, (whole as f64).to_bits()), None)
        }
        Kind::Float(number) => (plain(tag::NUMBER, number.to_bits()), None),
        Kind::DType(dtype) => {
            let number = scope.room.dtype(dtype);
            (handle(index::DTYPE, number), None)
        }
        Kind::Array(items) if put_list(frame, items) => {
            let record = Record {
                tag: tag::LIST,
                extra: items.len() as u32,
                payload: 0,
            };
            (record, None)
        }
        Kind::Tensor(tensor) => {
            let lent = bytes::lent(scope, &tensor)?;
            let number = value::hold_tensor(scope, tensor);
            (handle(index::TENSOR, number), lent)
        }
        Kind::Other(type_index) => {
            let number = scope.room.hold(scope.env, result.clone(), 0);
            (handle(type_index, number), None)
        }
        _ => (
            plain(tag::VALUE, 0),
            Some(value::view_to_js(scope, &result.view())?),
        ),
    };
    frame.put(0, record);
    Ok(returned.map_or(ptr::null_mut(), |value| value.raw()))
}

fn handle(type_index: i32, number: f64) -> Record {
    Record {
        tag: tag::HANDLE,
        extra: type_index as u32,
        payload: number.to_bits(),
    }
}

/// Writes a list of numbers into the frame, if it is one and has room there.
fn put_list(frame: &Frame, items: &[Any]) -> bool {
    if items.len() > NUMBERS {
        return false;
    }
    items.iter().enumerate().all(|(i, item)| {
        let number = match item.kind() {
            Kind::Int(whole) if (-MAX_SAFE..=MAX_SAFE).contains(&whole) => whole as f64,
            Kind::Float(number) => number,
            _ => return false,
        };
        frame.put_number(i, number);
        true
    })
}
