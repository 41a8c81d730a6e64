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
//!
//! No floats end an encoder. A NaN, an infinity or a weight too great for a scale goes through the
//! arithmetic like any other number, as in GGML, and often leaves a scale that is no finite number.
//! GGML ends the process where that makes levels that are no point of a codebook; here the point
//! nearest to the levels stands for them, and a group for which no scale can be found counts as
//! zeros.

mod affine_groups;
pub mod bfloat16;
mod block;
mod by_importance;
mod codebook;
pub mod dot;
mod e2m1;
pub mod float16;
pub mod float8;
mod iq1_m;
mod iq1_s;
mod iq2_s;
mod iq2_xs;
mod iq2_xxs;
mod iq3_s;
mod iq3_xxs;
mod iq4_nl;
mod iq4_xs;
pub mod kernel;
mod mxfp4;
mod nonlinear;
mod nvfp4;
mod parallel;
mod q1_0;
mod q2_0;
mod q2_k;
mod q3_k;
mod q4_0;
mod q4_1;
mod q4_k;
mod q5_0;
mod q5_1;
mod q5_k;
mod q6_k;
mod q8_0;
mod q8_1;
mod q8_k;
mod rounding;
pub mod scale;
mod search;
mod signs;
mod six_bit;
mod tq1_0;
mod tq2_0;

pub use parallel::{decode_rows, encode_rows};

use crate::dtype::{DType, DTypeName};
use scale::Scale;

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

    /// The numbers that a block stores beside its levels. By default none: each element stands for itself.
    fn scales(&self) -> &'static [Scale] {
        &[]
    }

    /// The magnitude above which weights are silently cut off. By default there is none: what is too great
    /// shows in a scale that is not finite.
    fn largest(&self) -> f32 {
        f32::MAX
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

    /// The type that floats are rounded to on the way to a product with this one; `None` where they
    /// stay as they are. By default `q8_0`, or `q8_k` for blocks of 256.
    fn partner(&self) -> Option<DTypeName> {
        match self.block_len() {
            1 => None,
            256 => Some(DTypeName::Q8K),
            _ => Some(DTypeName::Q80),
        }
    }

    /// What encoding an element costs, in moves of an element through memory (0.15 ns), so that a few rows of a format that
    /// searches for long keep all threads busy. Round figures of the AVX2 kernels: they stand with the codec because it is the
    /// search that costs, not what is stored. By default what rounding once costs.
    fn encode_cost(&self, _by_importance: bool) -> u64 {
        2
    }

    /// Whether importance makes each block depend on its whole row. By default it does not.
    fn importance_ties_rows(&self) -> bool {
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
    &q1_0::Q1_0,
    &q2_0::Q2_0,
    &q4_0::Q4_0,
    &q4_1::Q4_1,
    &q5_0::Q5_0,
    &q5_1::Q5_1,
    &q8_0::Q8_0,
    &q8_1::Q8_1,
    &q2_k::Q2K,
    &q3_k::Q3K,
    &q4_k::Q4K,
    &q5_k::Q5K,
    &q6_k::Q6K,
    &q8_k::Q8K,
    &iq1_s::Iq1S,
    &iq1_m::Iq1M,
    &iq2_xxs::Iq2Xxs,
    &iq2_xs::Iq2Xs,
    &iq2_s::Iq2S,
    &iq3_xxs::Iq3Xxs,
    &iq3_s::Iq3S,
    &iq4_nl::Iq4Nl,
    &iq4_xs::Iq4Xs,
    &tq1_0::Tq1_0,
    &tq2_0::Tq2_0,
    &mxfp4::Mxfp4,
    &nvfp4::Nvfp4,
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
    fn every_block_has_scales_that_lie_inside() {
        for codec in CODECS {
            let scales = codec.scales();
            assert_eq!(scales.is_empty(), codec.block_len() == 1);
            for scale in scales {
                assert!(scale.offset + scale.stored.size() <= codec.block_bytes());
            }
        }
    }

    #[test]
    fn what_searches_costs_more_than_what_rounds() {
        let cost = |name, by_importance| codec(name).unwrap().encode_cost(by_importance);
        assert!(cost(DTypeName::Iq2Xs, true) > 100 * cost(DTypeName::Q80, true));
        assert!(cost(DTypeName::Q40, true) > 10 * cost(DTypeName::Q40, false));
        assert!(CODECS.iter().all(|codec| codec.encode_cost(false) > 0));
    }

    #[test]
    fn a_type_that_needs_no_codec_has_none() {
        assert!(codec(DTypeName::Float32).is_none());
        assert!(codec(DTypeName::Int8).is_none());
    }
}
