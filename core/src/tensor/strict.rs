//! What strict encoding refuses: numbers that are not finite, and those too large for the format.

use super::{Tensor, cast, validate};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind};
use crate::quant::Codec;
use crate::quant::scale::{Scale, Stored};

/// A number that is refused.
#[derive(Debug, PartialEq)]
pub struct Refusal {
    /// Its position among the elements looked at.
    element: usize,
    /// What would be stored for it, as in "scale `d` is infinity"; nothing when the number itself is not finite.
    stored: Option<String>,
}

/// A magnitude that no scale stored as `float16` reaches, in any format, and whose square is still a number.
const BEYOND_FLOAT16: f32 = 1e15;

/// The first of some weights that is not finite, or beyond what the format holds at all.
pub fn numbers(codec: &dyn Codec, floats: &[f32]) -> Option<Refusal> {
    let is_half = |scale: &Scale| matches!(scale.stored, Stored::Float16 | Stored::SplitFloat16);
    let largest = match codec.scales().iter().any(is_half) {
        true => BEYOND_FLOAT16,
        false => codec.largest(),
    };
    let fits = |x: &f32| x.abs() <= largest;
    // Without branches first: as a rule everything fits.
    if floats.iter().fold(true, |all, x| all & fits(x)) {
        return None;
    }
    let element = floats.iter().position(|x| !fits(x))?;
    let stored = floats[element].is_finite().then(|| match largest {
        BEYOND_FLOAT16 => "no scale stored as float16 reaches it".to_owned(),
        _ => format!("what lies beyond {largest} is cut off"),
    });
    Some(Refusal { element, stored })
}

/// The greatest weight of the first of some blocks that stores a scale which is not finite.
pub fn blocks(codec: &dyn Codec, floats: &[f32], blocks: &[u8]) -> Option<Refusal> {
    let len = codec.block_len();
    let blocks = blocks.chunks_exact(codec.block_bytes());
    blocks.enumerate().find_map(|(number, block)| {
        let bad = |scale: &&Scale| scale.stored.is_defect(scale.bits(block));
        let scale = codec.scales().iter().find(bad)?;
        let what = scale.stored.defect(scale.bits(block))?;
        let weights = floats[number * len..(number + 1) * len].iter().enumerate();
        let (greatest, _) = weights.fold((0, -1.0), |(at, most), (i, x)| {
            if x.abs() > most {
                (i, x.abs())
            } else {
                (at, most)
            }
        });
        Some(Refusal {
            element: number * len + greatest,
            stored: Some(format!("{} of its block would be {what}", scale.name)),
        })
    })
}

impl Refusal {
    /// Which of some blocks it is in.
    pub fn block(&self, codec: &dyn Codec) -> usize {
        self.element / codec.block_len()
    }
}

/// The first of some elements of a plain float type that is not finite.
pub fn elements(dtype: DType, bytes: &[u8]) -> Option<Refusal> {
    let scale = dtype.known().map(validate::scales)?.first()?;
    if !scale.stored.any_defect(bytes) {
        return None;
    }
    let mut elements = bytes.chunks_exact(scale.stored.size());
    let element = elements.position(|bytes| scale.stored.is_defect(scale.bits(bytes)))?;
    let what = scale
        .stored
        .defect(scale.bits(&bytes[element * scale.stored.size()..]))?;
    Some(Refusal {
        element,
        stored: Some(format!("it would be {what}")),
    })
}

/// Where the elements looked at come from.
pub struct Place<'a> {
    from: DType,
    out: &'a Tensor,
    row: u64,
    column: u64,
    source: &'a [u8],
}

impl<'a> Place<'a> {
    /// Elements that begin at a column of a row; `source` are their bytes before.
    pub fn new(from: DType, out: &'a Tensor, row: u64, column: u64, source: &'a [u8]) -> Self {
        Place {
            from,
            out,
            row,
            column,
            source,
        }
    }

    /// An element as it was given.
    fn value(&self, element: usize) -> Option<f64> {
        let size = self.from.block_bytes() as usize;
        let bytes = self.source.get(element * size..(element + 1) * size)?;
        let mut value = [0; 8];
        cast::convert(self.from, bytes, DType::F64, &mut value).ok()?;
        Some(f64::from_ne_bytes(value))
    }
}

impl Refusal {
    /// The error that names value, row, column and block.
    pub fn error(&self, place: &Place<'_>) -> Error {
        let dtype = place.out.dtype();
        let column = place.column + self.element as u64;
        let value = place.value(self.element).unwrap_or(f64::NAN);
        let row_len = place.out.shape().last().copied().unwrap_or(1);
        let block = match dtype.is_quantized() {
            true => format!(
                " (block {})",
                (place.row * row_len + column) / dtype.block_len()
            ),
            false => String::new(),
        };
        let at = format!("row {}, column {column}{block}", place.row);
        let message = match &self.stored {
            _ if !value.is_finite() => format!("{at}: {value} cannot be encoded as {dtype}"),
            stored => {
                let stored = stored.as_deref().unwrap_or("it is encoded from float32");
                let value = match place.from {
                    DType::F64 => format!("{value:e}"),
                    // As few digits as tell it from its neighbours.
                    _ => format!("{:e}", value as f32),
                };
                format!("{at}: {value} is too large for {dtype}: {stored}")
            }
        };
        Error::new(ErrorKind::NotFinite, message)
    }
}
