//! Every split of 32 weights that are all shifted alike: a split in each lane.

use std::arch::x86_64::*;

use super::super::batch::spill;
use super::super::registers::{load, ones, store};
use super::{Contest, bar, gain, reaches, sorted, splits};
use crate::quant::search::split::{self, Split, values};

/// The first ones of eight splits each: all splits of 32 weights.
const TOGETHER: [(u8, u8); 85] = splits(32, 8);

/// Does what [`split::together`] does.
#[target_feature(enable = "avx2")]
pub(in super::super) fn together(weights: &[f32; 32], cost: &[f32; 32]) -> Option<Split<32>> {
    let Some(order) = sorted(weights, cost) else {
        return split::together(weights, cost);
    };
    let sums = PrefixSums::new(weights, cost, &order);
    // Of eight splits, the gains with values shifted up, then with values shifted down.
    let mut gains = [[[0.0; 8]; 2]; TOGETHER.len()];
    let mut greatest = _mm256_setzero_ps();
    for (gains, &(first, second)) in gains.iter_mut().zip(&TOGETHER) {
        let parts = sums.eight(usize::from(first), usize::from(second));
        let [up, down] = gains;
        for (gains, values) in [(up, values(false)), (down, values(true))] {
            let gain = gain(parts.product(values), parts.square(values));
            store(gains, gain);
            // A NaN is passed over.
            greatest = _mm256_max_ps(gain, greatest);
        }
    }
    let Some(bar) = bar(&spill(greatest), sums.costs[32]) else {
        return split::together(weights, cost);
    };
    let mut contest = Contest::new();
    for ([up, down], &(first, second)) in gains.iter().zip(&TOGETHER) {
        let (up, down) = (reaches(up, bar), reaches(down, bar));
        for lane in ones(up | down) {
            let (first, second) = (usize::from(first), usize::from(second) + lane);
            for (mask, down) in [(up, false), (down, true)] {
                if mask >> lane & 1 == 1 {
                    contest.enter(sums.one(first, second, down), (first, second, down));
                }
            }
        }
    }
    contest
        .winner
        .map(|(scale, (first, second, down))| Split::new(&order, first, second, scale, [down; 2]))
}

/// The sums over the sorted weights up to each place.
struct PrefixSums {
    products: [f32; 41],
    costs: [f32; 41],
}

impl PrefixSums {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new(weights: &[f32; 32], cost: &[f32; 32], order: &[u8; 32]) -> Self {
        // Past the end there are no splits, and a NaN is no gain.
        let (mut products, mut costs) = ([f32::NAN; 41], [f32::NAN; 41]);
        (products[0], costs[0]) = (0.0, 0.0);
        for (j, &i) in order.iter().enumerate() {
            let i = usize::from(i);
            products[j + 1] = products[j] + cost[i] * weights[i];
            costs[j + 1] = costs[j] + cost[i];
        }
        PrefixSums { products, costs }
    }

    /// The parts of eight splits.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn eight(&self, first: usize, second: usize) -> Parts {
        Parts {
            products: parts(&self.products, first, second),
            costs: parts(&self.costs, first, second),
        }
    }

    /// Product and square of a split.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn one(&self, first: usize, second: usize, down: bool) -> (f32, f32) {
        let parts = |sums: &[f32; 41]| {
            [
                sums[first] - sums[0],
                sums[second] - sums[first],
                sums[32] - sums[second],
            ]
        };
        let (product, square, v) = (parts(&self.products), parts(&self.costs), values(down));
        (
            product[0] * v[0] + product[1] * v[1] + product[2] * v[2],
            square[0] * v[0] * v[0] + square[1] * v[1] * v[1] + square[2] * v[2] * v[2],
        )
    }
}

/// The parts of the sums of eight splits with levels 0, 1 and 2.
struct Parts {
    products: [__m256; 3],
    costs: [__m256; 3],
}

impl Parts {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn product(&self, values: [f32; 3]) -> __m256 {
        let [a, b, c] = self.products;
        let [v, w, x] = values;
        let a = _mm256_mul_ps(a, _mm256_set1_ps(v));
        let b = _mm256_mul_ps(b, _mm256_set1_ps(w));
        let c = _mm256_mul_ps(c, _mm256_set1_ps(x));
        _mm256_add_ps(_mm256_add_ps(a, b), c)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn square(&self, values: [f32; 3]) -> __m256 {
        let [a, b, c] = self.costs;
        let [v, w, x] = values;
        let (v, w, x) = (_mm256_set1_ps(v), _mm256_set1_ps(w), _mm256_set1_ps(x));
        let a = _mm256_mul_ps(_mm256_mul_ps(a, v), v);
        let b = _mm256_mul_ps(_mm256_mul_ps(b, w), w);
        let c = _mm256_mul_ps(_mm256_mul_ps(c, x), x);
        _mm256_add_ps(_mm256_add_ps(a, b), c)
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn parts(sums: &[f32; 41], first: usize, second: usize) -> [__m256; 3] {
    let (low, all) = (_mm256_set1_ps(sums[first]), _mm256_set1_ps(sums[32]));
    let until = load(&sums[second..].as_chunks().0[0]);
    [
        _mm256_set1_ps(sums[first] - sums[0]),
        _mm256_sub_ps(until, low),
        _mm256_sub_ps(all, until),
    ]
}
