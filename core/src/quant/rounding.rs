//! Conversions of floats to small integers with the results of C on x86, also where C defines none.
//!
//! A cast of a float that does not fit gives `i32::MIN`, and narrowing keeps the low byte, which is
//! then 0. Only scales that overflow, of rows below 1e-38 or not finite, get that far.

/// Truncation toward zero; `i32::MIN` for everything that does not fit, NaN included.
#[inline(always)]
pub(super) fn truncate(x: f32) -> i32 {
    // `as` saturates, so only the upper end and NaN need help; written as a select it vectorizes.
    if x < 2_147_483_648.0 { x as i32 } else { i32::MIN }
}

/// Rounding half away from zero, then as [`truncate`].
#[inline(always)]
pub(super) fn round_away(x: f32) -> i32 {
    // The largest float below one half: adding one half itself would carry 0.49999997 up to 1.
    truncate(x + 0.499_999_97_f32.copysign(x))
}

/// Rounding half to even for |x| ≤ 2²², and a wrapped number in ±2²² for all others.
///
/// The sum has the integer in its low mantissa bits. GGML takes them without looking at the exponent, and
/// rows with tiny scales do reach that.
#[inline(always)]
pub(super) fn nearest(x: f32) -> i32 {
    let bits = (x + 12_582_912.0).to_bits() as i32;
    (bits & 0x007f_ffff) - 0x0040_0000
}

/// The first weight of greatest magnitude, with its sign; +0 when all are zero or NaN.
#[inline]
pub(super) fn first_peak(weights: &[f32]) -> f32 {
    let mut magnitude = 0.0;
    let mut peak = 0.0;
    for &weight in weights {
        if weight.abs() > magnitude {
            magnitude = weight.abs();
            peak = weight;
        }
    }
    peak
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_becomes_the_least_integer() {
        for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 2_147_483_648.0, -2_147_483_904.0] {
            assert_eq!(truncate(x), i32::MIN);
            assert_eq!(round_away(x), i32::MIN);
        }
        assert_eq!(truncate(2_147_483_520.0), 2_147_483_520);
    }

    #[test]
    fn halves_go_away_from_zero_and_nothing_else_does() {
        for i in 0..=8_000 {
            let x = i as f32 / 16.0;
            assert_eq!(round_away(x), x.round() as i32);
            assert_eq!(round_away(-x), (-x).round() as i32);
        }
        assert_eq!(round_away(0.499_999_97), 0);
    }

    #[test]
    fn nearest_is_even_on_ties_and_wraps_beyond_its_range() {
        for i in -8_000..=8_000 {
            let x = i as f32 / 16.0;
            assert_eq!(nearest(x), x.round_ties_even() as i32);
        }
        assert_eq!(nearest(4_194_304.0), -4_194_304);
        assert_eq!(nearest(f32::INFINITY), -4_194_304);
        assert_eq!(nearest(f32::NAN), 0);
    }

    #[test]
    fn the_first_of_equal_peaks_wins() {
        assert_eq!(first_peak(&[1.0, -2.0, 2.0]), -2.0);
        assert_eq!(first_peak(&[-0.0, f32::NAN]).to_bits(), 0);
    }
}
