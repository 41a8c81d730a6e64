//! Every split of 16 weights of which each half has a shift of its own: in a register the sums of
//! one split under all shifts.

use std::arch::x86_64::*;

use super::super::batch::spill;
use super::super::registers::{load, ones, store};
use super::{Contest, bar, gain, reaches, sorted, splits};
use crate::quant::search::split::{self, SHIFTS, Split, values};

/// The first ones of four splits each: all splits of 16 weights.
const APART: [(u8, u8); 45] = splits(16, 4);

/// Does what [`split::apart`] does.
#[target_feature(enable = "avx2")]
pub(in super::super) fn apart(weights: &[f32; 16], cost: &[f32; 16]) -> Option<Split<16>> {
    let Some(order) = sorted(weights, cost) else {
        return split::apart(weights, cost);
    };
    let terms = Terms::new(weights, cost, &order);
    // Of four splits, the four products and the four squares.
    let mut sums = [[[0.0; 8]; 4]; APART.len()];
    let mut gains = [[[0.0; 8]; 2]; APART.len()];
    let mut greatest = _mm256_setzero_ps();
    let (mut low, mut middle) = (_mm256_setzero_ps(), _mm256_setzero_ps());
    for ((out, gains), &(first, second)) in sums.iter_mut().zip(&mut gains).zip(&APART) {
        let (first, second) = (usize::from(first), usize::from(second));
        if first == second {
            middle = low;
            low = _mm256_add_ps(low, terms.low[first]);
        }
        let sums = terms.four(second, &mut middle);
        for (out, sums) in out.iter_mut().zip(sums) {
            store(out, sums);
        }
        let [a, b, c, d] = sums;
        for (gains, (a, b)) in gains.iter_mut().zip([(a, b), (c, d)]) {
            let product = _mm256_permute2f128_ps::<0x20>(a, b);
            let gain = gain(product, _mm256_permute2f128_ps::<0x31>(a, b));
            store(gains, gain);
            greatest = _mm256_max_ps(gain, greatest);
        }
    }
    let Some(bar) = bar(&spill(greatest), cost.iter().sum()) else {
        return split::apart(weights, cost);
    };
    let mut contest = Contest::new();
    for ((sums, [lower, upper]), &(first, second)) in sums.iter().zip(&gains).zip(&APART) {
        for i in ones(reaches(lower, bar) | reaches(upper, bar) << 8) {
            let (sums, k) = (sums[i / 4], i % 4);
            let split = (usize::from(first), usize::from(second) + i / 4, SHIFTS[k]);
            contest.enter((sums[k], sums[4 + k]), split);
        }
    }
    contest
        .winner
        .map(|(scale, (first, second, down))| Split::new(&order, first, second, scale, down))
}

/// What each of the sorted weights adds to the sums at each level: to the products under all
/// [`SHIFTS`], then to the squares. After the last weight there is nothing to add.
struct Terms {
    low: [__m256; 20],
    middle: [__m256; 20],
    high: [__m256; 20],
}

/// Of each half and level, the values under all [`SHIFTS`], twice.
pub(in crate::quant::kernel) const SHIFTED: [[[f32; 8]; 3]; 2] = {
    let mut shifted = [[[0.0; 8]; 3]; 2];
    let mut i = 0;
    while i < 48 {
        let (half, level, k) = (i / 24, i / 8 % 3, i % 8);
        shifted[half][level][k] = values(SHIFTS[k % 4][half])[level];
        i += 1;
    }
    shifted
};

impl Terms {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(weights: &[f32; 16], cost: &[f32; 16], order: &[u8; 16]) -> Self {
        let nothing = [_mm256_setzero_ps(); 20];
        let (mut low, mut middle, mut high) = (nothing, nothing, nothing);
        for (j, &i) in order.iter().enumerate() {
            let i = usize::from(i) % 16;
            let (x, cost) = (_mm256_set1_ps(weights[i]), _mm256_set1_ps(cost[i]));
            for (level, out) in [&mut low, &mut middle, &mut high].into_iter().enumerate() {
                let value = load(&SHIFTED[i / 8][level]);
                let factor = _mm256_blend_ps::<0xf0>(x, value);
                out[j] = _mm256_mul_ps(_mm256_mul_ps(cost, value), factor);
            }
        }
        Terms { low, middle, high }
    }

    /// The sums of four splits, of which the weights before `second` up to a place more each time
    /// are in `middle`. Splits past the last one repeat it.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn four(&self, second: usize, middle: &mut __m256) -> [__m256; 4] {
        let mut sums = [_mm256_setzero_ps(); 4];
        let (own, later) = self.high[second..].split_at(4);
        for (i, (high, add)) in own.iter().zip(&self.middle[second..]).enumerate() {
            sums[i] = *middle;
            for sums in &mut sums[..=i] {
                *sums = _mm256_add_ps(*sums, *high);
            }
            *middle = _mm256_add_ps(*middle, *add);
        }
        for high in &later[..later.len().saturating_sub(4)] {
            for sums in &mut sums {
                *sums = _mm256_add_ps(*sums, *high);
            }
        }
        sums
    }
}
