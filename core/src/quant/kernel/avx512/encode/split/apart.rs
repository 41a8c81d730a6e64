//! Every split of 16 weights of which each half has a shift of its own: in a register the sums of
//! two splits under all shifts.

use std::arch::x86_64::*;

use super::super::registers::{spill, store};
use super::{gain, reaches};
use crate::quant::kernel::avx2::encode::registers::{load, ones};
use crate::quant::kernel::avx2::encode::split::apart::SHIFTED;
use crate::quant::kernel::avx2::encode::split::{Contest, bar, sorted, splits};
use crate::quant::search::split::{self, SHIFTS, Split};

/// The first ones of eight splits each: all splits of 16 weights.
const APART: [(u8, u8); 27] = splits(16, 8);

/// Does what [`split::apart`] does.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(in super::super) fn apart(weights: &[f32; 16], cost: &[f32; 16]) -> Option<Split<16>> {
    let Some(order) = sorted(weights, cost) else {
        return split::apart(weights, cost);
    };
    let terms = Terms::new(weights, cost, &order);
    // Of eight splits, two in a register; their gains, eight halves of which are four splits.
    let mut sums = [[[0.0; 16]; 4]; APART.len()];
    let mut gains = [[_mm512_setzero_ps(); 2]; APART.len()];
    let mut greatest = _mm512_setzero_ps();
    let (mut low, mut middle) = (_mm256_setzero_ps(), _mm256_setzero_ps());
    for ((out, gains), &(first, second)) in sums.iter_mut().zip(&mut gains).zip(&APART) {
        let (first, second) = (usize::from(first), usize::from(second));
        if first == second {
            middle = low;
            low = _mm256_add_ps(low, terms.low[first]);
        }
        let [a, b, c, d] = terms.eight(second, &mut middle);
        for (out, sums) in out.iter_mut().zip([a, b, c, d]) {
            store(out, sums);
        }
        for (out, (a, b)) in gains.iter_mut().zip([(a, b), (c, d)]) {
            let product = _mm512_shuffle_f32x4::<0x88>(a, b);
            *out = gain(product, _mm512_shuffle_f32x4::<0xdd>(a, b));
            greatest = _mm512_max_ps(*out, greatest);
        }
    }
    let Some(bar) = bar(&spill(greatest), cost.iter().sum()) else {
        return split::apart(weights, cost);
    };
    let mut contest = Contest::new();
    for ((sums, [lower, upper]), &(first, second)) in sums.iter().zip(gains).zip(&APART) {
        let near = u32::from(reaches(lower, bar)) | u32::from(reaches(upper, bar)) << 16;
        for i in ones(u64::from(near)) {
            let (split, k) = (i / 4, i % 4);
            let sums = &sums[split / 2][split % 2 * 8..];
            let split = (usize::from(first), usize::from(second) + split, SHIFTS[k]);
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
    low: [__m256; 24],
    middle: [__m256; 24],
    /// Twice.
    high: [__m512; 24],
}

impl Terms {
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn new(weights: &[f32; 16], cost: &[f32; 16], order: &[u8; 16]) -> Self {
        let nothing = [_mm256_setzero_ps(); 24];
        let mut terms = Terms {
            low: nothing,
            middle: nothing,
            high: [_mm512_setzero_ps(); 24],
        };
        for (j, &i) in order.iter().enumerate() {
            let i = usize::from(i) % 16;
            let (x, cost) = (_mm256_set1_ps(weights[i]), _mm256_set1_ps(cost[i]));
            let [low, middle, high] = SHIFTED[i / 8].map(|value| {
                let value = load(&value);
                let factor = _mm256_blend_ps::<0xf0>(x, value);
                _mm256_mul_ps(_mm256_mul_ps(cost, value), factor)
            });
            (terms.low[j], terms.middle[j]) = (low, middle);
            terms.high[j] = _mm512_broadcast_f32x8(high);
        }
        terms
    }

    /// The sums of eight splits, of which the weights before `second` up to a place more each time
    /// are in `middle`. Splits past the last one repeat it.
    #[inline]
    #[target_feature(enable = "avx512f,avx512dq")]
    fn eight(&self, second: usize, middle: &mut __m256) -> [__m512; 4] {
        let mut sums = [_mm512_setzero_ps(); 4];
        let (own, later) = self.high[second..].split_at(8);
        for (i, pair) in own.as_chunks::<2>().0.iter().enumerate() {
            let next = _mm256_add_ps(*middle, self.middle[second + 2 * i]);
            sums[i] = _mm512_insertf32x8::<1>(_mm512_castps256_ps512(*middle), next);
            *middle = _mm256_add_ps(next, self.middle[second + 2 * i + 1]);
            // The upper split of the two begins a place later.
            sums[i] = _mm512_mask_add_ps(sums[i], 0x00ff, sums[i], pair[0]);
            sums[i] = _mm512_add_ps(sums[i], pair[1]);
            for sums in &mut sums[..i] {
                *sums = _mm512_add_ps(_mm512_add_ps(*sums, pair[0]), pair[1]);
            }
        }
        for high in &later[..later.len().saturating_sub(8)] {
            for sums in &mut sums {
                *sums = _mm512_add_ps(*sums, *high);
            }
        }
        sums
    }
}
