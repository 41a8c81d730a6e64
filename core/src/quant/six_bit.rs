//! Scales and minima of 8 groups of 32 weights in 6 bits each: what `q4_k` and `q5_k` have in common.
//!
//! Both begin with the same 16 bytes: the `f16` unit of the scales, the `f16` unit of the minima,
//! then 8 scales and 8 minima, packed. They differ in the bits of a weight, so in the greatest level.

use super::affine_groups::{self, scaled};
use super::search::lanes::{Lanes, squares, sum};

/// Groups of a super-block.
pub(super) const GROUPS: usize = 8;
/// Weights of a group.
pub(super) const GROUP: usize = 32;
/// Bytes of scales and minima.
pub(super) const HEAD: usize = 16;
/// The greatest level of a scale or minimum.
pub(super) const TOP: u8 = 63;

/// The price of a squared deviation of each weight without importance.
#[inline(always)]
pub(super) fn cost<L: Lanes>(weights: &[L; GROUP]) -> [L; GROUP] {
    let average = (sum(&squares(weights)) / L::all(GROUP as f32)).sqrt();
    let mut cost = *weights;
    for x in &mut cost {
        *x = average + x.abs();
    }
    cost
}

/// The scales and minima of a super-block, and their `f16` units.
pub(super) type Scales = affine_groups::Scales<GROUPS>;

impl Scales {
    /// Unpacks the first bytes of a super-block.
    #[inline(always)]
    pub fn read(head: &[u8; HEAD]) -> Self {
        let packed: [u8; 12] = std::array::from_fn(|i| head[4 + i]);
        let (mut scales, mut mins) = ([0; GROUPS], [0; GROUPS]);
        for j in 0..4 {
            scales[j] = packed[j] & 63;
            mins[j] = packed[j + 4] & 63;
            scales[j + 4] = packed[j + 8] & 15 | packed[j] >> 6 << 4;
            mins[j + 4] = packed[j + 8] >> 4 | packed[j + 4] >> 6 << 4;
        }
        Scales {
            unit: u16::from_le_bytes([head[0], head[1]]),
            min_unit: u16::from_le_bytes([head[2], head[3]]),
            scales,
            mins,
        }
    }

    /// The first four are stored whole; the upper two bits of the others go above them.
    #[inline(always)]
    pub fn write(&self, head: &mut [u8; HEAD]) {
        head[..2].copy_from_slice(&self.unit.to_le_bytes());
        head[2..4].copy_from_slice(&self.min_unit.to_le_bytes());
        let packed = &mut head[4..];
        for j in 0..4 {
            packed[j] = self.scales[j] | self.scales[j + 4] >> 4 << 6;
            packed[j + 4] = self.mins[j] | self.mins[j + 4] >> 4 << 6;
            packed[j + 8] = self.scales[j + 4] & 15 | self.mins[j + 4] << 4;
        }
    }

    /// Scale and minimum of a group as floats.
    #[inline(always)]
    pub fn of(&self, group: usize) -> (f32, f32) {
        (
            scaled(self.unit, self.scales[group]),
            scaled(self.min_unit, self.mins[group]),
        )
    }
}
