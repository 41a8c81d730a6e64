//! Conversion of packed elements between any two dtypes that have one.
//!
//! Numbers convert as Rust's `as` does: whole numbers wrap, floats become whole numbers by cutting off what stands
//! behind the point, at most the largest or least there is, and 0 for NaN. Floats round to the nearest. What
//! is encoded passes through `float32`, a few thousand elements at a time; small floats are rounded once, from the
//! exact value. Real numbers become complex; complex numbers do not become real.

use super::Tensor;
use super::copy::copy;
use crate::dtype::{Class, DType, DTypeName};
use crate::error::{Error, ErrorKind, Result};
use crate::generated::dictionaries::CopyOptions;
use crate::quant::kernel::{self, Stores};
use crate::quant::{self, Codec};

/// Elements converted at a time through `float32`: 16 KiB, which stays in the nearest cache, and whole blocks of every format.
const CHUNK: usize = 4096;

/// Every element converted to another dtype, into `out` if given.
///
/// # Errors
/// As [`copy()`]; [`ErrorKind::DTypeMismatch`] when `out` has another dtype.
pub fn cast(t: &Tensor, dtype: DType, out: Option<&Tensor>) -> Result<Tensor> {
    let out = destination(t.shape(), dtype, out)?;
    copy(t, &out, &CopyOptions::default())?;
    Ok(out)
}

/// `out` when it has the dtype wanted, or a new tensor.
pub(crate) fn destination(shape: &[u64], dtype: DType, out: Option<&Tensor>) -> Result<Tensor> {
    match out {
        None => Ok(super::build::empty(shape, dtype)?.with(|parts| parts.copied = true)),
        Some(out) if out.dtype() == dtype => Ok(out.clone()),
        Some(out) => {
            let message = format!(
                "`out` is a {}, but its dtype should be {dtype}",
                out.describe()
            );
            Err(Error::new(ErrorKind::DTypeMismatch, message))
        }
    }
}

/// Whether [`convert`] can do anything with the pair.
pub(crate) fn is_supported(from: DType, to: DType) -> bool {
    if from == to {
        return true;
    }
    match (from.class(), to.class()) {
        (Class::Opaque, _) | (_, Class::Opaque) => false,
        (Class::Complex, other) => other == Class::Complex,
        (Class::Block, Class::Complex) => false,
        (_, Class::Block) => from.can_decode() && to.can_encode(),
        (Class::Block, _) => from.can_decode(),
        _ => true,
    }
}

/// Converts packed elements; both sides are whole blocks of the same number of elements, of a supported pair.
pub(crate) fn convert(from: DType, src: &[u8], to: DType, dst: &mut [u8]) -> Result<()> {
    convert_part(from, src, to, dst, Stores::Cached)
}

/// As [`convert`], for a part of a larger whole: `stores` says how floats that are decoded are written.
pub(crate) fn convert_part(
    from: DType,
    src: &[u8],
    to: DType,
    dst: &mut [u8],
    stores: Stores,
) -> Result<()> {
    let (Some(source), Some(target)) = (from.known(), to.known()) else {
        return unsupported(from, to);
    };
    if from == to {
        dst.copy_from_slice(src);
        return Ok(());
    }
    if let Some(decoder) = codec(source)
        && target == DTypeName::Float32
        && let Ok(floats) = bytemuck::try_cast_slice_mut(dst)
    {
        kernel::decode(decoder, src, floats, stores);
        return Ok(());
    }
    match (codec(source), codec(target)) {
        (None, None) if from.class() == Class::Complex || to.class() == Class::Complex => {
            complex(source, src, target, dst);
        }
        (None, None) => numbers(source, src, target, dst),
        (None, Some(_)) if to.is_plain() && is_wide(source) => round_once(source, src, target, dst),
        (decoder, encoder) => through_f32(from, decoder, src, to, encoder, dst),
    }
    Ok(())
}

pub(crate) fn unsupported<T>(from: DType, to: DType) -> Result<T> {
    let needs = to
        .known()
        .and_then(codec)
        .is_some_and(|codec| codec.needs_importance());
    let message = match needs {
        true => format!("{from} cannot be encoded as {to} without importance weights"),
        false => format!("there is no conversion from {from} to {to}"),
    };
    Err(Error::new(ErrorKind::UnsupportedConversion, message))
}

fn codec(name: DTypeName) -> Option<&'static dyn Codec> {
    quant::codec(name)
}

/// Whether `float32` does not hold every value of the type.
fn is_wide(name: DTypeName) -> bool {
    use DTypeName as N;
    matches!(
        name,
        N::Float64 | N::Int32 | N::Int64 | N::Uint32 | N::Uint64
    )
}

fn through_f32(
    from: DType,
    decoder: Option<&dyn Codec>,
    src: &[u8],
    to: DType,
    encoder: Option<&dyn Codec>,
    dst: &mut [u8],
) {
    let step = |dtype: DType| CHUNK / dtype.block_len() as usize * dtype.block_bytes() as usize;
    let mut floats = [0f32; CHUNK];
    for (src, dst) in src.chunks(step(from)).zip(dst.chunks_mut(step(to))) {
        let count = src.len() / from.block_bytes() as usize * from.block_len() as usize;
        let floats = &mut floats[..count];
        match (decoder, from.known()) {
            (Some(decoder), _) => kernel::decode(decoder, src, floats, Stores::Cached),
            (None, Some(name)) if from.class() != Class::Complex => {
                numbers(
                    name,
                    src,
                    DTypeName::Float32,
                    bytemuck::cast_slice_mut(floats),
                );
            }
            _ => {}
        }
        match (encoder, to.known()) {
            (Some(encoder), _) => encoder.encode(floats, count, None, dst),
            (None, Some(name)) if to.class() == Class::Complex => {
                complex(DTypeName::Float32, bytemuck::cast_slice(floats), name, dst);
            }
            (None, Some(name)) => {
                numbers(DTypeName::Float32, bytemuck::cast_slice(floats), name, dst)
            }
            (None, None) => {}
        }
    }
}

/// Small floats of wide numbers, rounded once from `float64`. Whole numbers beyond 2^53 are first brought to the nearest
/// `float64` that keeps which side of a tie they are on.
fn round_once(source: DTypeName, src: &[u8], target: DTypeName, dst: &mut [u8]) {
    let mut value = [0u8; 8];
    let (from, to) = (size(source), size(target));
    for (src, dst) in src.chunks_exact(from).zip(dst.chunks_exact_mut(to)) {
        numbers(source, src, DTypeName::Float64, &mut value);
        let mut x = f64::from_ne_bytes(value);
        if matches!(source, DTypeName::Int64 | DTypeName::Uint64) {
            x = sticky(source, src, x);
        }
        match target {
            DTypeName::Float16 => dst.copy_from_slice(&quant::float16::from_f64(x).to_le_bytes()),
            DTypeName::Bfloat16 => dst.copy_from_slice(&quant::bfloat16::from_f64(x).to_le_bytes()),
            DTypeName::Float8E4m3fn => dst[0] = quant::float8::E4M3FN.from_f64(x),
            _ => dst[0] = quant::float8::E5M2.from_f64(x),
        }
    }
}

/// The `float64` of a whole number with its last bit set when the number is not exact, so that a second rounding
/// does not take it for a tie.
fn sticky(source: DTypeName, src: &[u8], x: f64) -> f64 {
    let mut word = [0u8; 8];
    word.copy_from_slice(src);
    let exact = match source {
        DTypeName::Uint64 => i128::from(u64::from_ne_bytes(word)),
        _ => i128::from(i64::from_ne_bytes(word)),
    };
    let error = exact - x as i128;
    if error == 0 {
        return x;
    }
    // Towards zero first, then the last bit: rounding to odd.
    let away = (error < 0) == (x > 0.0);
    let truncated = if away { x.to_bits() - 1 } else { x.to_bits() };
    f64::from_bits(truncated | 1)
}

fn size(name: DTypeName) -> usize {
    DType::Known(name).block_bytes() as usize
}

/// Calls `$body` with `$T` standing for the Rust type of a plain real dtype; a boolean is its byte.
macro_rules! with_type {
    ($name:expr, $T:ident => $body:expr) => {
        match $name {
            DTypeName::Float64 => {
                type $T = f64;
                $body
            }
            DTypeName::Float32 => {
                type $T = f32;
                $body
            }
            DTypeName::Int8 => {
                type $T = i8;
                $body
            }
            DTypeName::Int16 => {
                type $T = i16;
                $body
            }
            DTypeName::Int32 => {
                type $T = i32;
                $body
            }
            DTypeName::Int64 => {
                type $T = i64;
                $body
            }
            DTypeName::Uint16 => {
                type $T = u16;
                $body
            }
            DTypeName::Uint32 => {
                type $T = u32;
                $body
            }
            DTypeName::Uint64 => {
                type $T = u64;
                $body
            }
            // What is left of the plain real types is `uint8` and `bool`.
            _ => {
                type $T = u8;
                $body
            }
        }
    };
}

/// Real numbers that are stored as themselves.
fn numbers(source: DTypeName, src: &[u8], target: DTypeName, dst: &mut [u8]) {
    if target == DTypeName::Bool {
        with_type!(source, S => each::<S, u8>(src, dst, |x| u8::from(x != (0 as S))));
    } else if source == DTypeName::Bool {
        with_type!(target, D => each::<u8, D>(src, dst, |x| u8::from(x != 0) as D));
    } else {
        with_type!(source, S => with_type!(target, D => each::<S, D>(src, dst, |x| x as D)));
    }
}

/// Complex numbers from complex or real ones that are stored as themselves.
fn complex(source: DTypeName, src: &[u8], target: DTypeName, dst: &mut [u8]) {
    let part = |name| match name {
        DTypeName::Complex64 => DTypeName::Float32,
        _ => DTypeName::Float64,
    };
    if matches!(source, DTypeName::Complex64 | DTypeName::Complex128) {
        return numbers(part(source), src, part(target), dst);
    }
    let (from, to) = (size(source), size(target));
    for (src, dst) in src.chunks_exact(from).zip(dst.chunks_exact_mut(to)) {
        let (real, imaginary) = dst.split_at_mut(to / 2);
        numbers(source, src, part(target), real);
        imaginary.fill(0);
    }
}

fn each<S: bytemuck::Pod, D: bytemuck::Pod>(src: &[u8], dst: &mut [u8], convert: impl Fn(S) -> D) {
    for (src, dst) in src
        .chunks_exact(size_of::<S>())
        .zip(dst.chunks_exact_mut(size_of::<D>()))
    {
        // Bytes of files and of other libraries need not be aligned.
        dst.copy_from_slice(bytemuck::bytes_of(&convert(bytemuck::pod_read_unaligned(
            src,
        ))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        asarray,
        value::{Any, IntoAny},
    };

    fn cast_f64(values: &[f64], to: DType) -> Tensor {
        let list = values.to_vec().into_any();
        cast(&asarray(list.view(), Some(DType::F64)).unwrap(), to, None).unwrap()
    }

    #[test]
    fn floats_become_whole_numbers_without_surprises() {
        let t = cast_f64(
            &[1.9, -1.9, 300.0, -300.0, f64::NAN, f64::INFINITY],
            DType::I8,
        );
        assert_eq!(t.bytes().unwrap(), [1, 255, 127, 128, 0, 127]);
        assert_eq!(
            cast_f64(&[0.0, -0.0, 0.5, f64::NAN], DType::BOOL)
                .bytes()
                .unwrap(),
            [0, 0, 1, 1]
        );
    }

    #[test]
    fn small_floats_are_rounded_once() {
        // Half of the last bit of 1.0 in float16, and a little more: float32 would round it to a tie.
        let x = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
        assert_eq!(
            cast_f64(&[x], DType::F16).bytes().unwrap(),
            0x3c01u16.to_le_bytes()
        );
        assert_eq!(
            cast_f64(&[1.0 + 2f64.powi(-11)], DType::F16)
                .bytes()
                .unwrap(),
            0x3c00u16.to_le_bytes()
        );
        // 2^62 + 2^54 is a tie of bfloat16; one more is not, and float64 cannot hold it.
        for (whole, bits) in [
            ((1i64 << 62) + (1 << 54), 0x5e80u16),
            ((1i64 << 62) + (1 << 54) + 1, 0x5e81),
            (-(1i64 << 62) - (1 << 54) - 1, 0xde81),
        ] {
            let list = Any::array(vec![Any::int(whole.into())]);
            let t = asarray(list.view(), Some(DType::I64)).unwrap();
            assert_eq!(
                cast(&t, DType::BF16, None).unwrap().bytes().unwrap(),
                bits.to_le_bytes(),
                "{whole}"
            );
        }
    }

    #[test]
    fn every_pair_is_supported_or_refused_and_does_what_it_says() {
        for from in crate::dtypes() {
            for to in crate::dtypes() {
                let src = crate::zeros(&[256], from).unwrap();
                let dst = crate::zeros(&[256], to).unwrap();
                let options = CopyOptions {
                    allow_requantize: true,
                };
                let result = copy(&src, &dst, &options);
                assert_eq!(
                    result.is_ok(),
                    is_supported(from, to),
                    "{from} to {to}: {result:?}"
                );
                if let Err(error) = result {
                    assert_eq!(error.kind(), ErrorKind::UnsupportedConversion);
                    assert!(
                        error.message().contains(&from.name())
                            && error.message().contains(&to.name())
                    );
                }
            }
        }
    }

    #[test]
    fn complex_numbers_keep_both_parts() {
        let list = vec![1.5, -2.0].into_any();
        let real = asarray(list.view(), Some(DType::F32)).unwrap();
        let wide = cast(&real, DType::C128, None).unwrap();
        let floats: Vec<f64> = wide
            .bytes()
            .unwrap()
            .chunks_exact(8)
            .map(bytemuck::pod_read_unaligned)
            .collect();
        assert_eq!(floats, [1.5, 0.0, -2.0, 0.0]);
        assert_eq!(
            cast(&wide, DType::F64, None).unwrap_err().kind(),
            ErrorKind::UnsupportedConversion
        );
    }
}
