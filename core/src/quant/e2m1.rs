//! Floats of 4 bits: sign, 2 exponent bits, 1 mantissa bit. What `mxfp4` and `nvfp4` store.
//!
//! The values are doubled, so that all are whole, and the scales that go with them are halved.

/// Twice the value of each code.
const DOUBLED: [f32; 16] = [
    0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 0.0, -1.0, -2.0, -3.0, -4.0, -6.0, -8.0, -12.0,
];

/// Twice the value of the code in the low nibble.
#[inline(always)]
pub(super) fn doubled(code: u8) -> f32 {
    DOUBLED[usize::from(code & 15)]
}

/// Decodes pairs of codes: the low nibbles are the first half of `out`, the high ones the second.
#[inline(always)]
pub(super) fn decode<const HALF: usize>(pairs: &[u8; HALF], scale: f32, out: &mut [f32]) {
    let (low, high) = out.split_at_mut(HALF);
    for ((low, high), &pair) in low.iter_mut().zip(high).zip(pairs) {
        *low = doubled(pair) * scale;
        *high = doubled(pair >> 4) * scale;
    }
}

/// Writes the codes that come nearest; the first of equally near ones.
#[inline(always)]
pub(super) fn encode<const HALF: usize>(weights: &[f32], scale: f32, pairs: &mut [u8; HALF]) {
    let scaled = DOUBLED.map(|value| value * scale);
    let (low, high) = weights.split_at(HALF);
    for ((pair, &low), &high) in pairs.iter_mut().zip(low).zip(high) {
        *pair = nearest(&scaled, low) | nearest(&scaled, high) << 4;
    }
}

#[inline(always)]
fn nearest(scaled: &[f32; 16], x: f32) -> u8 {
    let mut best = 0;
    let mut least = (scaled[0] - x).abs();
    for (code, value) in (1..).zip(&scaled[1..]) {
        let error = (value - x).abs();
        let better = error < least;
        best = if better { code } else { best };
        least = if better { error } else { least };
    }
    best
}
