//! Tensors of another dtype: which pairs have a conversion, and where its result goes.

use super::Tensor;
pub(crate) use super::convert::{convert, convert_part};
use super::copy::copy_with;
use crate::dtype::{Class, DType};
use crate::error::{Error, ErrorKind, Result};
use crate::generated::dictionaries::CopyOptions;
use crate::quant::kernel::Stores;
use crate::shape;

/// Every element converted to another dtype, into `out` if given.
///
/// # Errors
/// As [`copy`](crate::copy); [`ErrorKind::DTypeMismatch`] when `out` has another dtype.
pub fn cast(t: &Tensor, dtype: DType, out: Option<&Tensor>) -> Result<Tensor> {
    let room = destination(t.shape(), dtype, out)?;
    let stores = match out {
        Some(_) => Stores::for_output(room.size()),
        None => Stores::for_new_output(),
    };
    copy_with(t, &room, &CopyOptions::default(), stores)?;
    Ok(room)
}

/// `out` when it has the dtype wanted, or a new tensor. An array of one dimension stands for any shape of as many elements: what
/// many callers have is a flat piece of memory.
pub(crate) fn destination(shape: &[u64], dtype: DType, out: Option<&Tensor>) -> Result<Tensor> {
    let Some(out) = out else {
        return Ok(super::build::empty(shape, dtype)?.with(|parts| parts.copied = true));
    };
    if out.dtype() != dtype {
        let message = format!(
            "`out` is a {}, but its dtype should be {dtype}",
            out.describe()
        );
        return Err(Error::new(ErrorKind::DTypeMismatch, message));
    }
    if out.shape() == shape {
        return Ok(out.clone());
    }
    let is_flat = out.shape().len() == 1 && out.is_contiguous();
    if !is_flat || shape::count(shape)? != out.size() {
        let message = format!(
            "`out` has shape {:?}, but the result has {shape:?}",
            out.shape()
        );
        return Err(Error::new(ErrorKind::ShapeMismatch, message));
    }
    let shape: Vec<i64> = shape.iter().map(|n| *n as i64).collect();
    out.reshape(&shape)
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
        (_, Class::Block) => from.can_decode() && to.can_encode() && !to.needs_importance(),
        (Class::Block, _) => from.can_decode(),
        _ => true,
    }
}

pub(crate) fn unsupported<T>(from: DType, to: DType) -> Result<T> {
    let message = match to.needs_importance() && from.can_decode() {
        true => format!("{from} cannot be encoded as {to} without importance weights"),
        false => format!("there is no conversion from {from} to {to}"),
    };
    Err(Error::new(ErrorKind::UnsupportedConversion, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::copy;
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
