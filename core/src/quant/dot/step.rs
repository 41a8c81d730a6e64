//! A vector as levels of 8 bits: what `q8_0`, `q8_1` and `q8_k` say of it, in steps of 256.
//!
//! The three differ in how the scale is found and how long it serves: 32 elements as `float16`, or
//! 256 as `float32`. Their sums are not read: `q8_1` rounds its own to `float16`, which costs more
//! than all else together, so sums are taken of the levels.

use super::{Layout, STEP};
use crate::dtype::DTypeName;
use crate::quant::{Codec, float16, kernel};

/// Elements with a scale of their own, at least.
pub(crate) const GROUP: usize = 32;
/// Groups of a step.
pub(crate) const GROUPS: usize = STEP / GROUP;
/// Elements whose levels are summed up for formats with two scales in 32.
const HALF: usize = GROUP / 2;

/// 256 elements of a vector. Levels are -127 to 127, on which the ranges in all kernels rest.
#[repr(C, align(32))]
#[derive(Debug, Clone)]
pub(crate) struct Step {
    /// The levels, in the order of the kernel.
    pub levels: [[i8; GROUP]; GROUPS],
    /// The scale of each 32 elements.
    pub scales: [f32; GROUPS],
    /// The scale of each 32 elements times the sum of their levels.
    pub sums: [f32; GROUPS],
    /// The sum of the levels of each 16 elements.
    pub totals: [i16; 2 * GROUPS],
    /// What each place of a register adds up where sums of two neighbours each are added for all eight
    /// groups.
    ///
    /// What is subtracted from all levels of weights is subtracted in integers, so that weights of zero
    /// leave zero and not the rest of a difference of floats.
    pub columns: [i16; GROUP / 2],
}

const EMPTY: Step = Step {
    levels: [[0; GROUP]; GROUPS],
    scales: [0.0; GROUPS],
    sums: [0.0; GROUPS],
    totals: [0; 2 * GROUPS],
    columns: [0; GROUP / 2],
};

/// Rounds a vector to its partner. What is left of the last step is zeros.
///
/// The second part of the result is the power of two that all scales were divided by, so that the
/// greatest is between 1 and 2 and no product leaves the range of `float32`.
pub(super) fn prepare(partner: &dyn Codec, x: &[f64], layout: Layout) -> (Vec<Step>, f64) {
    let elements = layout.elements();
    let mut floats = vec![0f32; x.len().next_multiple_of(STEP)];
    for (float, x) in floats.iter_mut().zip(x) {
        *float = *x as f32;
    }
    // All at once: encoders take several blocks at a time.
    let (of_all, size) = match partner.dtype() {
        DTypeName::Q8K => (STEP, partner.block_bytes()),
        _ => (GROUP, GROUPS * partner.block_bytes()),
    };
    let mut blocks = vec![0; floats.len() / STEP * size];
    kernel::encode(partner, &floats, of_all, None, &mut blocks);
    let pieces = floats.as_chunks().0.iter().zip(blocks.chunks_exact(size));
    let steps = pieces.map(|(floats, blocks)| step(partner, floats, blocks, layout, &elements));
    let mut steps: Vec<Step> = steps.collect();
    let scales = || steps.iter().flat_map(|step| step.scales);
    let greatest = scales().filter(|scale| scale.is_finite());
    let greatest = f64::from(greatest.map(f32::abs).fold(0.0, f32::max));
    if greatest == 0.0 {
        return (steps, 1.0);
    }
    // Its exponent: a `float32` is a normal number as `float64`.
    let factor = f64::from_bits(greatest.to_bits() & 0x7ff0_0000_0000_0000);
    for step in &mut steps {
        for (g, (scale, sum)) in step.scales.iter_mut().zip(&mut step.sums).enumerate() {
            *scale = (f64::from(*scale) / factor) as f32;
            let total = i32::from(step.totals[2 * g]) + i32::from(step.totals[2 * g + 1]);
            *sum = *scale * total as f32;
        }
    }
    (steps, factor)
}

fn step(
    partner: &dyn Codec,
    floats: &[f32; STEP],
    blocks: &[u8],
    layout: Layout,
    elements: &[u8; STEP],
) -> Step {
    let (levels, scales) = match partner.dtype() {
        DTypeName::Q8K => whole(floats, blocks),
        _ => groups(floats, blocks),
    };
    let mut step = EMPTY;
    step.scales = scales;
    for (total, levels) in step.totals.iter_mut().zip(levels.as_chunks::<HALF>().0) {
        *total = levels.iter().map(|level| i16::from(*level)).sum();
    }
    let places = step.levels.as_flattened_mut();
    match layout {
        Layout::Natural => places.copy_from_slice(&levels),
        _ => {
            for (place, element) in places.iter_mut().zip(elements) {
                *place = levels[usize::from(*element)];
            }
        }
    }
    step.columns = columns(&step.levels);
    step
}

fn columns(levels: &[[i8; GROUP]; GROUPS]) -> [i16; GROUP / 2] {
    let mut columns = [0; GROUP / 2];
    for levels in levels {
        for (column, two) in columns.iter_mut().zip(levels.as_chunks().0) {
            let [a, b] = two.map(i16::from);
            *column += a + b;
        }
    }
    columns
}

/// Levels and scales by `q8_0` or `q8_1`, which begin with the scale and end with the levels.
fn groups(floats: &[f32; STEP], blocks: &[u8]) -> ([i8; STEP], [f32; GROUPS]) {
    let (mut levels, mut scales) = ([0; STEP], [0.0; GROUPS]);
    let blocks = blocks.chunks_exact(blocks.len() / GROUPS);
    for (g, (block, floats)) in blocks.zip(floats.chunks_exact(GROUP)).enumerate() {
        let scale = float16::to_f32(u16::from_le_bytes([block[0], block[1]]));
        scales[g] = of_finite(scale, floats);
        read(&block[block.len() - GROUP..], &mut levels[g * GROUP..]);
    }
    (levels, scales)
}

/// Levels and scale by `q8_k`: the scale, the levels, then sums.
fn whole(floats: &[f32; STEP], block: &[u8]) -> ([i8; STEP], [f32; GROUPS]) {
    let scale = f32::from_le_bytes([block[0], block[1], block[2], block[3]]);
    let mut levels = [0; STEP];
    read(&block[4..][..STEP], &mut levels);
    (levels, [of_finite(scale, floats); GROUPS])
}

/// The scale; NaN when an element is not finite, since its level says nothing of that.
fn of_finite(scale: f32, floats: &[f32]) -> f32 {
    if floats.iter().all(|x| x.is_finite()) {
        scale
    } else {
        f32::NAN
    }
}

fn read(bytes: &[u8], levels: &mut [i8]) {
    for (level, byte) in levels.iter_mut().zip(bytes) {
        // -128 is no level of these types, but what a conversion out of range could leave.
        *level = byte.cast_signed().max(-127);
    }
}
