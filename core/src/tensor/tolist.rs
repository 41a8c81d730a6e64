//! Tensors as nested lists of numbers, and as bytes.

use super::{Tensor, cast, rows};
use crate::dtype::{Class, DType};
use crate::error::{Error, ErrorKind, Result};
use crate::value::{Any, Complex, IntoAny};

impl Tensor {
    /// The elements as bytes, packed in row-major order.
    ///
    /// # Errors
    /// [`ErrorKind::BufferError`] when the tensor is only planned.
    pub fn tobytes(&self) -> Result<Vec<u8>> {
        Ok(self.contiguous()?.bytes()?.to_vec())
    }

    /// The elements as nested lists of numbers, quantized ones decoded; a number when there are no dimensions.
    ///
    /// # Errors
    /// [`ErrorKind::UnsupportedConversion`] for types without a decoder.
    pub fn tolist(&self) -> Result<Any> {
        let t = if self.dtype().is_plain() {
            self.clone()
        } else {
            cast::cast(self, DType::F32, None)?
        };
        let mut numbers = Vec::new();
        let dtype = t.dtype();
        rows::visit(&t, |_, bytes| {
            let items = bytes.chunks_exact(dtype.block_bytes() as usize);
            numbers.extend(items.map(|item| read_one(item, dtype)));
            Ok(())
        })?;
        Ok(nest(t.shape(), &mut numbers.into_iter()))
    }

    /// The only element of a tensor of one element.
    ///
    /// # Errors
    /// [`ErrorKind::ValueError`] when there are more or fewer.
    pub fn item(&self) -> Result<Any> {
        if self.size() != 1 {
            let message = format!(
                "item takes the only element, but {} has {}",
                self.describe(),
                self.size()
            );
            return Err(Error::new(ErrorKind::ValueError, message));
        }
        let mut scalar = self.clone();
        while !scalar.shape().is_empty() {
            scalar = scalar.select(0, 0)?;
        }
        scalar.tolist()
    }
}

fn nest(shape: &[u64], numbers: &mut impl Iterator<Item = Any>) -> Any {
    match shape.split_first() {
        None => numbers.next().unwrap_or(Any::NONE),
        Some((n, inner)) => Any::array((0..*n).map(|_| nest(inner, numbers)).collect()),
    }
}

fn read_one(item: &[u8], dtype: DType) -> Any {
    let wide = |class: DType, bytes: &[u8], part: DType| {
        let mut word = [0u8; 8];
        // Every plain real type converts to the widest of its class.
        let _ = cast::convert(part, bytes, class, &mut word);
        word
    };
    match dtype.class() {
        Class::Bool => Any::bool(item[0] != 0),
        Class::Signed => Any::int(i64::from_ne_bytes(wide(DType::I64, item, dtype)).into()),
        Class::Unsigned => Any::int(u64::from_ne_bytes(wide(DType::U64, item, dtype)).into()),
        Class::Complex => {
            let (re, im) = item.split_at(item.len() / 2);
            let part = if re.len() == 4 {
                DType::F32
            } else {
                DType::F64
            };
            let read = |bytes| f64::from_ne_bytes(wide(DType::F64, bytes, part));
            Complex {
                re: read(re),
                im: read(im),
            }
            .into_any()
        }
        _ => Any::float(f64::from_ne_bytes(wide(DType::F64, item, dtype))),
    }
}
