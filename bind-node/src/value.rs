//! Values of JavaScript and of core, each made from the other.

use napi::bindgen_prelude::{
    Array, BigInt, External, JsValue, Null, ToNapiValue, Uint8Array, Unknown, ValueType,
};
use tenspan::function::Function;
use tenspan::storage::Storage;
use tenspan::value::{Any, AnyView, IntoAny, Kind};
use tenspan::{DType, Tensor};

use crate::host::{Ask, Scope};
use crate::{Handle, Views, bytes, callback};

/// Largest whole number that a JavaScript number holds without doubt.
const MAX_SAFE: i64 = (1 << 53) - 1;

/// How deep arrays may be nested: deeper than any tensor has dimensions, and far from the end of the stack.
const MAX_DEPTH: u32 = 100;

/// Arguments of a call, and what they borrow from JavaScript.
#[derive(Default)]
pub struct Given<'env> {
    values: Vec<Any>,
    lent_bytes: Vec<(usize, bytes::Lent)>,
    arrays: Vec<Shown<'env>>,
    has_function: bool,
    first: Option<Unknown<'env>>,
}

/// A typed array among the arguments, and the storage of the tensor that stands for it.
struct Shown<'env> {
    array: Unknown<'env>,
    storage: Storage,
    is_shared: bool,
}

impl<'env> Given<'env> {
    /// Reads an array of arguments; a bit in `mask` is set for those that are bytes rather than tensors.
    pub fn read(scope: &Scope<'env>, args: &Array<'env>, mask: u32) -> napi::Result<Self> {
        let count = args.len();
        let mut given = Given {
            values: Vec::with_capacity(count as usize),
            ..Given::default()
        };
        let mut bytes = Vec::new();
        for i in 0..count {
            let Some(arg) = args.get::<Unknown<'env>>(i)? else {
                continue;
            };
            given.first.get_or_insert(arg);
            let is_bytes = mask.checked_shr(i).unwrap_or(0) & 1 != 0;
            if is_bytes && arg.get_type()? == ValueType::Object && arg.is_typedarray()? {
                bytes.push((given.values.len(), arg));
                given.values.push(Any::NONE);
            } else {
                let value = given.value(scope, arg, 0)?;
                given.values.push(value);
            }
        }
        given.settle(scope, bytes)?;
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

    /// The handle that a method was called on.
    pub fn handle(&self) -> Option<&'env Handle> {
        let first = self
            .first
            .filter(|first| matches!(first.get_type(), Ok(ValueType::External)))?;
        bytes::handle(first).ok()
    }

    /// Whether a tensor stands for a typed array of this call.
    pub fn is_typed_array(&self, tensor: &Tensor) -> bool {
        self.arrays
            .iter()
            .any(|shown| shown.storage.is_same(tensor.storage()))
    }

    /// Ends a call: memory of typed arrays that something still looks at must stay where it is.
    pub fn finish(self, scope: &Scope<'env>) -> napi::Result<()> {
        let Given { values, arrays, .. } = self;
        drop(values);
        for shown in arrays {
            if shown.is_shared && !shown.storage.is_unique() {
                scope.ask(Ask::Pin, shown.array)?;
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
        for shown in self.arrays.iter().filter(|shown| shown.is_shared) {
            if !bytes::is_over(shown.array, &shown.storage)? {
                let message =
                    "the buffer of an argument was transferred while the arguments were read";
                return Err(refuse(scope, "BufferError", message));
            }
            if self.has_function {
                scope.ask(Ask::Pin, shown.array)?;
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
            ValueType::BigInt => big_number(scope, &bytes::read(value)?)?,
            ValueType::String => Any::string(&bytes::read::<String>(value)?),
            ValueType::External => match bytes::handle(value)?.value() {
                Some(held) => held,
                None => {
                    return Err(refuse(
                        scope,
                        "Disposed",
                        "the object was used after it was disposed of",
                    ));
                }
            },
            ValueType::Function => {
                self.has_function = true;
                callback::from_js(scope, value)?
            }
            ValueType::Object => self.object(scope, value, depth)?,
            _ => {
                return Err(refuse(
                    scope,
                    "TypeError",
                    "a symbol cannot be passed to tenspan",
                ));
            }
        })
    }

    fn object(
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
        if value.is_typedarray()? {
            let (tensor, is_shared) = bytes::tensor(scope, value)?;
            self.arrays.push(Shown {
                array: value,
                storage: tensor.storage().clone(),
                is_shared,
            });
            return Ok(tensor.into_any());
        }
        let stand_in = scope.ask(Ask::Object, value)?;
        self.value(scope, stand_in, depth + 1)
    }
}

/// An error made in JavaScript and not yet thrown.
pub fn refuse(scope: &Scope<'_>, kind: &str, message: &str) -> napi::Error {
    let made = (|| {
        let texts = [
            Some(kind.into_unknown(scope.env)?),
            Some(message.into_unknown(scope.env)?),
            None,
        ];
        scope.ask_with(Ask::Error, texts)
    })();
    made.map_or_else(|failed| failed, napi::Error::from)
}

/// Whole numbers become integers while they are exact; a negative zero is none.
fn number(number: f64) -> Any {
    let is_whole = number.trunc() == number && number.abs() <= MAX_SAFE as f64;
    if is_whole && !(number == 0.0 && number.is_sign_negative()) {
        Any::int(number as i128)
    } else {
        Any::float(number)
    }
}

fn big_number(scope: &Scope<'_>, number: &BigInt) -> napi::Result<Any> {
    let (value, lossless) = number.get_i128();
    if !lossless {
        return Err(refuse(
            scope,
            "OverflowError",
            "a BigInt of more than 127 bits cannot be passed to tenspan",
        ));
    }
    Ok(Any::int(value))
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
        Kind::BigInt(number) => BigInt::from(number).into_unknown(env),
        Kind::Float(number) => number.into_unknown(env),
        Kind::Pointer(address) => BigInt::from(address).into_unknown(env),
        Kind::Str(text) => text.into_unknown(env),
        Kind::Bytes(bytes) => Uint8Array::with_data_copied(bytes).into_unknown(env),
        Kind::DType(dtype) => dtype_to_js(scope, dtype),
        Kind::Tensor(tensor) => tensor_to_js(scope, tensor),
        Kind::Function(function) => function_to_js(scope, function),
        Kind::Array(items) => {
            let mut array = env.create_array(items.len() as u32)?;
            for (i, item) in items.iter().enumerate() {
                array.set(i as u32, to_js(scope, item)?)?;
            }
            Ok(array.to_unknown())
        }
        Kind::Other(_) => wrap(scope, value.type_name(), value.to_any(), 0),
    }
}

fn function_to_js<'env>(scope: &Scope<'env>, function: Function) -> napi::Result<Unknown<'env>> {
    callback::to_js(scope, function)
}

/// Dtypes are values: there is one object for each name.
fn dtype_to_js<'env>(scope: &Scope<'env>, dtype: DType) -> napi::Result<Unknown<'env>> {
    let known = scope.ask(Ask::DType, dtype.name().into_unknown(scope.env)?)?;
    match known.get_type()? {
        ValueType::Undefined => wrap(scope, "tenspan.DType", Any::dtype(dtype), 0),
        _ => Ok(known),
    }
}

/// The collector is told of the bytes of a tensor that has its memory for itself.
fn tensor_to_js<'env>(scope: &Scope<'env>, tensor: Tensor) -> napi::Result<Unknown<'env>> {
    let is_mapped = tensor.storage().is_readonly();
    // This handle, and the one of the value it was read from.
    let bytes = if is_mapped || !tensor.storage().is_unique() {
        0
    } else {
        tensor.nbytes()
    };
    wrap(scope, "tenspan.Tensor", tensor.into_any(), bytes)
}

fn wrap<'env>(
    scope: &Scope<'env>,
    key: &str,
    value: Any,
    bytes: u64,
) -> napi::Result<Unknown<'env>> {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    let handle = External::new_with_size_hint(Handle::new(value), bytes).into_unknown(scope.env)?;
    scope.ask_with(
        Ask::Wrap,
        [Some(key.into_unknown(scope.env)?), Some(handle), None],
    )
}
