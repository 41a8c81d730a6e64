//! Floats in memory that is there: aligned to a page of the larger size, asked to lie in such pages, written once.

use std::ops::{Deref, DerefMut};

/// The larger page of most systems; what begins at a multiple can lie in such pages from its first byte.
const HUGE_PAGE: usize = 2 << 20;

/// A slice of floats that a benchmark reads and writes.
pub struct Memory {
    floats: Vec<f32>,
    start: usize,
    len: usize,
}

impl Memory {
    /// Memory for so many floats.
    pub fn mapped(len: usize) -> Memory {
        let mut floats: Vec<f32> = Vec::with_capacity(len + HUGE_PAGE / 4);
        let start = floats.as_ptr().addr().wrapping_neg() % HUGE_PAGE / 4;
        // NumPy asks for huge pages where an array is large: a limit with small ones would be a low bar.
        advise(&mut floats, start, len);
        floats.resize(start + len, 0.5);
        Memory { floats, start, len }
    }
}

/// Asks for huge pages; a system that has none ignores it.
#[cfg(target_os = "linux")]
fn advise(floats: &mut Vec<f32>, start: usize, len: usize) {
    let room = &mut floats.spare_capacity_mut()[start..start + len];
    // SAFETY: the range is memory of the vector, and the advice changes nothing that a program can see.
    unsafe {
        libc::madvise(
            room.as_mut_ptr().cast(),
            size_of_val(room),
            libc::MADV_HUGEPAGE,
        )
    };
}

#[cfg(not(target_os = "linux"))]
fn advise(_: &mut Vec<f32>, _: usize, _: usize) {}

impl Deref for Memory {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.floats[self.start..][..self.len]
    }
}

impl DerefMut for Memory {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.floats[self.start..][..self.len]
    }
}
