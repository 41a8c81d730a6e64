//! A scale for a group of weights of three levels: every split of the sorted weights.
//!
//! The splits are tried in an order, and each winner raises the bar for the next. But only a split
//! whose gain, `product² / square`, is the greatest but for a few roundings can be the last winner,
//! and such a split wins whatever won before it. So the gains of all are estimated first, and only
//! those that come near the greatest are compared as the codec compares all. Where a number is so
//! small, great or strange that errors are not relative, the codec's own search decides.

use std::arch::x86_64::*;

use super::registers::{above, load, store, store_words};
use crate::quant::search::split::{self, SHIFTS, Split, values};

/// The part of the greatest gain that an estimate has to have: several times as far off as an
/// approximate reciprocal may be, which is 1.5 * 2⁻¹².
const NEAR: f32 = 1.0 - 1.0 / 256.0;

/// The first ones of eight splits each: all splits of 32 weights.
const TOGETHER: [(u8, u8); 85] = splits(32, 8);

/// The first ones of four splits each: all splits of 16 weights.
const APART: [(u8, u8); 45] = splits(16, 4);

/// Every `step`-th of the splits of `len` weights with the same first place.
const fn splits<const COUNT: usize>(len: u8, step: u8) -> [(u8, u8); COUNT] {
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

/// Does what [`split::together`] does.
#[target_feature(enable = "avx2")]
pub(super) fn together(weights: &[f32; 32], cost: &[f32; 32]) -> Option<Split<32>> {
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
    let Some(bar) = bar(greatest, sums.costs[32]) else {
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

/// Does what [`split::apart`] does.
#[target_feature(enable = "avx2")]
pub(super) fn apart(weights: &[f32; 16], cost: &[f32; 16]) -> Option<Split<16>> {
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
    let Some(bar) = bar(greatest, cost.iter().sum()) else {
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

/// What each of the sorted weights adds to the sums at each level: to the products under all
/// [`SHIFTS`], then to the squares. After the last weight there is nothing to add.
struct Terms {
    low: [__m256; 20],
    middle: [__m256; 20],
    high: [__m256; 20],
}

/// Of each half and level, the values under all [`SHIFTS`], twice.
const SHIFTED: [[[f32; 8]; 3]; 2] = {
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

/// An estimate of `product² / square`.
#[inline]
#[target_feature(enable = "avx2")]
fn gain(product: __m256, square: __m256) -> __m256 {
    _mm256_mul_ps(_mm256_mul_ps(product, product), _mm256_rcp_ps(square))
}

/// What a gain has to reach to be compared; none where estimates say nothing. `cost` is the sum of
/// all costs, none of which is negative.
///
/// A square is between 1/64 and 81/64 of the cost. With these bounds nothing that is computed of a
/// split with a gain near the greatest is subnormal or overflows.
#[inline]
#[target_feature(enable = "avx2")]
fn bar(gains: __m256, cost: f32) -> Option<f32> {
    let mut lanes = [0.0; 8];
    store(&mut lanes, gains);
    let greatest = lanes.into_iter().fold(0.0, f32::max);
    let usual = 1e-30..1e30;
    let sound = usual.contains(&greatest)
        && usual.contains(&cost)
        && (1e-33..1e33).contains(&(greatest * cost));
    sound.then_some(greatest * NEAR)
}

/// The lanes that reach the bar.
#[inline]
#[target_feature(enable = "avx2")]
fn reaches(gains: &[f32; 8], bar: f32) -> u32 {
    _mm256_movemask_ps(above(load(gains), _mm256_set1_ps(bar))) as u32
}

/// The numbers of the ones.
#[inline(always)]
fn ones(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (bit < 32).then_some(bit)
    })
}

/// The comparison of splits in the order in which they are tried.
struct Contest<T> {
    best: f32,
    winner: Option<(f32, T)>,
}

impl<T> Contest<T> {
    fn new() -> Self {
        Contest {
            best: -f32::MAX,
            winner: None,
        }
    }

    #[inline]
    fn enter(&mut self, (product, square): (f32, f32), split: T) {
        if square > 0.0 && product * product > self.best * square {
            let scale = product / square;
            self.best = scale * product;
            self.winner = Some((scale, split));
        }
    }
}

/// What [`split::sorted`] gives, by counting how many weights stand before each. None where a
/// weight is NaN, or a cost is NaN or negative.
#[inline]
#[target_feature(enable = "avx2")]
fn sorted<const N: usize>(weights: &[f32; N], cost: &[f32; N]) -> Option<[u8; N]> {
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
