//! Values of JavaScript and of core, each made from the other.

use napi::Status;
use napi::bindgen_prelude::{
    Array, BigInt, JsValue, Null, Object, ToNapiValue, Uint8Array, Unknown, ValueType,
};
use tenspan::Tensor;
use tenspan::abi::layout::index;
use tenspan::storage::Storage;
use tenspan::value::{Any, AnyView, Complex, FromAny, IntoAny, Kind};

use crate::bytes::frame::{Record, tag};
use crate::bytes::{self, MAX_SAFE};
use crate::host::{Ask, Scope};
use crate::packed::Packed;
use crate::{Views, callback};

/// How deep arrays may be nested: deeper than any tensor has dimensions, and far from the end of the stack.
const MAX_DEPTH: u32 = 100;

/// Arguments of a call, and what they borrow from JavaScript.
#[derive(Default)]
pub struct Given<'env> {
    values: Vec<Any>,
    lent_bytes: Vec<(usize, bytes::Lent)>,
    arrays: Vec<Shown<'env>>,
    /// Values that are passed as they are, by their positions.
    raw: Vec<(usize, Unknown<'env>)>,
    has_function: bool,
    first: Option<f64>,
}

/// A typed array among the arguments, and the storage of the tensor that stands for it.
struct Shown<'env> {
    array: Unknown<'env>,
    storage: Storage,
}

impl<'env> Given<'env> {
    /// Reads arguments, `values` being those that are not packed, in their positions.
    pub fn read(
        scope: &Scope<'env>,
        packed: &Packed,
        values: &[Unknown<'env>],
    ) -> napi::Result<Self> {
        let mut given = Given {
            values: Vec::with_capacity(packed.records.len()),
            ..Given::default()
        };
        // First what is held: what is read later may run code of the user, which may let go of it.
        for record in &packed.records {
            let value = given.packed(scope, packed, *record)?;
            given.values.push(value);
        }
        let mut bytes = Vec::new();
        let mut has_other = false;
        for (i, record) in packed.records.iter().enumerate() {
            let Some(value) = values
                .get(i)
                .copied()
                .filter(|_| matches!(record.tag, tag::VALUE | tag::BYTES | tag::RAW))
            else {
                continue;
            };
            if record.tag == tag::RAW {
                given.raw.push((i, value));
                continue;
            }
            let is_bytes = record.tag == tag::BYTES;
            if is_bytes && value.get_type()? == ValueType::Object && value.is_typedarray()? {
                bytes.push((i, value));
                continue;
            }
            given.values[i] = match given.array(scope, value)? {
                Some(array) => array,
                None => {
                    has_other = true;
                    given.value(scope, value, 0)?
                }
            };
        }
        if has_other || !bytes.is_empty() {
            given.settle(scope, bytes)?;
        }
        Ok(given)
    }

    /// The arguments as core sees them.
    pub fn views(&self) -> Views<'_> {
        let mut views: Views<'_> = self.values.iter().map(Any::view).collect();
        for (position, lent) in &self.lent_bytes {
            views[*position] = lent.view();
        }
        views
    }

    /// The number of the object that a method was called on.
    pub fn object(&self) -> Option<f64> {
        self.first
    }

    /// A value that is passed as it is.
    pub fn raw(&self, position: usize) -> Option<Unknown<'env>> {
        let mut raw = self.raw.iter();
        raw.find_map(|(at, value)| (*at == position).then_some(*value))
    }

    /// Whether a tensor stands for a typed array of this call.
    pub fn is_typed_array(&self, tensor: &Tensor) -> bool {
        self.arrays
            .iter()
            .any(|shown| shown.storage.is_same(tensor.storage()))
    }

    /// Ends a call: typed arrays that a tensor still looks at are kept.
    pub fn finish(self, scope: &Scope<'env>) -> napi::Result<()> {
        let Given { values, arrays, .. } = self;
        drop(values);
        for shown in arrays {
            if !shown.storage.is_unique() {
                bytes::keep(scope, shown.array, &shown.storage)?;
            }
        }
        Ok(())
    }

    /// Ends the reading, which may have run code of the user: getters, iterators. From here on none runs, unless
    /// a function is among the arguments, which can do anything to the memory of the others.
    fn settle(
        &mut self,
        scope: &Scope<'env>,
        bytes: Vec<(usize, Unknown<'env>)>,
    ) -> napi::Result<()> {
        for shown in &self.arrays {
            if !bytes::is_over(scope, shown.array, &shown.storage) {
                let message =
                    "the buffer of an argument was transferred while the arguments were read";
                return Err(refuse(scope, "BufferError", message));
            }
            if self.has_function {
                bytes::keep(scope, shown.array, &shown.storage)?;
                scope.ask(Ask::Watch, shown.array)?;
            }
        }
        for (position, array) in bytes {
            let lent = bytes::Lent::new(array)?;
            if self.has_function {
                self.values[position] = lent.view().to_any();
            } else {
                self.lent_bytes.push((position, lent));
            }
        }
        Ok(())
    }

    /// A packed argument; nothing for one that is not packed.
    fn packed(
        &mut self,
        scope: &Scope<'env>,
        packed: &Packed,
        record: Record,
    ) -> napi::Result<Any> {
        Ok(match record.tag {
            tag::NUMBER => number(record.number()),
            tag::BOOL => Any::bool(record.payload != 0),
            tag::LIST => {
                let numbers = packed.list(record).iter().copied().map(number);
                Any::array(numbers.collect())
            }
            tag::HANDLE => {
                self.first.get_or_insert(record.number());
                held(scope, record.number())?
            }
            _ => Any::NONE,
        })
    }

    fn value(
        &mut self,
        scope: &Scope<'env>,
        value: Unknown<'env>,
        depth: u32,
    ) -> napi::Result<Any> {
        Ok(match value.get_type()? {
            ValueType::Undefined | ValueType::Null => Any::NONE,
            ValueType::Boolean => Any::bool(bytes::read(value)?),
            ValueType::Number => number(bytes::read(value)?),
            ValueType::BigInt => big_number(&bytes::read(value)?),
            ValueType::String => Any::string(&bytes::read::<String>(value)?),
            ValueType::Function => {
                self.has_function = true;
                callback::from_js(scope, value)?
            }
            ValueType::Object => self.any_object(scope, value, depth)?,
            ValueType::Symbol => {
                return Err(refuse(
                    scope,
                    "TypeError",
                    "a symbol cannot be passed to tenspan",
                ));
            }
            _ => {
                return Err(refuse(
                    scope,
                    "TypeError",
                    "a value of another library cannot be passed to tenspan",
                ));
            }
        })
    }

    /// A tensor over a typed array; none for other values.
    fn array(&mut self, scope: &Scope<'env>, value: Unknown<'env>) -> napi::Result<Option<Any>> {
        let Some(tensor) = bytes::tensor(scope, value)? else {
            return Ok(None);
        };
        self.arrays.push(Shown {
            array: value,
            storage: tensor.storage().clone(),
        });
        Ok(Some(tensor.into_any()))
    }

    fn any_object(
        &mut self,
        scope: &Scope<'env>,
        value: Unknown<'env>,
        depth: u32,
    ) -> napi::Result<Any> {
        if depth > MAX_DEPTH {
            return Err(refuse(
                scope,
                "ValueError",
                &format!("arrays are nested more than {MAX_DEPTH} deep, or contain themselves"),
            ));
        }
        if value.is_array()? {
            let array: Array<'env> = bytes::read(value)?;
            let mut items = Vec::with_capacity(array.len() as usize);
            for i in 0..array.len() {
                // A getter may shorten the array meanwhile; what is missing then is undefined.
                items.push(match array.get::<Unknown<'env>>(i)? {
                    Some(item) => self.value(scope, item, depth + 1)?,
                    None => Any::NONE,
                });
            }
            return Ok(Any::array(items));
        }
        if let Some(array) = self.array(scope, value)? {
            return Ok(array);
        }
        if let Some(held) = ours(scope, value)? {
            return Ok(held);
        }
        if let Some(number) = parts(scope, value)? {
            return Ok(number.into_any());
        }
        let stand_in = scope.ask(Ask::Object, value)?;
        self.value(scope, stand_in, depth + 1)
    }
}

/// Throws an error; what is returned says so to the bindings.
pub fn refuse(scope: &Scope<'_>, kind: &str, message: &str) -> napi::Error {
    let made = (|| {
        let texts = [
            Some(kind.into_unknown(scope.env)?),
            Some(message.into_unknown(scope.env)?),
            None,
        ];
        scope.env.throw(scope.ask_with(Ask::Error, texts)?)
    })();
    match made {
        Ok(()) => napi::Error::new(Status::PendingException, message.to_owned()),
        Err(failed) => failed,
    }
}

/// The error of an object that holds nothing any more.
pub fn disposed(scope: &Scope<'_>) -> napi::Error {
    let message = "the object was used after it was disposed of";
    refuse(scope, "Disposed", message)
}

/// The value of an object of ours, counted once more; none for other objects.
pub fn ours(scope: &Scope<'_>, object: Unknown<'_>) -> napi::Result<Option<Any>> {
    let number = scope.ask(Ask::Handle, object)?;
    match number.get_type()? {
        ValueType::Number => held(scope, bytes::read(number)?).map(Some),
        _ => Ok(None),
    }
}

/// The complex number that an object is, if it is one.
fn parts(scope: &Scope<'_>, object: Unknown<'_>) -> napi::Result<Option<Complex>> {
    let parts = scope.ask(Ask::Complex, object)?;
    if parts.get_type()? != ValueType::Object {
        return Ok(None);
    }
    let parts: Vec<f64> = bytes::read(parts)?;
    Ok(<[f64; 2]>::try_from(parts)
        .ok()
        .map(|[re, im]| Complex { re, im }))
}

/// The complex number that a value of core is, if it is one.
pub fn complex(value: &AnyView<'_>) -> Option<Complex> {
    <&Complex>::from_any(value).ok().flatten().copied()
}

/// The value of a number, counted once more.
pub fn held(scope: &Scope<'_>, number: f64) -> napi::Result<Any> {
    let value = scope.room.objects.in_use();
    let value = value.get(number).map(|held| held.value.clone());
    value.ok_or_else(|| disposed(scope))
}

/// Whole numbers become integers while they are exact; a negative zero is none.
#[inline]
pub fn whole(number: f64) -> Option<i64> {
    let whole = number as i64;
    let is_whole = whole as f64 == number && (-MAX_SAFE..=MAX_SAFE).contains(&whole);
    (is_whole && !(whole == 0 && number.is_sign_negative())).then_some(whole)
}

pub fn number(number: f64) -> Any {
    match whole(number) {
        Some(whole) => Any::int(whole.into()),
        None => Any::float(number),
    }
}

/// The value of a `BigInt`, which has its sign beside its magnitude.
pub fn big_number(number: &BigInt) -> Any {
    // One more word, for the sign.
    let mut words: Vec<i64> = number.words.iter().map(|word| *word as i64).collect();
    words.push(0);
    if number.sign_bit {
        negate(&mut words);
    }
    Any::integer(&words)
}

/// The `BigInt` of a number.
fn big_int(number: tenspan::value::BigInt<'_>) -> BigInt {
    let mut words = number.words().to_vec();
    let sign_bit = number.is_negative();
    if sign_bit {
        negate(&mut words);
    }
    let words = words.into_iter().map(|word| word as u64).collect();
    BigInt { sign_bit, words }
}

/// Minus the number that words are in two's complement.
fn negate(words: &mut [i64]) {
    let mut carry = true;
    for word in words {
        let (negated, carried) = (!*word as u64).overflowing_add(carry.into());
        (*word, carry) = (negated as i64, carried);
    }
}

/// A value of core as one of JavaScript.
pub fn to_js<'env>(scope: &Scope<'env>, value: &Any) -> napi::Result<Unknown<'env>> {
    view_to_js(scope, &value.view())
}

/// As [`to_js`], for a value that someone else owns.
pub fn view_to_js<'env>(scope: &Scope<'env>, value: &AnyView<'_>) -> napi::Result<Unknown<'env>> {
    let env = scope.env;
    match value.kind() {
        Kind::None => Null.into_unknown(env),
        Kind::Bool(value) => value.into_unknown(env),
        Kind::Int(number) if (-MAX_SAFE..=MAX_SAFE).contains(&number) => {
            (number as f64).into_unknown(env)
        }
        Kind::Int(number) => BigInt::from(number).into_unknown(env),
        Kind::BigInt(number) => big_int(number).into_unknown(env),
        Kind::Float(number) => number.into_unknown(env),
        Kind::Pointer(address) => BigInt::from(address).into_unknown(env),
        Kind::Str(text) => text.into_unknown(env),
        Kind::Bytes(bytes) => Uint8Array::with_data_copied(bytes).into_unknown(env),
        Kind::DType(dtype) => wrap(scope, index::DTYPE, scope.room.dtype(dtype), None),
        Kind::Device(device) => wrap(scope, index::DEVICE, scope.room.device(device), None),
        Kind::Tensor(tensor) => tensor_to_js(scope, tensor),
        Kind::Function(function) => callback::to_js(scope, &function),
        Kind::Array(items) => {
            let mut array = env.create_array(items.len() as u32)?;
            for (i, item) in items.iter().enumerate() {
                array.set(i as u32, to_js(scope, item)?)?;
            }
            Ok(array.to_unknown())
        }
        _ => {
            if let Some(Complex { re, im }) = complex(value) {
                let mut object = Object::new(env)?;
                object.set("re", re)?;
                object.set("im", im)?;
                return object.into_unknown(env);
            }
            let type_index = value.type_index();
            let number = scope.room.hold(env, value.to_any(), 0);
            wrap(scope, type_index, number, None)
        }
    }
}

fn tensor_to_js<'env>(scope: &Scope<'env>, tensor: Tensor) -> napi::Result<Unknown<'env>> {
    let lent = bytes::lent(scope, &tensor)?;
    let number = hold_tensor(scope, tensor);
    wrap(scope, index::TENSOR, number, lent)
}

/// Holds a tensor. The collector is told of the bytes of one that has its memory for itself.
pub fn hold_tensor(scope: &Scope<'_>, tensor: Tensor) -> f64 {
    // This handle, and the one of the value it was read from.
    let is_shared = tensor.storage().is_readonly() || !tensor.storage().is_unique();
    let bytes = if is_shared { 0 } else { tensor.nbytes() };
    scope.room.hold(scope.env, tensor.into_any(), bytes)
}

/// The object of a value, by its type and its number.
pub fn wrap<'env>(
    scope: &Scope<'env>,
    type_index: i32,
    number: f64,
    lent: Option<Unknown<'env>>,
) -> napi::Result<Unknown<'env>> {
    let type_index = type_index.into_unknown(scope.env)?;
    let number = number.into_unknown(scope.env)?;
    scope.ask_with(Ask::Wrap, [Some(type_index), Some(number), lent])
}
