//! Super-blocks whose groups have a scale and a minimum each: what `q2_k`, `q4_k` and `q5_k` have in
//! common.
//!
//! The search finds scales and minima as floats. They are brought to levels themselves, in two units
//! of the super-block, and then the weights are brought to levels again, under scales and minima as
//! stored.

use super::block::{Batch, batches};
use super::float16::{from_f32, to_f32};
use super::rounding::nearest;
use super::search::affine::{self, Fit, Plan};
use super::search::lanes::{
    self, Lanes, MOST, Rounding, each, groups, price, sum, sums_of_squares,
};
use super::search::positive;

/// Weights of a super-block.
pub(super) const LEN: usize = 256;

/// Super-blocks of a batch at most: half of the lanes hold scales, half minima.
const BATCH: usize = MOST / 2;

/// A format. Its blocks have `BYTES` bytes, for `GROUPS` groups of `GROUP` weights.
pub(super) trait AffineGroups<const GROUPS: usize, const GROUP: usize, const BYTES: usize> {
    /// The candidates without importance.
    const PLAN: Plan;
    /// The candidates with importance.
    const PLAN_BY_IMPORTANCE: Plan;
    /// The greatest level of a scale or minimum.
    const TOP: u8;
    /// What a level of a scale or minimum is held below if it wraps, being negative.
    const CAP: u8;
    /// The variance around a weight, by the mean of the squares.
    const VARIANCE: f32;

    /// The price of a squared deviation of each weight without importance.
    fn cost<L: Lanes>(weights: &[L; GROUP]) -> [L; GROUP];

    /// Writes scales and minima.
    fn write_scales(scales: &Scales<GROUPS>, block: &mut [u8; BYTES]);

    /// The scale and the minimum of each group as floats, as they were written.
    fn read_scales(block: &[u8; BYTES]) -> [(f32, f32); GROUPS];

    /// Writes the levels of all weights.
    fn write_levels(levels: &[u8; LEN], block: &mut [u8; BYTES]);
}

/// Scales and minima of a super-block, as levels and `f16` units.
pub(super) struct Scales<const GROUPS: usize> {
    pub unit: u16,
    pub min_unit: u16,
    pub scales: [u8; GROUPS],
    pub mins: [u8; GROUPS],
}

/// What the search found in each super-block of a batch.
struct Found<L: Lanes, const GROUPS: usize> {
    scales: [[f32; GROUPS]; BATCH],
    mins: [[f32; GROUPS]; BATCH],
    cost: [[f32; GROUPS]; BATCH],
    /// Of as many super-blocks as the lanes have room for.
    fits: [Option<Fit<L>>; BATCH],
}

/// Encodes whole super-blocks. `L` has lanes for all groups of one or two of them.
#[inline(always)]
pub(super) fn encode<F, L, const GROUPS: usize, const GROUP: usize, const BYTES: usize>(
    weights: &[f32],
    importance: Option<&[f32]>,
    out: &mut [u8],
) where
    F: AffineGroups<GROUPS, GROUP, BYTES>,
    L: Lanes,
{
    for batch in batches(weights, importance, out, L::COUNT / 2) {
        let found = search::<F, L, GROUPS, GROUP, BYTES>(&batch);
        if batch.importance.is_some() {
            scales_by_importance::<F, L, GROUPS, GROUP, BYTES>(&found, batch.out);
        } else {
            for ((scales, mins), block) in found.scales.iter().zip(&found.mins).zip(&mut *batch.out)
            {
                let (scales, unit) = levels_of(scales, F::TOP, F::CAP);
                let (mins, min_unit) = levels_of(mins, F::TOP, F::CAP);
                let scales = Scales {
                    unit,
                    min_unit,
                    scales,
                    mins,
                };
                F::write_scales(&scales, block);
            }
        }
        for (k, (weights, block)) in batch.weights.iter().zip(batch.out).enumerate() {
            let levels = levels::<F, L, GROUPS, GROUP, BYTES>(weights, &found, k, block);
            F::write_levels(&levels, block);
        }
    }
}

/// Searches all groups of a batch.
#[inline(always)]
fn search<F, L, const GROUPS: usize, const GROUP: usize, const BYTES: usize>(
    batch: &Batch<LEN, BYTES>,
) -> Found<L, GROUPS>
where
    F: AffineGroups<GROUPS, GROUP, BYTES>,
    L: Lanes,
{
    let mut found = Found {
        scales: [[0.0; GROUPS]; BATCH],
        mins: [[0.0; GROUPS]; BATCH],
        cost: [[0.0; GROUPS]; BATCH],
        fits: [None; BATCH],
    };
    let mut variances = [0.0; MOST];
    let plan = if batch.importance.is_some() {
        let squares: L = sums_of_squares(&batch.weights.map(|block| block.as_slice()));
        variances = (L::all(F::VARIANCE) * squares / L::all(LEN as f32)).spill();
        F::PLAN_BY_IMPORTANCE
    } else {
        F::PLAN
    };
    let step = L::COUNT / GROUPS;
    for (i, fit) in found.fits.iter_mut().enumerate() {
        let first = i * step;
        if first >= batch.out.len() {
            break;
        }
        let weights: [L; GROUP] = groups(&batch.weights, first);
        let cost = match &batch.importance {
            None => F::cost(&weights),
            Some(importance) => {
                let mut variance = [0.0; MOST];
                for (lane, variance) in variance[..L::COUNT].iter_mut().enumerate() {
                    *variance = variances[first + lane / GROUPS];
                }
                price(&groups(importance, first), &weights, L::load(&variance))
            }
        };
        let result = affine::fit(&weights, &cost, plan);
        place(result.scale, &mut found.scales[first..][..step]);
        place(result.minimum, &mut found.mins[first..][..step]);
        place(sum(&cost), &mut found.cost[first..][..step]);
        *fit = Some(result);
    }
    found
}

/// Puts the numbers of the groups where they belong.
#[inline(always)]
fn place<L: Lanes, const GROUPS: usize>(lanes: L, blocks: &mut [[f32; GROUPS]]) {
    let numbers = lanes.spill();
    for (block, numbers) in blocks.iter_mut().zip(numbers.as_chunks().0) {
        *block = *numbers;
    }
}

/// Brings scales and minima to levels by the price of their groups, and writes them.
#[inline(always)]
fn scales_by_importance<F, L, const GROUPS: usize, const GROUP: usize, const BYTES: usize>(
    found: &Found<L, GROUPS>,
    out: &mut [[u8; BYTES]],
) where
    F: AffineGroups<GROUPS, GROUP, BYTES>,
    L: Lanes,
{
    let mut values = [&[0.0; GROUPS]; MOST];
    let mut cost = [&[0.0; GROUPS]; MOST];
    for (k, (values, cost)) in values
        .as_chunks_mut()
        .0
        .iter_mut()
        .zip(cost.as_chunks_mut().0)
        .enumerate()
    {
        *values = [&found.scales[k], &found.mins[k]];
        *cost = [&found.cost[k]; 2];
    }
    let (units, lanes) = positive::fit::<L, GROUPS>(
        &L::transpose(&values),
        &L::transpose(&cost),
        f32::from(F::TOP),
    );
    let mut levels = [[0; MOST]; GROUPS];
    for (levels, &lanes) in levels.iter_mut().zip(&lanes) {
        *levels = lanes.spill().map(|level| level as u8);
    }
    let units = units.spill().map(from_f32);
    for (k, block) in out.iter_mut().enumerate() {
        let scales = Scales {
            unit: units[2 * k],
            min_unit: units[2 * k + 1],
            scales: levels.map(|level| level[2 * k]),
            mins: levels.map(|level| level[2 * k + 1]),
        };
        F::write_scales(&scales, block);
    }
}

/// Levels in units of 1/`top` of the greatest value, and that unit as `f16`.
#[inline(always)]
fn levels_of<const GROUPS: usize>(values: &[f32; GROUPS], top: u8, cap: u8) -> ([u8; GROUPS], u16) {
    let max = values
        .iter()
        .fold(0.0, |max, &value| if value > max { value } else { max });
    let top = f32::from(top);
    let inverse = if max > 0.0 { top / max } else { 0.0 };
    let levels = values.map(|value| (nearest(inverse * value) as u8).min(cap));
    (levels, from_f32(max / top))
}

/// The levels that come nearest under scale and minimum as stored; where a scale was stored as 0,
/// those of the search.
#[inline(always)]
fn levels<F, L, const GROUPS: usize, const GROUP: usize, const BYTES: usize>(
    weights: &[f32; LEN],
    found: &Found<L, GROUPS>,
    k: usize,
    block: &[u8; BYTES],
) -> [u8; LEN]
where
    F: AffineGroups<GROUPS, GROUP, BYTES>,
    L: Lanes,
{
    let scales = F::read_scales(block);
    let mut levels = [0; LEN];
    let groups = weights.as_chunks::<GROUP>().0.iter();
    let groups = groups.zip(levels.as_chunks_mut::<GROUP>().0);
    for (group, (weights, levels)) in groups.enumerate() {
        let (scale, min) = scales[group];
        if scale != 0.0 {
            let rounding = Rounding {
                add: min,
                scale,
                bottom: 0.0,
                top: F::PLAN.top,
            };
            *levels = lanes::levels::<L, GROUP>(weights, rounding);
            continue;
        }
        let lane = k * GROUPS + group;
        if let Some(fit) = &found.fits[lane / L::COUNT] {
            let group = fit.group(lane % L::COUNT);
            each!(i < GROUP => {
                levels[i] = group.level(weights[i]);
            });
        }
    }
    levels
}

/// A scale that is stored as an `f16` unit and a level.
#[inline(always)]
pub(super) fn scaled(unit: u16, level: u8) -> f32 {
    to_f32(unit) * f32::from(level)
}
