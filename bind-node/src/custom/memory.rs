//! Memory of JavaScript, and of any address, as tensors: `fromBuffer`, `fromPointer`, `owner`.

use napi::bindgen_prelude::{JsObjectValue, Null, Object, ToNapiValue, Unknown};
use tenspan::value::{Any, Args, IntoAny, Kind};
use tenspan::{DType, Error, ErrorKind, Result, Tensor, shape};

use super::Made;
use crate::bytes::{self, Lender};
use crate::host::{Ask, Scope};
use crate::value::{self, Given};

/// `Tensor.owner`: the very object that the memory was taken from.
pub fn owner<'env>(
    scope: &Scope<'env>,
    _given: &Given<'env>,
    args: Args<'_>,
) -> Result<Made<'env>> {
    args.count(1, 1)?;
    let tensor: Tensor = args.get(0, "self")?;
    let owner = bytes::lent(scope, &tensor).and_then(|lent| match lent {
        Some(lent) => bytes::read::<Object<'env>>(lent)?.get_named_property("owner"),
        None => Null.into_unknown(scope.env),
    });
    Ok(Made::Js(owner))
}

/// `fromBuffer`.
pub fn from_buffer<'env>(
    scope: &Scope<'env>,
    given: &Given<'env>,
    args: Args<'_>,
) -> Result<Made<'env>> {
    args.count(1, 4)?;
    let dtype: Option<DType> = args.optional(1, "dtype")?;
    let wanted: Option<Vec<u64>> = args.optional(2, "shape")?;
    let offset: u64 = args.optional(3, "offset")?.unwrap_or(0);
    let whole = match given.raw(0).map(|buffer| whole(scope, buffer)) {
        Some(Err(error)) => return Ok(Made::Js(Err(error))),
        Some(Ok(whole)) => whole,
        None => None,
    };
    let Some(whole) = whole else {
        let message = "fromBuffer: argument `buffer` wants a typed array, a DataView, a Buffer, an ArrayBuffer or a SharedArrayBuffer";
        return Err(Error::new(ErrorKind::TypeError, message));
    };
    let tensor = match (dtype, &wanted, offset) {
        (None, None, 0) => whole,
        (dtype, wanted, offset) => {
            let dtype = dtype.unwrap_or(whole.dtype());
            reinterpret(&whole, dtype, wanted.as_deref(), offset)?
        }
    };
    Ok(Made::Core(tensor.into_any()))
}

/// A tensor over all of a buffer; none for what is no buffer.
fn whole(scope: &Scope<'_>, buffer: Unknown<'_>) -> napi::Result<Option<Tensor>> {
    let array = scope.ask(Ask::Array, buffer)?;
    let Some(tensor) = bytes::tensor(scope, array)? else {
        return Ok(None);
    };
    bytes::keep(scope, array, tensor.storage())?;
    Ok(Some(tensor))
}

/// The bytes of a packed tensor from `offset` on, read as elements of a dtype.
fn reinterpret(
    whole: &Tensor,
    dtype: DType,
    wanted: Option<&[u64]>,
    offset: u64,
) -> Result<Tensor> {
    let len = whole.nbytes();
    let Some(room) = len.checked_sub(offset) else {
        let message = format!("offset {offset} is beyond the {len} bytes of the buffer");
        return Err(Error::new(ErrorKind::ValueError, message));
    };
    let per_block = dtype.block_bytes();
    let all = [room.checked_div(per_block).unwrap_or(0) * dtype.block_len()];
    if wanted.is_none() && per_block != 0 && !room.is_multiple_of(per_block) {
        let message = format!(
            "{room} bytes are no whole number of elements of {dtype}, which take {per_block} for each {}",
            dtype.block_len()
        );
        return Err(Error::new(ErrorKind::ValueError, message));
    }
    let wanted = wanted.unwrap_or(&all);
    let takes = shape::nbytes(dtype, wanted)?;
    if takes > room {
        let message = format!(
            "shape {wanted:?} of {dtype} takes {takes} bytes, but the buffer has {room} from byte {offset} on"
        );
        return Err(Error::new(ErrorKind::BufferError, message));
    }
    Tensor::new(whole.storage().clone(), offset, dtype, wanted, None)
}

/// `fromPointer`.
pub fn from_pointer<'env>(
    scope: &Scope<'env>,
    given: &Given<'env>,
    args: Args<'_>,
) -> Result<Made<'env>> {
    args.count(3, 6)?;
    let address: u64 = args.get(0, "address")?;
    let shape: Vec<u64> = args.get(1, "shape")?;
    let dtype: DType = args.get(2, "dtype")?;
    let strides: Option<Vec<i64>> = args.optional(3, "strides")?;
    let readonly: bool = args.optional(5, "readonly")?.unwrap_or(false);
    let (lender, protected) = match given.raw(4).map(|owner| lender(scope, owner)) {
        Some(Err(error)) => return Ok(Made::Js(Err(error))),
        Some(Ok(found)) => found,
        None => (Lender::default(), false),
    };
    let start = std::ptr::with_exposed_provenance_mut::<u8>(address as usize);
    let readonly = readonly || protected;
    bytes::over(start, dtype, &shape, strides.as_deref(), readonly, lender)
        .map(|tensor| Made::Core(tensor.into_any()))
}

/// Holds an owner, and tells whether it may not be written. One of this library is held itself too: to dispose of the
/// object then frees nothing.
fn lender(scope: &Scope<'_>, owner: Unknown<'_>) -> napi::Result<(Lender, bool)> {
    let held = value::ours(scope, owner)?;
    let protected = match held.as_ref().map(Any::kind) {
        Some(Kind::Tensor(tensor)) => tensor.readonly(),
        _ => false,
    };
    let lender = Lender::new(scope, owner, held)?;
    Ok((lender, protected))
}
