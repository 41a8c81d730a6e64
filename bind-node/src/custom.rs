//! Entries of this front alone: what the spec marks `[Custom]`, and where JavaScript wants more than core.

use napi::bindgen_prelude::Unknown;
use tenspan::generated::dictionaries::DequantizeOptions;
use tenspan::value::{Any, AnyView, Args, IntoAny, Kind};
use tenspan::{DType, DTypeName, Result, Tensor};

use crate::bytes;
use crate::host::Scope;
use crate::value::Given;

mod memory;

/// What such an entry returns.
pub enum Made<'env> {
    /// A value of core.
    Core(Any),
    /// A value of JavaScript, or why there is none.
    Js(napi::Result<Unknown<'env>>),
}

type Entry = for<'env> fn(&Scope<'env>, &Given<'env>, Args<'_>) -> Result<Made<'env>>;

/// The entries, by the names that the spec gives them.
pub const METHODS: &[(&str, Entry)] = &[
    ("Tensor.data", tensor_data),
    ("Tensor.copied", tensor_copied),
    ("Tensor.owner", memory::owner),
    ("asarray", asarray),
    ("fromBuffer", memory::from_buffer),
    ("fromPointer", memory::from_pointer),
    ("dequantize", dequantize),
];

fn tensor_data<'env>(
    scope: &Scope<'env>,
    given: &Given<'env>,
    args: Args<'_>,
) -> Result<Made<'env>> {
    args.count(1, 1)?;
    let tensor: Tensor = args.get(0, "self")?;
    // Fails here when the tensor is not contiguous or has no memory.
    tensor.bytes()?;
    let view = bytes::view(scope, &tensor).map(|(view, is_shared)| {
        let objects = scope.room.objects.in_use();
        if let Some(held) = given.object().and_then(|number| objects.get(number)) {
            held.data_copied.set(!is_shared);
        }
        view
    });
    Ok(Made::Js(view))
}

/// What the spec says of making the tensor, or of showing its elements here.
fn tensor_copied<'env>(
    scope: &Scope<'env>,
    given: &Given<'env>,
    args: Args<'_>,
) -> Result<Made<'env>> {
    args.count(1, 1)?;
    let tensor: Tensor = args.get(0, "self")?;
    let objects = scope.room.objects.in_use();
    let held = given.object().and_then(|number| objects.get(number));
    let data_copied = held.is_some_and(|held| held.data_copied.get());
    Ok(Made::Core((tensor.copied() || data_copied).into_any()))
}

fn asarray<'env>(_scope: &Scope<'env>, given: &Given<'env>, args: Args<'_>) -> Result<Made<'env>> {
    args.count(1, 2)?;
    let value: AnyView<'_> = args.get(0, "value")?;
    let dtype: Option<DType> = args.optional(1, "dtype")?;
    if let (Kind::Tensor(tensor), Some(dtype)) = (value.kind(), dtype)
        && let Some(halves) = halves(given, &tensor, dtype)?
    {
        return Ok(Made::Core(halves.into_any()));
    }
    Ok(Made::Core(tenspan::asarray(value, dtype)?.into_any()))
}

fn dequantize<'env>(
    _scope: &Scope<'env>,
    given: &Given<'env>,
    args: Args<'_>,
) -> Result<Made<'env>> {
    args.count(1, 4)?;
    let tensor: Tensor = args.get(0, "t")?;
    let dtype = args.optional(1, "dtype")?.unwrap_or(DType::F32);
    let rows = args.optional(2, "rows")?;
    let mut out: Option<Tensor> = args.optional(3, "out")?;
    if let Some(array) = &out
        && let Some(halves) = halves(given, array, dtype)?
    {
        out = Some(halves);
    }
    let options = DequantizeOptions { rows, out };
    Ok(Made::Core(
        tenspan::dequantize(&tensor, dtype, &options)?.into_any(),
    ))
}

/// JavaScript has no arrays of small floats everywhere: in a `Uint16Array` or a `Uint8Array` that is to be a tensor of
/// these, the numbers are their bits, as they are in [`tensor_data`]. `None` for other arrays and dtypes.
fn halves(given: &Given<'_>, tensor: &Tensor, dtype: DType) -> Result<Option<Tensor>> {
    use DTypeName::{Bfloat16, Float8E4m3fn, Float8E5m2, Float16, Uint8, Uint16};
    let is_bits = matches!(
        (dtype.known(), tensor.dtype().known()),
        (Some(Float16 | Bfloat16), Some(Uint16)) | (Some(Float8E4m3fn | Float8E5m2), Some(Uint8))
    );
    if !is_bits || !given.is_typed_array(tensor) {
        return Ok(None);
    }
    let offset = tensor.data_ptr() - tensor.storage().start().as_ptr() as u64;
    Tensor::new(
        tensor.storage().clone(),
        offset,
        dtype,
        tensor.shape(),
        Some(tensor.strides()),
    )
    .map(Some)
}
