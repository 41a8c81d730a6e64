//! A scale for a group of weights of three levels: every split of the sorted weights.
//!
//! The splits are tried in an order, and each winner raises the bar for the next. But only a split
//! whose gain, `product² / square`, is the greatest but for a few roundings can be the last winner,
//! and such a split wins whatever won before it. So the gains of all are estimated first, and only
//! those that come near the greatest are compared as the codec compares all. Where a number is so
//! small, great or strange that errors are not relative, the codec's own search decides.

pub(in crate::quant::kernel) mod apart;
mod together;

use std::arch::x86_64::*;

pub(super) use self::apart::apart;
pub(super) use self::together::together;
use super::registers::{above, load, store_words};

/// The part of the greatest gain that an estimate has to have: several times as far off as an
/// approximate reciprocal may be, which is 1.5 * 2⁻¹².
const NEAR: f32 = 1.0 - 1.0 / 256.0;

/// Every `step`-th of the splits of `len` weights with the same first place.
pub(in crate::quant::kernel) const fn splits<const COUNT: usize>(
    len: u8,
    step: u8,
) -> [(u8, u8); COUNT] {
    let mut splits = [(0, 0); COUNT];
    let (mut i, mut first) = (0, 0);
    while first <= len {
        let mut second = first;
        while second <= len {
            splits[i] = (first, second);
            i += 1;
            second += step;
        }
        first += 1;
    }
    splits
}

/// An estimate of `product² / square`.
#[inline]
#[target_feature(enable = "avx2")]
fn gain(product: __m256, square: __m256) -> __m256 {
    _mm256_mul_ps(_mm256_mul_ps(product, product), _mm256_rcp_ps(square))
}

/// What a gain has to reach to be compared; none where estimates say nothing. `gains` are the
/// greatest of some lanes, `cost` is the sum of all costs, none of which is negative.
///
/// A square is between 1/64 and 81/64 of the cost. With these bounds nothing that is computed of a
/// split with a gain near the greatest is subnormal or overflows.
#[inline]
pub(in crate::quant::kernel) fn bar(gains: &[f32], cost: f32) -> Option<f32> {
    let greatest = gains.iter().copied().fold(0.0, f32::max);
    let usual = 1e-30..1e30;
    let sound = usual.contains(&greatest)
        && usual.contains(&cost)
        && (1e-33..1e33).contains(&(greatest * cost));
    sound.then_some(greatest * NEAR)
}

/// The lanes that reach the bar.
#[inline]
#[target_feature(enable = "avx2")]
fn reaches(gains: &[f32; 8], bar: f32) -> u64 {
    _mm256_movemask_ps(above(load(gains), _mm256_set1_ps(bar))) as u64
}

/// The comparison of splits in the order in which they are tried.
pub(in crate::quant::kernel) struct Contest<T> {
    best: f32,
    pub(in crate::quant::kernel) winner: Option<(f32, T)>,
}

impl<T> Contest<T> {
    pub(in crate::quant::kernel) fn new() -> Self {
        Contest {
            best: -f32::MAX,
            winner: None,
        }
    }

    #[inline]
    pub(in crate::quant::kernel) fn enter(&mut self, (product, square): (f32, f32), split: T) {
        if square > 0.0 && product * product > self.best * square {
            let scale = product / square;
            self.best = scale * product;
            self.winner = Some((scale, split));
        }
    }
}

/// What [`sorted`](crate::quant::search::split::sorted) gives, by counting how many weights stand before each. None where a
/// weight is NaN, or a cost is NaN or negative.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel) fn sorted<const N: usize>(
    weights: &[f32; N],
    cost: &[f32; N],
) -> Option<[u8; N]> {
    let (zero, lanes) = (
        _mm256_setzero_ps(),
        _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
    );
    let mut sound = _mm256_cmp_ps::<_CMP_EQ_OQ>(zero, zero);
    let mut order = [0; N];
    for (chunk, x) in weights.as_chunks().0.iter().enumerate() {
        let x = load(x);
        let ordered = _mm256_cmp_ps::<_CMP_EQ_OQ>(x, x);
        let cost = load(&cost.as_chunks().0[chunk]);
        let priced = _mm256_cmp_ps::<_CMP_GE_OQ>(cost, zero);
        sound = _mm256_and_ps(sound, _mm256_and_ps(ordered, priced));
        // Equal weights that have lower numbers stand before, equal ones that have higher do not.
        let mut rank = _mm256_setzero_si256();
        let (before, rest) = weights.split_at(8 * chunk);
        for &other in before {
            let stands = _mm256_cmp_ps::<_CMP_LE_OQ>(_mm256_set1_ps(other), x);
            rank = _mm256_sub_epi32(rank, _mm256_castps_si256(stands));
        }
        for (lane, &other) in (0..8).zip(rest) {
            let other = _mm256_set1_ps(other);
            let lower = _mm256_castsi256_ps(_mm256_cmpgt_epi32(lanes, _mm256_set1_epi32(lane)));
            let equal = _mm256_and_ps(_mm256_cmp_ps::<_CMP_EQ_OQ>(other, x), lower);
            let stands = _mm256_or_ps(_mm256_cmp_ps::<_CMP_LT_OQ>(other, x), equal);
            rank = _mm256_sub_epi32(rank, _mm256_castps_si256(stands));
        }
        for &other in &rest[8..] {
            let stands = _mm256_cmp_ps::<_CMP_LT_OQ>(_mm256_set1_ps(other), x);
            rank = _mm256_sub_epi32(rank, _mm256_castps_si256(stands));
        }
        let mut ranks = [0; 8];
        store_words(&mut ranks, rank);
        for (i, rank) in (8 * chunk..).zip(ranks) {
            order[rank as usize % N] = i as u8;
        }
    }
    (_mm256_movemask_ps(sound) == 255).then_some(order)
}
