//! Every split of 32 weights that are all shifted alike: a split in each lane.

use std::arch::x86_64::*;

use super::super::registers::{load, spill};
use super::{gain, reaches};
use crate::quant::kernel::avx2::encode::registers::ones;
use crate::quant::kernel::avx2::encode::split::{Contest, bar, sorted, splits};
use crate::quant::search::split::{self, Split, values};

/// The first ones of sixteen splits each: all splits of 32 weights.
const TOGETHER: [(u8, u8); 51] = splits(32, 16);

/// Sums before each place, and as many again as a register reaches past the last one.
type Sums = [f32; 33 + 15];

/// Does what [`split::together`] does.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(in super::super) fn together(weights: &[f32; 32], cost: &[f32; 32]) -> Option<Split<32>> {
    let Some(order) = sorted(weights, cost) else {
        return split::together(weights, cost);
    };
    let sums = PrefixSums::new(weights, cost, &order);
    // Of sixteen splits, the gains with values shifted up, then with values shifted down.
    let mut gains = [[_mm512_setzero_ps(); 2]; TOGETHER.len()];
    let mut greatest = _mm512_setzero_ps();
    for (gains, &(first, second)) in gains.iter_mut().zip(&TOGETHER) {
        let (first, second) = (usize::from(first), usize::from(second));
        let products = parts(&sums.products, first, second);
        let costs = parts(&sums.costs, first, second);
        for (out, down) in gains.iter_mut().zip([false, true]) {
            let values = values(down).map(|value| _mm512_set1_ps(value));
            *out = gain(product(products, values), square(costs, values));
            // A NaN is passed over.
            greatest = _mm512_max_ps(*out, greatest);
        }
    }
    let Some(bar) = bar(&spill(greatest), sums.costs[32]) else {
        return split::together(weights, cost);
    };
    let mut contest = Contest::new();
    for ([up, down], &(first, second)) in gains.into_iter().zip(&TOGETHER) {
        let (up, down) = (reaches(up, bar), reaches(down, bar));
        for lane in ones(u64::from(up | down)) {
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
    products: Sums,
    costs: Sums,
}

impl PrefixSums {
    #[inline]
    fn new(weights: &[f32; 32], cost: &[f32; 32], order: &[u8; 32]) -> Self {
        // Past the end there are no splits, and a NaN is no gain.
        let (mut products, mut costs) = ([f32::NAN; 48], [f32::NAN; 48]);
        (products[0], costs[0]) = (0.0, 0.0);
        for (j, &i) in order.iter().enumerate() {
            let i = usize::from(i) % 32;
            products[j + 1] = products[j] + cost[i] * weights[i];
            costs[j + 1] = costs[j] + cost[i];
        }
        PrefixSums { products, costs }
    }

    /// Product and square of a split.
    #[inline]
    fn one(&self, first: usize, second: usize, down: bool) -> (f32, f32) {
        let parts = |sums: &Sums| {
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

/// The parts of the sums of sixteen splits with levels 0, 1 and 2.
#[inline]
#[target_feature(enable = "avx512f")]
fn parts(sums: &Sums, first: usize, second: usize) -> [__m512; 3] {
    let (low, all) = (_mm512_set1_ps(sums[first]), _mm512_set1_ps(sums[32]));
    let until = load(&sums[second..].as_chunks().0[0]);
    [
        _mm512_set1_ps(sums[first] - sums[0]),
        _mm512_sub_ps(until, low),
        _mm512_sub_ps(all, until),
    ]
}

/// The sum of parts times values.
#[inline]
#[target_feature(enable = "avx512f")]
fn product([a, b, c]: [__m512; 3], [v, w, x]: [__m512; 3]) -> __m512 {
    let (a, b, c) = (
        _mm512_mul_ps(a, v),
        _mm512_mul_ps(b, w),
        _mm512_mul_ps(c, x),
    );
    _mm512_add_ps(_mm512_add_ps(a, b), c)
}

/// The sum of parts times values times values.
#[inline]
#[target_feature(enable = "avx512f")]
fn square([a, b, c]: [__m512; 3], [v, w, x]: [__m512; 3]) -> __m512 {
    let (a, b, c) = (
        _mm512_mul_ps(a, v),
        _mm512_mul_ps(b, w),
        _mm512_mul_ps(c, x),
    );
    product([a, b, c], [v, w, x])
}
