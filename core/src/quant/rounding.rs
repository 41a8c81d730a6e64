//! Conversions of floats to small integers with the results of C on x86, also where C defines none.
//!
//! A cast of a float that does not fit gives `i32::MIN`, and narrowing keeps the low byte, which is
//! then 0. Only scales that overflow, of rows below 1e-38 or not finite, get that far.

/// Truncation toward zero; `i32::MIN` for everything that does not fit, NaN included.
#[inline(always)]
pub(super) fn truncate(x: f32) -> i32 {
    // `as` saturates, so only the upper end and NaN need help; written as a select it vectorizes.
    if x < 2_147_483_648.0 {
        x as i32
    } else {
        i32::MIN
    }
}

/// Rounding half away from zero, then as [`truncate`].
#[inline(always)]
pub(super) fn round_away(x: f32) -> i32 {
    // The largest float below one half: adding one half itself would carry 0.49999997 up to 1.
    truncate(x + 0.499_999_97_f32.copysign(x))
}

/// The sum of this and a whole number has that number in its low bits.
pub(super) const WHOLE: f32 = 12_582_912.0;

/// The low byte of `truncate(x)`, for x from 0 to 2²².
///
/// Conversion instructions take what `as` promises about other numbers piece by piece; this is
/// plain arithmetic.
#[inline(always)]
pub(super) fn truncate_small(x: f32) -> u8 {
    let near = (x + WHOLE) - WHOLE;
    let below = if near > x { near - 1.0 } else { near };
    (below + WHOLE).to_bits() as u8
}

/// The low byte of `round_away(x)`, for |x| ≤ 2²². See [`truncate_small`].
#[inline(always)]
pub(super) fn round_away_small(x: f32) -> u8 {
    let magnitude = x.abs();
    let near = (magnitude + WHOLE) - WHOLE;
    let away = if magnitude - near == 0.5 {
        near + 1.0
    } else {
        near
    };
    (away.copysign(x) + WHOLE).to_bits() as u8
}

/// Rounding half to even for |x| ≤ 2²², and a wrapped number in ±2²² for all others.
///
/// The sum has the integer in its low mantissa bits. GGML takes them without looking at the
/// exponent, and rows with tiny scales do reach that.
#[inline(always)]
pub(super) fn nearest(x: f32) -> i32 {
    let bits = (x + WHOLE).to_bits() as i32;
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

/// The bits of the greatest magnitude, where NaN is above infinity.
#[inline(always)]
pub(super) fn peak_bits(weights: &[f32]) -> u32 {
    // Magnitudes order as their bits do, and a maximum of integers vectorizes.
    weights
        .iter()
        .fold(0, |max, weight| max.max(weight.to_bits() & 0x7fff_ffff))
}

/// The greatest magnitude as a conditional of C finds it: a NaN is forgotten when a number follows.
#[inline]
pub(super) fn greatest_magnitude(weights: &[f32]) -> f32 {
    let bits = peak_bits(weights);
    if bits <= f32::INFINITY.to_bits() {
        return f32::from_bits(bits);
    }
    weights.iter().fold(0.0, |max: f32, weight| {
        if max > weight.abs() {
            max
        } else {
            weight.abs()
        }
    })
}

/// The least and the greatest weight; NaNs are passed over.
#[inline]
pub(super) fn extremes(weights: &[f32]) -> (f32, f32) {
    weights
        .iter()
        .fold((f32::MAX, -f32::MAX), |(low, high), &x| {
            (
                if x < low { x } else { low },
                if x > high { x } else { high },
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_becomes_the_least_integer() {
        for x in [
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            2_147_483_648.0,
            -2_147_483_904.0,
        ] {
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
    fn the_short_ways_agree_with_the_long_ones() {
        for i in 0..=20_000_u16 {
            // Quarters, and the floats on either side of them.
            for x in [
                f32::from(i) / 4.0,
                (f32::from(i) / 4.0).next_up(),
                (f32::from(i + 1) / 4.0).next_down(),
            ] {
                assert_eq!(truncate_small(x), truncate(x) as u8);
                assert_eq!(round_away_small(x), round_away(x) as u8);
                assert_eq!(round_away_small(-x), round_away(-x) as u8);
            }
        }
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

    #[test]
    fn a_nan_counts_only_where_nothing_follows_it() {
        assert_eq!(greatest_magnitude(&[1.0, -3.0, 2.0]), 3.0);
        assert_eq!(greatest_magnitude(&[5.0, f32::NAN, -3.0]), 3.0);
        assert!(greatest_magnitude(&[5.0, f32::NAN]).is_nan());
        assert_eq!(extremes(&[1.0, f32::NAN, -2.0]), (-2.0, 1.0));
    }
}
