//! Products of quantized rows with a vector of floats, which is prepared once for many rows.
//!
//! A format has a partner: the type that the floats beside it are rounded to, 8 bits with a scale,
//! so that the products inside a block are sums of small integers. [`Activation`] holds such a
//! vector in the order that the kernel of the format reads it in. Formats without a partner (plain
//! floats, 8-bit floats, `q8_1` and `q8_k`) are multiplied as floats, in `float64`.
//!
//! ```
//! use tenspan::DTypeName;
//! use tenspan::quant::dot::Activation;
//! use tenspan::quant::encode_rows;
//!
//! let weights: Vec<f32> = (0..64).map(|i| i as f32 / 64.0).collect();
//! let mut row = [0; 2 * 34];
//! encode_rows(DTypeName::Q80, &weights, 64, None, &mut row)?;
//! let ones = Activation::new(DTypeName::Q80, &[1.0; 64])?;
//! assert!((ones.dot(&row)? - 31.5).abs() < 0.1);
//! # Ok::<(), tenspan::Error>(())
//! ```
//!
//! [`reference`](mod@reference) defines the result: weights and vector decoded, multiplied and added in
//! `float64`. Kernels add integers exactly and floats in `float32`, in runs that are added in
//! `float64`; they differ from it by less than `1e-5 · Σ|w·x|`. A run that does not come out finite
//! is left to the reference, so NaN and infinities are the same on every instruction set.

mod layout;
mod reference;
mod step;

pub(crate) use self::layout::Layout;
pub(crate) use self::reference::products;
pub(crate) use self::step::Step;

use std::fmt;

use super::kernel::{self, DotKernel, InstructionSet};
use super::{Codec, codec};
use crate::dtype::{DType, DTypeName};
use crate::error::{Error, ErrorKind, Result};

/// Elements of a step, the smallest multiple of every block.
pub(crate) const STEP: usize = 256;

/// Steps that are added in `float32` at a time: 8192 elements.
const RUN: usize = 32;

/// Elements that are decoded at a time where there is no partner.
const TILE: usize = 2048;

/// A vector made ready for products with rows of one dtype.
#[derive(Clone)]
pub struct Activation {
    weights: DTypeName,
    len: usize,
    row_bytes: usize,
    set: InstructionSet,
    form: Form,
}

/// How a vector is kept.
#[derive(Clone)]
enum Form {
    /// As the partner of the format.
    Levels(Levels),
    /// As it is.
    Floats(Vec<f64>),
}

/// A vector rounded to the partner of a format: what the steps say times `factor`, a power of two.
#[derive(Clone)]
struct Levels {
    codec: &'static dyn Codec,
    kernel: Option<DotKernel>,
    steps: Vec<Step>,
    factor: f64,
}

impl Activation {
    /// Prepares `x` for products with rows of `weights`, with the instruction set of this process.
    ///
    /// A value that is NaN or infinite makes products with its block NaN.
    ///
    /// # Errors
    /// [`ErrorKind::UnsupportedConversion`] when `weights` is neither `float32` nor a format with a
    /// codec, [`ErrorKind::BlockMismatch`] when `x` is not as long as whole blocks.
    pub fn new(weights: DTypeName, x: &[f64]) -> Result<Self> {
        Self::with(InstructionSet::chosen(), weights, x)
    }

    /// As [`Activation::new`], for an instruction set; without kernels where it is not available.
    ///
    /// # Errors
    /// As [`Activation::new`].
    pub fn with(set: InstructionSet, weights: DTypeName, x: &[f64]) -> Result<Self> {
        check(weights, x.len())?;
        let form = match codec(weights).and_then(|codec| Some((codec, partner(codec)?))) {
            None => Form::Floats(x.to_vec()),
            Some((codec, partner)) => {
                let kernel = DotKernel::find(set, codec);
                let (steps, factor) = step::prepare(partner, x, layout(kernel));
                Form::Levels(Levels {
                    codec,
                    kernel,
                    steps,
                    factor,
                })
            }
        };
        let dtype = DType::Known(weights);
        Ok(Activation {
            weights,
            len: x.len(),
            // Both figures are those of the dtype table, at most 292.
            row_bytes: x.len() / dtype.block_len() as usize * dtype.block_bytes() as usize,
            set,
            form,
        })
    }

    /// The dtype of the rows.
    pub fn weights(&self) -> DTypeName {
        self.weights
    }

    /// Elements of the vector.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    /// The sum of the products of a packed row and the vector.
    ///
    /// # Errors
    /// [`ErrorKind::ShapeMismatch`] when the row has another length.
    pub fn dot(&self, row: &[u8]) -> Result<f64> {
        self.check_rows(row, 1)?;
        Ok(self.dot_row(row))
    }

    /// The sum of the products of each of the packed rows, which stand one after another, and the
    /// vector, as `float32`. There are as many rows as `sums`.
    ///
    /// # Errors
    /// [`ErrorKind::ShapeMismatch`] when the rows have another length.
    pub fn dot_rows(&self, rows: &[u8], sums: &mut [f32]) -> Result<()> {
        self.check_rows(rows, sums.len())?;
        if self.row_bytes == 0 {
            sums.fill(0.0);
            return Ok(());
        }
        match &self.form {
            Form::Levels(levels) if self.len <= RUN * STEP => {
                levels.dot_rows(rows, self.row_bytes, sums);
            }
            _ => {
                for (row, sum) in rows.chunks_exact(self.row_bytes).zip(sums) {
                    *sum = self.dot_row(row) as f32;
                }
            }
        }
        Ok(())
    }

    fn dot_row(&self, row: &[u8]) -> f64 {
        match &self.form {
            Form::Levels(levels) => levels.dot(row),
            Form::Floats(x) => floats(self.set, codec(self.weights), row, x),
        }
    }

    fn check_rows(&self, bytes: &[u8], rows: usize) -> Result<()> {
        if self.row_bytes.checked_mul(rows) == Some(bytes.len()) {
            return Ok(());
        }
        let text = format!(
            "rows of {} {} have {} bytes, but {} were given for {rows} of them",
            self.len,
            self.weights.as_str(),
            self.row_bytes,
            bytes.len()
        );
        Err(Error::new(ErrorKind::ShapeMismatch, text))
    }
}

impl fmt::Debug for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (len, weights) = (self.len, self.weights.as_str());
        write!(f, "Activation(len={len}, weights={weights})")
    }
}

impl Levels {
    fn dot(&self, row: &[u8]) -> f64 {
        let run_bytes = RUN * STEP / self.codec.block_len() * self.codec.block_bytes();
        let mut sum = 0.0;
        for (row, steps) in row.chunks(run_bytes).zip(self.steps.chunks(RUN)) {
            sum += match self.kernel.map(|kernel| kernel.dot(row, steps)) {
                Some(sum) if sum.is_finite() => f64::from(sum),
                _ => reference::dot(self.codec, row, steps, layout(self.kernel)),
            };
        }
        self.factor * sum
    }

    /// As [`Levels::dot`], of rows that are no longer than a run and are not empty.
    fn dot_rows(&self, rows: &[u8], row_bytes: usize, sums: &mut [f32]) {
        match self.kernel {
            Some(kernel) => kernel.dot_rows(rows, row_bytes, &self.steps, sums),
            None => sums.fill(f32::NAN),
        }
        for (row, sum) in rows.chunks_exact(row_bytes).zip(sums) {
            let exact = if sum.is_finite() {
                f64::from(*sum)
            } else {
                reference::dot(self.codec, row, &self.steps, layout(self.kernel))
            };
            *sum = (self.factor * exact) as f32;
        }
    }
}

fn layout(kernel: Option<DotKernel>) -> Layout {
    kernel.map_or(Layout::Natural, |kernel| kernel.layout)
}

/// What the floats beside a format are rounded to; `None` where they stay as they are.
pub(crate) fn partner(codec: &dyn Codec) -> Option<&'static dyn Codec> {
    codec.partner().and_then(super::codec)
}

/// The sum of products of packed elements and floats. `codec` is that of the elements; they are
/// `float32` where there is none.
pub(crate) fn floats(set: InstructionSet, codec: Option<&dyn Codec>, row: &[u8], x: &[f64]) -> f64 {
    let Some(codec) = codec else {
        return kernel::dot_floats(set, DTypeName::Float32, row, x)
            .unwrap_or_else(|| reference::floats(row, x));
    };
    if let Some(sum) = kernel::dot_floats(set, codec.dtype(), row, x) {
        return sum;
    }
    let mut tile = [0f32; TILE];
    let tile_bytes = TILE / codec.block_len() * codec.block_bytes();
    let mut sum = 0.0;
    for (row, x) in row.chunks(tile_bytes).zip(x.chunks(TILE)) {
        let tile = &mut tile[..x.len()];
        kernel::decode_with(set, codec, row, tile, kernel::Stores::Cached);
        let bytes = bytemuck::cast_slice(tile);
        sum += kernel::dot_floats(set, DTypeName::Float32, bytes, x)
            .unwrap_or_else(|| reference::floats(bytes, x));
    }
    sum
}

fn check(weights: DTypeName, len: usize) -> Result<()> {
    let Some(codec) = codec(weights) else {
        if weights == DTypeName::Float32 {
            return Ok(());
        }
        let text = format!(
            "{} has no codec: no vector can be prepared for it",
            weights.as_str()
        );
        return Err(Error::new(ErrorKind::UnsupportedConversion, text));
    };
    if len.is_multiple_of(codec.block_len()) {
        return Ok(());
    }
    let text = format!(
        "{len} elements are not whole blocks of {}: its block has {}",
        weights.as_str(),
        codec.block_len()
    );
    Err(Error::new(ErrorKind::BlockMismatch, text))
}
