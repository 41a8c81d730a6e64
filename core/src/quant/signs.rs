//! Signs of 8 weights in 8 bits, or in 7 where the number of minus signs is even.

/// The byte of signs from its lower seven bits; the eighth makes the number of ones even.
#[inline(always)]
pub(super) fn even(seven: u8) -> u8 {
    let seven = seven & 127;
    let mut parity = seven ^ seven >> 4;
    parity ^= parity >> 2;
    parity ^= parity >> 1;
    seven | (parity & 1) << 7
}

/// Writes magnitudes times a scale, negative where the bit of the weight is set.
#[inline(always)]
pub(super) fn decode(magnitudes: [u8; 8], signs: u8, scale: f32, out: &mut [f32; 8]) {
    // A comparison with a constant for each place: vector units without shifts by different counts
    // have that.
    const BITS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
    for ((out, magnitude), bit) in out.iter_mut().zip(magnitudes).zip(BITS) {
        let negative = u32::from(signs) & bit == bit;
        let sign = if negative { 0x8000_0000 } else { 0 };
        *out = f32::from_bits((scale * f32::from(magnitude)).to_bits() ^ sign);
    }
}

/// The signs of 8 weights, and their magnitudes. NaN counts as negative, zeros do not.
#[inline(always)]
pub(super) fn split(weights: &[f32; 8]) -> ([f32; 8], u8) {
    let mut signs = 0;
    for (i, &x) in weights.iter().enumerate() {
        signs |= u8::from(x < 0.0 || x.is_nan()) << i;
    }
    (weights.map(|x| if x >= 0.0 { x } else { -x }), signs)
}

/// As [`split`], but with an even number of minus signs.
///
/// Where it is odd, the weight with the least `cost * x²` gets the wrong sign, and its magnitude
/// becomes negative.
#[inline(always)]
pub(super) fn split_even(weights: &[f32; 8], cost: &[f32; 8]) -> ([f32; 8], u8) {
    let (mut magnitudes, mut signs) = split(weights);
    if signs.count_ones() % 2 == 1 {
        let mut cheapest = 0;
        let mut least = cost[0] * weights[0] * weights[0];
        for i in 1..8 {
            let price = cost[i] * weights[i] * weights[i];
            if price < least {
                least = price;
                cheapest = i;
            }
        }
        magnitudes[cheapest] = -magnitudes[cheapest];
        signs ^= 1 << cheapest;
    }
    (magnitudes, signs)
}

/// Splits the weights of a group with [`split_even`].
#[inline(always)]
pub(super) fn split_group_even<const N: usize, const P: usize>(
    weights: &[f32; N],
    cost: &[f32; N],
) -> ([f32; N], [u8; P]) {
    let mut magnitudes = [0.0; N];
    let mut signs = [0; P];
    let inputs = weights.as_chunks().0.iter().zip(cost.as_chunks().0);
    let outputs = magnitudes.as_chunks_mut().0.iter_mut().zip(&mut signs);
    for ((weights, cost), (magnitudes, sign)) in inputs.zip(outputs) {
        (*magnitudes, *sign) = split_even(weights, cost);
    }
    (magnitudes, signs)
}

/// Splits the weights of a group with [`split`].
#[inline(always)]
pub(super) fn split_group<const N: usize, const P: usize>(
    weights: &[f32; N],
) -> ([f32; N], [u8; P]) {
    let mut magnitudes = [0.0; N];
    let mut signs = [0; P];
    let outputs = magnitudes.as_chunks_mut().0.iter_mut().zip(&mut signs);
    for (weights, (magnitudes, sign)) in weights.as_chunks().0.iter().zip(outputs) {
        (*magnitudes, *sign) = split(weights);
    }
    (magnitudes, signs)
}

/// Four times seven signs, all turned where `turn` is set.
#[inline(always)]
pub(super) fn pack_sevens(signs: &[u8; 4], turn: bool) -> u32 {
    let signs = signs.iter().rev();
    signs.fold(0, |bits, &sign| {
        bits << 7 | u32::from(if turn { !sign } else { sign } & 127)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eighth_bit_makes_the_number_of_ones_even() {
        for seven in 0..128 {
            assert_eq!(even(seven) & 127, seven);
            assert_eq!(even(seven).count_ones() % 2, 0);
        }
    }

    #[test]
    fn the_weight_that_costs_least_gets_the_wrong_sign() {
        let weights = [1.0, -2.0, 0.5, 3.0, 4.0, 5.0, 6.0, 7.0];
        let (magnitudes, signs) = split_even(&weights, &[1.0; 8]);
        assert_eq!(signs, 0b110);
        assert_eq!(magnitudes[1..3], [2.0, -0.5]);
        assert_eq!(split(&weights).1, 0b10);
    }
}
