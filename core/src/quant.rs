//! Codecs: what turns stored blocks into floats and floats into blocks, bit for bit as GGML does.
//!
//! [`CODECS`] is the one list; [`codec`] finds an entry by dtype. A format is one file in `quant/`,
//! one line in that list, and one pair of vector files. [`decode_rows`] and [`encode_rows`] are the
//! entry points: they check lengths, then share whole rows out over threads.
//!
//! ```
//! use tenspan::DTypeName;
//! use tenspan::quant::{decode_rows, encode_rows};
//!
//! let weights: Vec<f32> = (0..64).map(|i| i as f32 / 64.0).collect();
//! let mut blocks = [0; 2 * 34];
//! encode_rows(DTypeName::Q80, &weights, 64, None, &mut blocks)?;
//! let mut back = [0.0; 64];
//! decode_rows(DTypeName::Q80, &blocks, &mut back)?;
//! assert!((back[63] - weights[63]).abs() < 0.01);
//! # Ok::<(), tenspan::Error>(())
//! ```
//!
//! "As GGML does" means as its x86 base library: IEEE `f32`, every sum from left to right, no fused
//! multiply-add. Rust never contracts, so the plain code here reproduces it. The floating-point
//! state must be the default one; a host that flushes subnormals gets other bytes for subnormal
//! scales.

pub mod bfloat16;
pub mod float16;
pub mod float8;
mod parallel;
mod q4_0;
mod q4_k;
mod q8_0;
mod rounding;
mod search;

pub use parallel::{decode_rows, encode_rows};

use crate::dtype::{DType, DTypeName};

/// One storage format for floats.
///
/// A codec is a unit struct. Lengths are checked by the caller, [`decode_rows`] or [`encode_rows`],
/// so a codec may rely on them; it never fails and never panics on any bytes or any floats.
pub trait Codec: Sync {
    /// The dtype of the blocks, the key in the list.
    fn dtype(&self) -> DTypeName;

    /// Elements per block. By default the figure of the dtype table.
    fn block_len(&self) -> usize {
        // At most 256 for every row of the table.
        DType::Known(self.dtype()).block_len() as usize
    }

    /// Bytes per block. By default the figure of the dtype table.
    fn block_bytes(&self) -> usize {
        DType::Known(self.dtype()).block_bytes() as usize
    }

    /// Fills `out` from whole blocks: `out.len() / block_len` equals `blocks.len() / block_bytes`.
    fn decode(&self, blocks: &[u8], out: &mut [f32]);

    /// Whether [`encode`](Codec::encode) does anything. By default `true`.
    fn can_encode(&self) -> bool {
        true
    }

    /// Whether encoding is impossible without an importance vector. By default `false`.
    fn needs_importance(&self) -> bool {
        false
    }

    /// Fills `out` from whole rows of `row_len` weights, a multiple of the block length.
    ///
    /// `importance` holds one weight per column, the same for every row; a format without use for
    /// it ignores it.
    fn encode(&self, weights: &[f32], row_len: usize, importance: Option<&[f32]>, out: &mut [u8]);
}

/// Every format, plain ones first. The order is that of the dtype table.
pub const CODECS: &[&dyn Codec] = &[
    &float16::Float16,
    &bfloat16::Bfloat16,
    &float8::E4M3FN,
    &float8::E5M2,
    &q4_0::Q4_0,
    &q8_0::Q8_0,
    &q4_k::Q4K,
];

/// The codec of a dtype, if it is stored otherwise than as the number itself and can be converted.
pub fn codec(name: DTypeName) -> Option<&'static dyn Codec> {
    CODECS.iter().copied().find(|codec| codec.dtype() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_table_order_and_names_each_dtype_once() {
        assert!(
            CODECS
                .windows(2)
                .all(|pair| pair[0].dtype() < pair[1].dtype())
        );
    }

    #[test]
    fn a_type_that_needs_no_codec_has_none() {
        assert!(codec(DTypeName::Float32).is_none());
        assert!(codec(DTypeName::Int8).is_none());
    }
}
