//! The order in which a kernel reads the levels of a vector.
//!
//! A kernel takes the levels of weights out of their bytes by shifts, so a register holds weights
//! that do not stand beside each other. The vector is brought into that order once, instead of the
//! weights every time. All orders are within a step of 256.

use super::STEP;

/// An order of the 256 elements of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    not(any(test, target_arch = "x86_64")),
    expect(
        dead_code,
        reason = "only kernels ask for an order, and these are of x86-64"
    )
)]
pub(crate) enum Layout {
    /// As they come.
    Natural,
    /// Of each two groups of 32: the first halves, then the second halves. The nibbles of `iq4_xs`.
    Halves,
    /// Of each group of 32 and the fourth after it: the first halves, then the second halves. The nibbles of
    /// blocks of 32.
    Opposites,
    /// Of each 64: the first eight of each 16, then the second eight. The nibbles of `nvfp4`.
    Eights,
    /// Of each group of 64 and the second after it: every fourth element, from the first, from the second
    /// and so on. The bits of `q2_0`.
    Quarters,
    /// Of the two groups of 128: every eighth element. The bits of `q1_0`.
    Eighths,
}

impl Layout {
    /// The number in a step of the element that is read at a place.
    pub fn element(self, place: usize) -> usize {
        // A register at a time: its number, the half of it, the place there.
        let (half, i) = (place % 32 / 16, place % 16);
        match self {
            Layout::Natural => place,
            Layout::Halves => place / 64 * 64 + half * 32 + place / 32 % 2 * 16 + i,
            Layout::Opposites => place / 64 * 32 + half * 128 + place / 32 % 2 * 16 + i,
            Layout::Eights => {
                place / 64 * 64 + place % 32 / 8 * 16 + place / 32 % 2 * 8 + place % 8
            }
            Layout::Quarters => place / 128 * 64 + half * 128 + 4 * i + place / 32 % 4,
            Layout::Eighths => half * 128 + 8 * i + place / 32,
        }
    }

    /// Every element, in the order of the places.
    pub fn elements(self) -> [u8; STEP] {
        // Less than 256, as the tests check.
        std::array::from_fn(|place| self.element(place) as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_one_place() {
        for layout in [
            Layout::Natural,
            Layout::Halves,
            Layout::Opposites,
            Layout::Eights,
            Layout::Quarters,
            Layout::Eighths,
        ] {
            let mut elements: Vec<usize> = (0..STEP).map(|place| layout.element(place)).collect();
            elements.sort_unstable();
            assert!(elements.into_iter().eq(0..STEP), "{layout:?}");
        }
    }
}
