//! Products for AVX2, FMA and F16C: the table, and the way into it.
//!
//! A kernel takes the whole steps of a row, 256 weights each, one row after another, and asks for the
//! memory of the next ones meanwhile. The vector lies in the [`Layout`] that the table says. A kernel
//! brings levels into bytes, multiplies them with those of the vector in pairs (`maddubs`: one side
//! unsigned, the other signed, the sum of two products in 16 bits, which saturates), and goes on in 32
//! bits. Each says why nothing saturates; everywhere the levels of the vector are within ±127.

mod codebooks;
mod floats;
mod lanes;
mod nonlinear;
mod numbers;
mod pairs;
mod planes;
mod superblocks;
mod ternary;

pub(in crate::quant::kernel) use self::floats::dot_floats;

use crate::dtype::DTypeName as N;
use crate::quant::dot::{Layout, Step};
use crate::quant::kernel::dot::Dot;

/// A kernel, for the blocks of a row that fill whole steps.
struct Kernel {
    dtype: N,
    layout: Layout,
    dot: Dot,
}

macro_rules! kernels {
    ($($dtype:ident => $layout:ident $family:ident::$name:ident,)*) => {
        &[$(Kernel {
            dtype: N::$dtype,
            layout: Layout::$layout,
            dot: {
                // The kernel becomes a part of this: constants are loaded once for all rows.
                #[target_feature(enable = "avx2,fma,f16c")]
                fn dot(rows: &[u8], row_bytes: usize, steps: &[Step], sums: &mut [f32]) {
                    for (row, sum) in rows.chunks_exact(row_bytes).zip(sums) {
                        *sum = $family::$name(row, steps);
                    }
                }
                dot
            },
        }),*]
    };
}

/// Every kernel.
const KERNELS: &[Kernel] = kernels! {
    Q10 => Eighths planes::q1_0,
    Q20 => Quarters planes::q2_0,
    Q40 => Opposites pairs::q4_0,
    Q41 => Opposites pairs::q4_1,
    Q50 => Opposites pairs::q5_0,
    Q51 => Opposites pairs::q5_1,
    Q80 => Natural pairs::q8_0,
    Q2K => Natural superblocks::q2_k,
    Q3K => Natural superblocks::q3_k,
    Q4K => Natural superblocks::q4_k,
    Q5K => Natural superblocks::q5_k,
    Q6K => Natural superblocks::q6_k,
    Iq1S => Natural codebooks::iq1_s,
    Iq1M => Natural codebooks::iq1_m,
    Iq2Xxs => Natural codebooks::iq2_xxs,
    Iq2Xs => Natural codebooks::iq2_xs,
    Iq2S => Natural codebooks::iq2_s,
    Iq3Xxs => Natural codebooks::iq3_xxs,
    Iq3S => Natural codebooks::iq3_s,
    Iq4Nl => Opposites nonlinear::iq4_nl,
    Iq4Xs => Halves nonlinear::iq4_xs,
    Tq10 => Natural ternary::tq1_0,
    Tq20 => Natural ternary::tq2_0,
    Mxfp4 => Opposites nonlinear::mxfp4,
    Nvfp4 => Eights nonlinear::nvfp4,
};

/// The kernel of a format, and the order in which it reads the vector. It needs AVX2, FMA and F16C.
pub(in crate::quant::kernel) fn dot(dtype: N) -> Option<(Layout, Dot)> {
    let kernel = KERNELS.iter().find(|kernel| kernel.dtype == dtype)?;
    Some((kernel.layout, kernel.dot))
}
