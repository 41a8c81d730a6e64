//! Tensors from nested lists of numbers.

use super::{Tensor, build, cast};
use crate::dtype::{Class, DType, DTypeName};
use crate::error::{Error, ErrorKind, Result};
use crate::shape::MAX_NDIM;
use crate::value::{AnyView, BigInt, Complex, Kind};

/// One number of a list, exact.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Scalar {
    Bool(bool),
    Int(i128),
    Float(f64),
    Complex(Complex),
}

/// A tensor from nested lists of numbers; without a dtype one that holds them all: `bool`, `int64`, `uint64`,
/// `float64` or `complex128`.
///
/// # Errors
/// [`ErrorKind::TypeError`], [`ErrorKind::ShapeMismatch`], [`ErrorKind::OverflowError`].
pub fn from_value(value: &AnyView<'_>, dtype: Option<DType>) -> Result<Tensor> {
    let mut shape = Vec::new();
    let mut scalars = Vec::new();
    collect(value, 0, &mut shape, &mut scalars)?;
    let dtype = match dtype {
        Some(dtype) => dtype,
        None => infer(&scalars)?,
    };
    let tensor = build::zeros(&shape, dtype)?.with(|parts| parts.copied = true);
    write(&scalars, dtype, tensor.fresh_bytes()?)?;
    Ok(tensor)
}

/// One block of a dtype with the same number in each element.
pub(super) fn repeat(value: &AnyView<'_>, dtype: DType) -> Result<Vec<u8>> {
    let Some(scalar) = scalar(value)? else {
        return Err(Error::new(
            ErrorKind::TypeError,
            format!("a number is wanted, found {}", value.type_name()),
        ));
    };
    let mut block = vec![0; dtype.block_bytes() as usize];
    write(&vec![scalar; dtype.block_len() as usize], dtype, &mut block)?;
    Ok(block)
}

fn collect(
    value: &AnyView<'_>,
    depth: usize,
    shape: &mut Vec<u64>,
    scalars: &mut Vec<Scalar>,
) -> Result<()> {
    let snapshot;
    let found = match value.kind() {
        kind @ (Kind::Array(_) | Kind::List(_)) => {
            let items = match kind {
                Kind::Array(items) => AnyView::slice(items),
                Kind::List(list) => {
                    snapshot = list.items();
                    AnyView::slice(&snapshot)
                }
                _ => &[],
            };
            if depth == MAX_NDIM {
                return Err(Error::new(
                    ErrorKind::ValueError,
                    format!("lists are nested more than {MAX_NDIM} deep"),
                ));
            }
            enter(depth, items.len() as u64, shape, scalars.is_empty())?;
            return items
                .iter()
                .try_for_each(|item| collect(item, depth + 1, shape, scalars));
        }
        // A row that is already a tensor, such as a typed array inside of a list.
        Kind::Tensor(tensor) => return collect(&tensor.tolist()?.view(), depth, shape, scalars),
        _ => scalar(value)?,
    };
    let Some(found) = found else {
        let message = format!("a number or a list is wanted, found {}", value.type_name());
        return Err(Error::new(ErrorKind::TypeError, message));
    };
    if depth != shape.len() {
        let message = format!(
            "a number stands where a list of {} items should",
            shape.get(depth).copied().unwrap_or(0)
        );
        return Err(Error::new(ErrorKind::ShapeMismatch, message));
    }
    scalars.push(found);
    Ok(())
}

/// Notes the length of a list, or checks it against that of its brothers. A depth that no list reached before
/// can only be new while no number has been seen.
fn enter(depth: usize, len: u64, shape: &mut Vec<u64>, first: bool) -> Result<()> {
    match shape.get(depth) {
        Some(known) if *known == len => Ok(()),
        Some(known) => {
            let message =
                format!("lists of unequal lengths: {known} and {len} items at depth {depth}");
            Err(Error::new(ErrorKind::ShapeMismatch, message))
        }
        None if first && !shape.contains(&0) => {
            shape.push(len);
            Ok(())
        }
        None => {
            let message =
                format!("a list of {len} items stands where a number should, at depth {depth}");
            Err(Error::new(ErrorKind::ShapeMismatch, message))
        }
    }
}

fn scalar(value: &AnyView<'_>) -> Result<Option<Scalar>> {
    Ok(match value.kind() {
        Kind::Bool(value) => Some(Scalar::Bool(value)),
        Kind::Int(value) => Some(Scalar::Int(value.into())),
        Kind::BigInt(value) => Some(match value.to_i128() {
            Some(value) => Scalar::Int(value),
            None => return Err(too_long(value)),
        }),
        Kind::Float(value) => Some(Scalar::Float(value)),
        Kind::Tensor(tensor) if tensor.size() == 1 => scalar(&tensor.item()?.view())?,
        Kind::Other(_) => {
            crate::abi::class::read::<Complex>(*value).map(|value| Scalar::Complex(*value))
        }
        _ => None,
    })
}

#[cold]
fn too_long(number: BigInt<'_>) -> Error {
    let message = format!("{number} fits no dtype");
    Error::new(ErrorKind::OverflowError, message)
}

fn infer(scalars: &[Scalar]) -> Result<DType> {
    let any = |test: fn(&Scalar) -> bool| scalars.iter().any(test);
    if any(|s| matches!(s, Scalar::Complex(_))) {
        return Ok(DType::C128);
    }
    if any(|s| matches!(s, Scalar::Float(_))) || scalars.is_empty() {
        return Ok(DType::F64);
    }
    if !any(|s| matches!(s, Scalar::Int(_))) {
        return Ok(DType::BOOL);
    }
    let ints = || {
        scalars.iter().filter_map(|s| {
            if let Scalar::Int(n) = s {
                Some(*n)
            } else {
                None
            }
        })
    };
    let (least, most) = (ints().min().unwrap_or(0), ints().max().unwrap_or(0));
    if least >= i64::MIN.into() && most <= i64::MAX.into() {
        Ok(DType::I64)
    } else if least >= 0 && most <= u64::MAX.into() {
        Ok(DType::U64)
    } else {
        let message = format!("no dtype holds both {least} and {most}; give one");
        Err(Error::new(ErrorKind::OverflowError, message))
    }
}

/// Writes numbers as packed elements of a dtype.
fn write(scalars: &[Scalar], dtype: DType, room: &mut [u8]) -> Result<()> {
    let Some(name) = dtype.known() else {
        return cast::unsupported(DType::F64, dtype);
    };
    if !dtype.is_plain() {
        if !cast::is_supported(DType::F32, dtype) {
            return cast::unsupported(DType::F32, dtype);
        }
        let floats: Vec<f32> = scalars
            .iter()
            .map(|s| Ok(real(*s)? as f32))
            .collect::<Result<_>>()?;
        return cast::convert(DType::F32, bytemuck::cast_slice(&floats), dtype, room);
    }
    let item = dtype.block_bytes() as usize;
    scalars
        .iter()
        .zip(room.chunks_exact_mut(item))
        .try_for_each(|(scalar, room)| write_one(*scalar, name, room))
}

fn write_one(scalar: Scalar, name: DTypeName, room: &mut [u8]) -> Result<()> {
    let dtype = DType::Known(name);
    match dtype.class() {
        Class::Signed | Class::Unsigned => write_int(whole(scalar)?, dtype, room),
        Class::Bool => {
            room[0] = u8::from(match scalar {
                Scalar::Bool(value) => value,
                Scalar::Int(value) => value != 0,
                Scalar::Float(value) => value != 0.0,
                Scalar::Complex(value) => value.re != 0.0 || value.im != 0.0,
            });
            Ok(())
        }
        Class::Complex => {
            let value = match scalar {
                Scalar::Complex(value) => value,
                other => Complex {
                    re: real(other)?,
                    im: 0.0,
                },
            };
            let (re, im) = room.split_at_mut(room.len() / 2);
            let part = if re.len() == 4 {
                DType::F32
            } else {
                DType::F64
            };
            cast::convert(DType::F64, &value.re.to_ne_bytes(), part, re)?;
            cast::convert(DType::F64, &value.im.to_ne_bytes(), part, im)
        }
        // Whole numbers beyond 2^53 round once, from their exact value.
        _ => match scalar {
            Scalar::Int(n) if i64::try_from(n).is_ok() => {
                cast::convert(DType::I64, &(n as i64).to_ne_bytes(), dtype, room)
            }
            Scalar::Int(n) if u64::try_from(n).is_ok() => {
                cast::convert(DType::U64, &(n as u64).to_ne_bytes(), dtype, room)
            }
            other => cast::convert(DType::F64, &real(other)?.to_ne_bytes(), dtype, room),
        },
    }
}

fn write_int(n: i128, dtype: DType, room: &mut [u8]) -> Result<()> {
    let bits = dtype.block_bytes() * 8;
    let (least, most) = match dtype.class() {
        Class::Signed => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        _ => (0, (1i128 << bits) - 1),
    };
    if n < least || n > most {
        return Err(Error::new(
            ErrorKind::OverflowError,
            format!("{n} does not fit {dtype}, which holds {least} to {most}"),
        ));
    }
    let bytes = room.len();
    room.copy_from_slice(&n.to_le_bytes()[..bytes]);
    Ok(())
}

fn whole(scalar: Scalar) -> Result<i128> {
    match scalar {
        Scalar::Bool(value) => Ok(value.into()),
        Scalar::Int(value) => Ok(value),
        Scalar::Float(value) if value.fract() == 0.0 => Ok(value as i128),
        Scalar::Float(value) => Err(Error::new(
            ErrorKind::ValueError,
            format!("{value:?} is not a whole number"),
        )),
        Scalar::Complex(_) => real(scalar).map(|value| value as i128),
    }
}

fn real(scalar: Scalar) -> Result<f64> {
    match scalar {
        Scalar::Bool(value) => Ok(u8::from(value).into()),
        Scalar::Int(value) => Ok(value as f64),
        Scalar::Float(value) => Ok(value),
        Scalar::Complex(Complex { re, im }) => Err(Error::new(
            ErrorKind::TypeError,
            format!("the complex number {re}+{im}i is not a real number"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Any, IntoAny};
    use crate::{asarray, full, zeros};

    fn list<T: IntoAny>(items: Vec<T>) -> Any {
        items.into_any()
    }

    fn text(t: &Tensor) -> String {
        format!("{:?}", t.tolist().unwrap())
    }

    #[test]
    fn a_dtype_that_holds_all_numbers_is_found() {
        let found = |items: Vec<Any>| asarray(Any::array(items).view(), None).map(|t| t.dtype());
        assert_eq!(found(vec![Any::bool(true)]).unwrap(), DType::BOOL);
        assert_eq!(
            found(vec![Any::bool(true), Any::int(2)]).unwrap(),
            DType::I64
        );
        assert_eq!(
            found(vec![Any::int(2), Any::float(0.5)]).unwrap(),
            DType::F64
        );
        assert_eq!(found(vec![Any::int(u64::MAX.into())]).unwrap(), DType::U64);
        assert_eq!(
            found(vec![Complex { re: 1.0, im: 2.0 }.into_any()]).unwrap(),
            DType::C128
        );
        assert_eq!(found(vec![]).unwrap(), DType::F64);
        let error = found(vec![Any::int(u64::MAX.into()), Any::int(-1)]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OverflowError);
    }

    #[test]
    fn lists_of_unequal_shape_are_refused() {
        let bad = [
            Any::array(vec![list(vec![1i64]), list(vec![1i64, 2])]),
            Any::array(vec![list(vec![1i64]), Any::int(2)]),
            Any::array(vec![Any::int(2), list(vec![1i64])]),
            Any::array(vec![Any::array(vec![]), list(vec![1i64])]),
        ];
        for value in bad {
            let error = asarray(value.view(), None).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ShapeMismatch, "{value:?}: {error}");
        }
        let deep = (0..70).fold(Any::int(1), |inner, _| Any::array(vec![inner]));
        assert_eq!(
            asarray(deep.view(), None).unwrap_err().kind(),
            ErrorKind::ValueError
        );
        let error = asarray(list(vec!["x"]).view(), None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TypeError);
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused_and_extremes_are_exact() {
        for (value, dtype) in [(Any::int(128), DType::I8), (Any::int(-1), DType::U64)] {
            let error = full(&[2], value.view(), dtype).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OverflowError);
        }
        let half = Any::float(0.5);
        assert_eq!(
            full(&[1], half.view(), DType::I32).unwrap_err().kind(),
            ErrorKind::ValueError
        );
        let most = full(&[1], Any::int(u64::MAX.into()).view(), DType::U64).unwrap();
        assert_eq!(text(&most), "[18446744073709551615]");
        let least = full(&[], Any::int(i64::MIN.into()).view(), DType::I64).unwrap();
        assert_eq!(
            format!("{:?}", least.item().unwrap()),
            "-9223372036854775808"
        );
    }

    #[test]
    fn every_plain_dtype_reads_back_what_was_written() {
        for dtype in crate::dtypes().into_iter().filter(|dtype| dtype.is_plain()) {
            let t = asarray(list(vec![0i64, 1]).view(), Some(dtype)).unwrap();
            let wanted = match dtype.class() {
                Class::Bool => "[false, true]",
                Class::Complex => "[tenspan.Complex, tenspan.Complex]",
                Class::Float => "[0.0, 1.0]",
                _ => "[0, 1]",
            };
            assert_eq!(text(&t), wanted, "{dtype}");
            assert!(t.copied());
        }
    }

    #[test]
    fn shapes_survive_also_when_empty_or_strided() {
        let t = asarray(
            list(vec![list(vec![1i64, 2, 3]), list(vec![4i64, 5, 6])]).view(),
            None,
        );
        let t = t.unwrap();
        assert_eq!(text(&t.transpose().unwrap()), "[[1, 4], [2, 5], [3, 6]]");
        assert_eq!(text(&zeros(&[2, 0], DType::F32).unwrap()), "[[], []]");
        assert_eq!(text(&zeros(&[0, 2], DType::F32).unwrap()), "[]");
        assert!(t.item().is_err());
        let blocks = full(&[32], Any::float(2.0).view(), DType::Q8_0).unwrap();
        let list = blocks.tolist().unwrap();
        let Kind::Array(items) = list.kind() else {
            panic!("not a list")
        };
        assert!(matches!(items[31].kind(), Kind::Float(x) if (x - 2.0).abs() < 0.02));
    }
}
