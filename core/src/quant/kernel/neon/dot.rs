//! Products: a sink that multiplies levels with those of a prepared vector, and the table of it.
//!
//! Products of 16 levels are added exactly, in four lanes of 32 bits, and then in `float32`, in as many sums as there
//! are parts of a quarter of a step. Where the processor has `sdot` it adds four products at once.

use std::arch::aarch64::*;
use std::arch::asm;
use std::marker::PhantomData;

use super::sink::Sink;
use super::{affine, codebooks, nonlinear, symmetric, ternary};
use crate::dtype::DTypeName as N;
use crate::quant::dot::{Layout, STEP, Step};
use crate::quant::kernel::dot::Dot;

/// Parts of 16 elements of a step.
const PARTS: usize = STEP / 16;

/// A way to multiply bytes.
trait Multiply {
    /// The products of 16 pairs, each above -128 · 128, added in fours or otherwise to four sums.
    fn products(x: int8x16_t, y: int8x16_t) -> int32x4_t;
}

/// With the instructions that every processor has.
struct Widening;

impl Multiply for Widening {
    #[inline(always)]
    fn products(x: int8x16_t, y: int8x16_t) -> int32x4_t {
        // SAFETY: every processor that this is compiled for has the instructions.
        unsafe { widening(x, y) }
    }
}

/// With those of the extension `dotprod`. Only [`dot`] names it, where the processor has that.
struct Dotprod;

impl Multiply for Dotprod {
    #[inline(always)]
    fn products(x: int8x16_t, y: int8x16_t) -> int32x4_t {
        let mut sums: int32x4_t;
        // The intrinsic is younger than the oldest compiler.
        // SAFETY: an instruction on registers alone, which this processor has.
        unsafe {
            asm!(
                ".arch_extension dotprod",
                "movi {sums:v}.4s, #0",
                "sdot {sums:v}.4s, {x:v}.16b, {y:v}.16b",
                sums = out(vreg) sums,
                x = in(vreg) x,
                y = in(vreg) y,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        sums
    }
}

/// Two products of at most 128 · 127 each are added in lanes of 32 bits.
#[inline]
#[target_feature(enable = "neon")]
fn widening(x: int8x16_t, y: int8x16_t) -> int32x4_t {
    let low = vpaddlq_s16(vmull_s8(vget_low_s8(x), vget_low_s8(y)));
    vpadalq_s16(low, vmull_high_s8(x, y))
}

/// The sum of the products with the steps of a vector, in the natural order.
struct Products<'a, M> {
    steps: &'a [Step],
    sums: [float32x4_t; 4],
    multiply: PhantomData<M>,
}

impl<M: Multiply> Sink for Products<'_, M> {
    const ADDS_LEVELS: bool = true;

    #[inline(always)]
    fn scaled(&mut self, part: usize, levels: int8x16_t, scale: float32x4_t) {
        if let Some(step) = self.steps.get(part / PARTS) {
            // SAFETY: every processor that this is compiled for has the instructions.
            unsafe { self.add(step, part % PARTS, levels, scale) };
        }
    }

    #[inline(always)]
    fn shifted(
        &mut self,
        part: usize,
        levels: uint8x16_t,
        scale: float32x4_t,
        offset: float32x4_t,
    ) {
        if let Some(step) = self.steps.get(part / PARTS) {
            // SAFETY: as above.
            unsafe { self.add_shifted(step, part % PARTS, levels, scale, offset) };
        }
    }
}

impl<'a, M: Multiply> Products<'a, M> {
    #[inline]
    #[target_feature(enable = "neon")]
    fn new(steps: &'a [Step]) -> Self {
        Products {
            steps,
            sums: [vdupq_n_f32(0.0); 4],
            multiply: PhantomData,
        }
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn add(&mut self, step: &Step, part: usize, levels: int8x16_t, scale: float32x4_t) {
        let products = vcvtq_f32_s32(M::products(levels, of_vector(step, part)));
        let scale = vmulq_n_f32(scale, step.scales[part / 2]);
        let sum = &mut self.sums[part % 4];
        *sum = vfmaq_f32(*sum, products, scale);
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn add_shifted(
        &mut self,
        step: &Step,
        part: usize,
        levels: uint8x16_t,
        scale: float32x4_t,
        offset: float32x4_t,
    ) {
        self.add(step, part, vreinterpretq_s8_u8(levels), scale);
        let total = f32::from(step.totals[part]) * step.scales[part / 2];
        let sum = &mut self.sums[part % 4];
        // The offset stands in all lanes: the total goes to one of them.
        let total = vsetq_lane_f32::<0>(total, vdupq_n_f32(0.0));
        *sum = vfmaq_f32(*sum, total, offset);
    }

    #[inline]
    #[target_feature(enable = "neon")]
    fn total(&self) -> f32 {
        let [a, b, c, d] = self.sums;
        vaddvq_f32(vaddq_f32(vaddq_f32(a, b), vaddq_f32(c, d)))
    }
}

/// The levels of a part of the vector.
#[inline]
#[target_feature(enable = "neon")]
fn of_vector(step: &Step, part: usize) -> int8x16_t {
    let levels = &step.levels.as_flattened().as_chunks::<16>().0[part];
    // SAFETY: 16 bytes are read, without alignment.
    unsafe { vld1q_s8(levels.as_ptr()) }
}

/// A kernel in both forms, for the blocks of a row that fill whole steps.
struct Kernel {
    dtype: N,
    widening: Dot,
    dotprod: Dot,
}

macro_rules! kernels {
    ($($dtype:ident => $family:ident::$name:ident in $bytes:expr,)*) => {
        &[$({
            #[target_feature(enable = "neon")]
            fn dot<M: Multiply>(rows: &[u8], row_bytes: usize, steps: &[Step], sums: &mut [f32]) {
                for (row, sum) in rows.chunks_exact(row_bytes).zip(sums) {
                    let whole = row_bytes / $bytes * $bytes;
                    let mut sink = Products::<M>::new(steps);
                    $family::$name(&row[..whole], &mut sink);
                    *sum = sink.total();
                }
            }
            Kernel {
                dtype: N::$dtype,
                widening: dot::<Widening>,
                dotprod: dot::<Dotprod>,
            }
        }),*]
    };
}

/// Every kernel, and the bytes of a step.
const KERNELS: &[Kernel] = kernels! {
    Q10 => ternary::q1_0 in 2 * 18,
    Q20 => ternary::q2_0 in 4 * 18,
    Q40 => symmetric::q4_0 in 8 * 18,
    Q41 => affine::q4_1 in 8 * 20,
    Q50 => symmetric::q5_0 in 8 * 22,
    Q51 => affine::q5_1 in 8 * 24,
    Q80 => symmetric::q8_0 in 8 * 34,
    Q2K => affine::q2_k in 84,
    Q3K => symmetric::q3_k in 110,
    Q4K => affine::q4_k in 144,
    Q5K => affine::q5_k in 176,
    Q6K => symmetric::q6_k in 210,
    Iq1S => codebooks::iq1_s in 50,
    Iq1M => codebooks::iq1_m in 56,
    Iq2Xxs => codebooks::iq2_xxs in 66,
    Iq2Xs => codebooks::iq2_xs in 74,
    Iq2S => codebooks::iq2_s in 82,
    Iq3Xxs => codebooks::iq3_xxs in 98,
    Iq3S => codebooks::iq3_s in 110,
    Iq4Nl => nonlinear::iq4_nl in 8 * 18,
    Iq4Xs => nonlinear::iq4_xs in 136,
    Tq10 => ternary::tq1_0 in 54,
    Tq20 => ternary::tq2_0 in 66,
    Mxfp4 => nonlinear::mxfp4 in 8 * 17,
    Nvfp4 => nonlinear::nvfp4 in 4 * 36,
};

/// The kernel of a format, and the order in which it reads the vector.
pub(in crate::quant::kernel) fn dot(dtype: N) -> Option<(Layout, Dot)> {
    let kernel = KERNELS.iter().find(|kernel| kernel.dtype == dtype)?;
    let dot = match std::arch::is_aarch64_feature_detected!("dotprod") {
        true => kernel.dotprod,
        false => kernel.widening,
    };
    Some((Layout::Natural, dot))
}

/// The sum of products of packed `float32` anywhere in memory.
pub(in crate::quant::kernel) fn dot_floats(weights: N, row: &[u8], x: &[f64]) -> Option<f64> {
    if weights != N::Float32 {
        return None;
    }
    let (weights, rest) = row.as_chunks::<32>();
    let (x, rest_x) = x.as_chunks::<8>();
    // SAFETY: every processor that this is compiled for has the instructions.
    let sum = unsafe { float32(weights, x) };
    let rest = rest.as_chunks().0.iter().zip(rest_x);
    let rest = rest.map(|(weight, x)| f64::from(f32::from_le_bytes(*weight)) * x);
    Some(sum + rest.sum::<f64>())
}

/// Products of eight `float32` at a time.
#[target_feature(enable = "neon")]
fn float32(weights: &[[u8; 32]], x: &[[f64; 8]]) -> f64 {
    let mut sums = [vdupq_n_f64(0.0); 4];
    for (weights, x) in weights.iter().zip(x) {
        let halves = weights.as_chunks::<16>().0.iter().zip(x.as_chunks::<4>().0);
        for (h, (weights, x)) in halves.enumerate() {
            let weights = vreinterpretq_f32_u8(super::registers::load16(weights));
            // SAFETY: the first two of four doubles.
            let first = unsafe { vld1q_f64(x.as_ptr()) };
            // SAFETY: the second two of four doubles.
            let second = unsafe { vld1q_f64(x[2..].as_ptr()) };
            let low = vcvt_f64_f32(vget_low_f32(weights));
            sums[2 * h] = vfmaq_f64(sums[2 * h], low, first);
            sums[2 * h + 1] = vfmaq_f64(sums[2 * h + 1], vcvt_high_f64_f32(weights), second);
        }
    }
    let [a, b, c, d] = sums;
    vaddvq_f64(vaddq_f64(vaddq_f64(a, b), vaddq_f64(c, d)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_multiply_give_the_same_sums() {
        let mut state = 1u32;
        for _ in 0..1000 {
            let mut bytes = [[0i8; 16]; 2];
            for byte in bytes.as_flattened_mut() {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *byte = ((state >> 24) as i8).max(-127);
            }
            let exact: i32 = bytes[0]
                .iter()
                .zip(bytes[1])
                .map(|(x, y)| i32::from(*x) * i32::from(y))
                .sum();
            let [x, y] = bytes.map(|bytes| {
                // SAFETY: 16 bytes are read.
                unsafe { vld1q_s8(bytes.as_ptr()) }
            });
            // SAFETY: every processor that this is compiled for has the instruction.
            assert_eq!(unsafe { vaddvq_s32(Widening::products(x, y)) }, exact);
            if std::arch::is_aarch64_feature_detected!("dotprod") {
                // SAFETY: as above.
                assert_eq!(unsafe { vaddvq_s32(Dotprod::products(x, y)) }, exact);
            }
        }
    }
}
