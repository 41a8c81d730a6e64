//! Kernels of products: for each dtype and form of sum, what adds the numbers of two rows.
//!
//! A kernel reads packed numbers, wherever they stand. The numbers of other rows are collected in a tile first, part by
//! part while the sums stay where they are, so that the result is that of a packed copy to the last bit. Each
//! instruction set adds in an order of its own; [`scalar`] adds one number after another, and is the reference.

#![allow(unsafe_code, reason = "calls what needs instructions")]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
mod run;
mod scalar;

use super::metric::Form;
use super::row::Row;
use super::sums::{Twofold, Wide};
use crate::dtype::DType;
use crate::quant::kernel::InstructionSet;

/// Numbers that are added faster than registers are filled and emptied.
const SHORT: usize = 8;

/// A kernel, by what it adds.
pub(super) enum Kernel {
    /// Of floats, and of complex numbers.
    Floats(Adder<Twofold>),
    /// Of whole numbers.
    Wholes(Adder<Wide>),
}

/// Adds what two rows make to up to three sums: see [`Form`].
type Add<S> = unsafe fn(&Row<'_>, &Row<'_>, &mut [S; 3]);

/// A kernel whose instructions this processor has.
pub(super) struct Adder<S>(Add<S>);

impl<S> Adder<S> {
    /// Adds the sums of two rows of the same length and of the dtype of the kernel.
    #[inline]
    pub fn add(&self, a: &Row<'_>, b: &Row<'_>, sums: &mut [S; 3]) {
        // SAFETY: `Kernel::find` was told that the processor has the instructions.
        unsafe { (self.0)(a, b, sums) }
    }
}

impl Kernel {
    /// The kernel of an instruction set that is available, for rows of a length; the scalar one where the set has none,
    /// and for short rows. `None` for a dtype that holds no numbers one by one.
    #[inline]
    pub fn find(
        set: InstructionSet,
        dtype: DType,
        form: Form,
        fast: bool,
        len: usize,
    ) -> Option<Kernel> {
        let name = dtype.known()?;
        if len <= SHORT {
            return scalar::find(name, form, fast);
        }
        #[cfg(target_arch = "x86_64")]
        if set >= InstructionSet::Avx512
            && let Some(kernel) = avx512::find(name, form)
        {
            return Some(kernel);
        }
        #[cfg(target_arch = "x86_64")]
        if set >= InstructionSet::Avx2
            && let Some(kernel) = avx2::find(name, form, fast)
        {
            return Some(kernel);
        }
        #[cfg(target_arch = "aarch64")]
        if set == InstructionSet::Neon
            && let Some(kernel) = neon::find(name, form, fast)
        {
            return Some(kernel);
        }
        let _ = set;
        scalar::find(name, form, fast)
    }
}
