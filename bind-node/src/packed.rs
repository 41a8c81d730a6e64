//! Calls whose arguments and result go through the [frame](crate::bytes::frame).
//!
//! Numbers and held values need nothing of the engine: they are views for core right away. All else is read as
//! [`Given`], which may run JavaScript, and so never before the whole frame was read.

use std::ptr;

use napi::bindgen_prelude::{Array, JsValue, Unknown};
use napi::sys::napi_value;
use tenspan::abi::layout::index;
use tenspan::generated::dispatch;
use tenspan::value::{Any, AnyView, Args, Complex, Kind};
use tenspan::{Error, ErrorKind};

use crate::bytes::frame::{Frame, NUMBERS, RECORDS, Record, tag};
use crate::bytes::{self, MAX_SAFE, watched::LARGE};
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

/// What a call returns, in as few words as registers hold.
pub type Answer = Result<napi_value, Box<napi::Error>>;

/// A call without values of JavaScript.
#[inline]
pub fn run(scope: &Scope<'_>) -> Answer {
    let (index, count) = head(&scope.room.frame);
    if let Some(answer) = scope.room.metrics.call(scope, index, count, &[]) {
        return answer;
    }
    match dispatch::METHODS.get(index) {
        Some((name, entry)) if count <= FEW => enter::<FEW>(scope, name, *entry, count),
        Some((name, entry)) => enter::<{ RECORDS - 1 }>(scope, name, *entry, count),
        None => ordinary(scope, &[]),
    }
}

/// Arguments of most calls.
const FEW: usize = 4;

/// Calls an entry with up to `MOST` packed arguments, which are views of what the frame and the table hold. Nothing is moved
/// that was just written: a processor that reads at once what was written piece by piece waits for all of it.
#[inline]
fn enter<const MOST: usize>(
    scope: &Scope<'_>,
    name: &str,
    entry: dispatch::Method,
    count: usize,
) -> Answer {
    let frame = &scope.room.frame;
    let in_use = scope.room.objects.in_use();
    let mut views = [AnyView::NONE; MOST];
    for (i, view) in views[..count].iter_mut().enumerate() {
        let record = frame.get(i + 1);
        *view = match record.tag {
            tag::NONE => AnyView::NONE,
            tag::NUMBER => number(record.number()),
            tag::BOOL => AnyView::bool(record.payload != 0),
            tag::HANDLE => match in_use.get(record.number()) {
                Some(held) => held.value.view(),
                None => {
                    drop(in_use);
                    return Err(Box::new(value::disposed(scope)));
                }
            },
            _ => {
                drop(in_use);
                return ordinary(scope, &[]);
            }
        };
    }
    let result = entry(Args::new(name, &views[..count]));
    drop(in_use);
    scope.room.objects.catch_up();
    match &result {
        Ok(plain) if put_plain(frame, plain) => Ok(ptr::null_mut()),
        Ok(result) => deliver(scope, result),
        Err(error) => Err(Box::new(error::throw(scope, error))),
    }
}

/// A call with typed arrays among the arguments.
#[inline]
pub fn run_with(scope: &Scope<'_>, values: &[napi_value]) -> Answer {
    let (index, count) = head(&scope.room.frame);
    if let Some(answer) = scope.room.metrics.call(scope, index, count, values) {
        return answer;
    }
    let values: Vec<Unknown<'_>> = values
        .iter()
        .map(|value| bytes::unknown(scope.env, *value))
        .collect();
    ordinary(scope, &values)
}

/// A call with any values.
pub fn call(scope: &Scope<'_>, list: &Array<'_>) -> Answer {
    let mut values = Vec::with_capacity(list.len() as usize);
    for i in 0..list.len() {
        if let Some(value) = list.get::<Unknown<'_>>(i)? {
            values.push(value);
        }
    }
    ordinary(scope, &values)
}

/// Arguments that core cannot take as they are.
#[cold]
fn ordinary(scope: &Scope<'_>, values: &[Unknown<'_>]) -> Answer {
    by_value(scope, values).map_err(Box::new)
}

fn by_value(scope: &Scope<'_>, values: &[Unknown<'_>]) -> napi::Result<napi_value> {
    let packed = Packed::read(&scope.room.frame);
    let given = Given::read(scope, &packed, values)?;
    if let Some((name, entry)) = dispatch::METHODS.get(packed.index) {
        let result = guarded(|| entry(Args::new(name, &given.views())));
        given.finish(scope)?;
        return match result {
            Ok(result) => made(scope, &result),
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
        Ok(custom::Made::Core(result)) => made(scope, &result),
        Ok(custom::Made::Js(made)) => {
            let value = made?;
            scope.room.frame.put(0, plain(tag::VALUE, 0));
            Ok(value.raw())
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

/// Puts a result into the frame that needs nothing but its record.
#[inline]
fn put_plain(frame: &Frame, result: &Any) -> bool {
    let record = match result.kind() {
        Kind::None => plain(tag::NONE, 0),
        Kind::Bool(value) => plain(tag::BOOL, value.into()),
        Kind::Int(whole) if (-MAX_SAFE..=MAX_SAFE).contains(&whole) => {
            plain(tag::NUMBER, (whole as f64).to_bits())
        }
        Kind::Float(number) => plain(tag::NUMBER, number.to_bits()),
        _ => return false,
    };
    frame.put(0, record);
    true
}

/// Puts a result into the frame. What has no place there is returned.
pub fn deliver(scope: &Scope<'_>, result: &Any) -> Answer {
    made(scope, result).map_err(Box::new)
}

fn made(scope: &Scope<'_>, result: &Any) -> napi::Result<napi_value> {
    let frame = &scope.room.frame;
    if put_plain(frame, result) {
        return Ok(ptr::null_mut());
    }
    let (record, returned) = match result.kind() {
        Kind::DType(dtype) => {
            let number = scope.room.dtype(dtype);
            (handle(index::DTYPE, number), None)
        }
        Kind::Device(device) => {
            let number = scope.room.device(device);
            (handle(index::DEVICE, number), None)
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
            let is_large = tensor.storage().len() as u64 >= LARGE;
            let number = value::hold_tensor(scope, tensor);
            let tag = if is_large { tag::LARGE } else { tag::HANDLE };
            let record = Record {
                tag,
                ..handle(index::TENSOR, number)
            };
            (record, lent)
        }
        Kind::Other(type_index) => match value::complex(&result.view()) {
            Some(Complex { re, im }) => {
                frame.put_number(0, im);
                (plain(tag::COMPLEX, re.to_bits()), None)
            }
            None => {
                let number = scope.room.hold(scope.env, result.clone(), 0);
                (handle(type_index, number), None)
            }
        },
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
