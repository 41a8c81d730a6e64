//! Floats into blocks, as well as importance weights can make it, and as strictly as is asked for.

use super::copy::{may_share, pack};
use super::parts::{Part, Parts};
use super::rows::{self, Rows};
use super::strict::{self, Place, Refusal};
use super::{Tensor, cast};
use crate::dtype::{Class, DType};
use crate::error::{Error, ErrorKind, Result};
use crate::generated::dictionaries::QuantizeOptions;
use crate::quant::{self, Codec, kernel};

/// Encodes floats in a block format, or converts them to a plain float type.
///
/// `importance` is one weight per column, the same for every row; formats without use for it ignore it. With `strict`,
/// what cannot be encoded is an error; without, it goes through the arithmetic as in GGML, and [`validate`](crate::validate)
/// finds what came of it. Rows are encoded in parallel, and no temporary is larger than a row per thread.
///
/// # Errors
/// [`ErrorKind::DTypeMismatch`] when `x` or the importance do not hold floats, `dtype` is not made of floats, or `out` is of
/// another; [`ErrorKind::NotFinite`] when `strict` finds a number that is NaN, infinite, or too large for the format;
/// [`ErrorKind::ShapeMismatch`] and [`ErrorKind::ValueError`] for an importance of another length, or with weights that are
/// negative or not finite; [`ErrorKind::UnsupportedConversion`] when the format needs an importance and there is none; those of
/// [`copy`](crate::copy).
pub fn quantize(x: &Tensor, dtype: DType, options: &QuantizeOptions) -> Result<Tensor> {
    if x.dtype().class() != Class::Float {
        let message = format!("quantize takes floats, found {}", x.describe());
        return Err(Error::new(ErrorKind::DTypeMismatch, message));
    }
    if !matches!(dtype.class(), Class::Block | Class::Float) {
        let message = match dtype {
            DType::Opaque(id) => unknown(id),
            _ => format!("floats cannot be quantized to {dtype}"),
        };
        return Err(Error::new(ErrorKind::DTypeMismatch, message));
    }
    let row_len = x.shape().last().copied().unwrap_or(1);
    let importance = match &options.importance {
        Some(importance) => Some(weights(importance, row_len)?),
        None => None,
    };
    let encoder = dtype.known().filter(|_| dtype.is_quantized());
    match encoder.and_then(quant::codec) {
        Some(codec) if codec.can_encode() && (importance.is_some() || options.strict) => {
            if importance.is_none() && codec.needs_importance() {
                return cast::unsupported(x.dtype(), dtype);
            }
            let out = destination(x, dtype, options)?;
            let encoder = Encoder {
                codec,
                importance: importance.as_deref(),
                strict: options.strict,
            };
            encoder.encode(x, &out)?;
            Ok(out)
        }
        None if options.strict => {
            let out = destination(x, dtype, options)?;
            round(x, &out)?;
            Ok(out)
        }
        _ => cast::cast(x, dtype, options.out.as_ref()),
    }
}

/// What is to be said of a type that only a file knows.
fn unknown(id: u32) -> String {
    match DType::removed_name(id) {
        Some(name) => {
            format!("floats cannot be quantized to type {id} of GGML, {name}, which was removed")
        }
        None => {
            format!("floats cannot be quantized to type {id} of GGML, which tenspan does not know")
        }
    }
}

fn destination(x: &Tensor, dtype: DType, options: &QuantizeOptions) -> Result<Tensor> {
    let out = cast::destination(x.shape(), dtype, options.out.as_ref())?;
    rows::check_target(&out)?;
    Ok(out)
}

/// The importance of each column as the encoders take it.
fn weights(importance: &Tensor, row_len: u64) -> Result<Vec<f32>> {
    let class = importance.dtype().class();
    // Whole numbers too: a list of them is a tensor of them.
    if !matches!(class, Class::Float | Class::Signed | Class::Unsigned) {
        let message = format!(
            "importance weights are floats, found {}",
            importance.describe()
        );
        return Err(Error::new(ErrorKind::DTypeMismatch, message));
    }
    if importance.shape() != [row_len] {
        let message = format!(
            "importance has shape {:?}, but rows of {row_len} elements need [{row_len}]",
            importance.shape()
        );
        return Err(Error::new(ErrorKind::ShapeMismatch, message));
    }
    let weights: Vec<f32> = cast::cast(importance, DType::F32, None)?
        .bytes()?
        .as_chunks()
        .0
        .iter()
        .map(|bytes| f32::from_ne_bytes(*bytes))
        .collect();
    let wrong = |weight: &f32| !(weight.is_finite() && *weight >= 0.0);
    if let Some(column) = weights.iter().position(wrong) {
        let message = format!(
            "the importance of column {column} is {}, but weights are finite and not negative",
            weights[column]
        );
        return Err(Error::new(ErrorKind::ValueError, message));
    }
    Ok(weights)
}

/// `x`, or a copy of it where it shares memory with what is written.
fn apart(x: &Tensor, out: &Tensor) -> Result<Tensor> {
    if may_share(x, out) {
        pack(x)
    } else {
        Ok(x.clone())
    }
}

/// What converting and checking an element costs, in moves of one.
const ROUNDING: u64 = 8;

struct Encoder<'a> {
    codec: &'a dyn Codec,
    importance: Option<&'a [f32]>,
    strict: bool,
}

impl Encoder<'_> {
    fn encode(&self, x: &Tensor, out: &Tensor) -> Result<()> {
        let x = apart(x, out)?;
        let (from, to) = (Rows::new(&x), Rows::new(out));
        let cost = self.codec.encode_cost(self.importance.is_some());
        let parts = if self.ties_rows() {
            Parts::whole_rows(to.count, to.elements, cost)
        } else {
            Parts::by_cost(to.count, to.elements, cost)
        };
        let work = |floats: &mut Vec<f32>, part: Part, bytes: &[u8], room: &mut [u8]| {
            let floats = self.floats(x.dtype(), bytes, floats)?;
            // Positions in a row, of which there is memory.
            let columns = part.elements.start as usize..part.elements.end as usize;
            let importance = self.importance.map(|importance| &importance[columns]);
            kernel::encode(self.codec, floats, floats.len(), importance, room);
            let Some(refusal) = self.refusal(floats, room) else {
                return Ok(());
            };
            let place = Place::new(x.dtype(), out, part.row, part.elements.start, bytes);
            Err(refusal.error(&place))
        };
        parts.convert(&from, |row| row, &to, Vec::new, work)
    }

    /// Whether a block depends on its whole row.
    fn ties_rows(&self) -> bool {
        self.importance.is_some() && self.codec.importance_ties_rows()
    }

    /// The first number that strict encoding refuses.
    fn refusal(&self, floats: &[f32], blocks: &[u8]) -> Option<Refusal> {
        if !self.strict {
            return None;
        }
        let number = strict::numbers(self.codec, floats);
        // A number that is not finite is the reason for what becomes of its block, or of the whole row.
        if number.is_some() && self.ties_rows() {
            return number;
        }
        let block = strict::blocks(self.codec, floats, blocks);
        match (number, block) {
            (Some(number), Some(block)) if block.block(self.codec) < number.block(self.codec) => {
                Some(block)
            }
            (number, block) => number.or(block),
        }
    }

    /// The elements as `float32`: where they are if they are that, else in `room`.
    fn floats<'b>(
        &self,
        dtype: DType,
        bytes: &'b [u8],
        room: &'b mut Vec<f32>,
    ) -> Result<&'b [f32]> {
        if dtype == DType::F32
            && let Ok(floats) = bytemuck::try_cast_slice(bytes)
        {
            return Ok(floats);
        }
        room.resize(bytes.len() / dtype.block_bytes() as usize, 0.0);
        cast::convert(dtype, bytes, DType::F32, bytemuck::cast_slice_mut(room))?;
        Ok(room)
    }
}

/// Converts floats to another plain type, strictly.
fn round(x: &Tensor, out: &Tensor) -> Result<()> {
    let x = apart(x, out)?;
    let (from, to) = (Rows::new(&x), Rows::new(out));
    let parts = Parts::by_cost(to.count, to.elements, ROUNDING);
    let work = |_: &mut (), part: Part, bytes: &[u8], room: &mut [u8]| {
        cast::convert(x.dtype(), bytes, out.dtype(), room)?;
        match strict::elements(out.dtype(), room) {
            None => Ok(()),
            Some(refusal) => {
                let place = Place::new(x.dtype(), out, part.row, part.elements.start, bytes);
                Err(refusal.error(&place))
            }
        }
    };
    parts.convert(&from, |row| row, &to, || (), work)
}
