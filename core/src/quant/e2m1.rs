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
    let low = low.as_chunks::<8>().0.iter().map(|x| nearest(&scaled, x));
    let high = high.as_chunks::<8>().0.iter().map(|x| nearest(&scaled, x));
    for (pairs, (low, high)) in pairs.as_chunks_mut::<8>().0.iter_mut().zip(low.zip(high)) {
        for ((pair, low), high) in pairs.iter_mut().zip(low).zip(high) {
            *pair = (low | high << 4) as u8;
        }
    }
}

/// The codes of 8 weights, which are compared side by side with one value after the other.
#[inline(always)]
fn nearest(scaled: &[f32; 16], weights: &[f32; 8]) -> [u32; 8] {
    let mut best = [0; 8];
    let mut least = weights.map(|x| (scaled[0] - x).abs());
    for (code, value) in (1..).zip(&scaled[1..]) {
        for ((best, least), x) in best.iter_mut().zip(&mut least).zip(weights) {
            let error = (value - x).abs();
            let better = error < *least;
            *best = if better { code } else { *best };
            *least = if better { error } else { *least };
        }
    }
    best
}
