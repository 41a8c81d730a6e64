//! Scales of one and whole numbers: integers inside a block are added without any error.

use tenspan::DTypeName;
use tenspan::quant::float16;

use super::support::{decode, noise, products};

/// Where the halves of a block stand that scale it, or its minimum.
fn scales(dtype: DTypeName) -> Option<&'static [usize]> {
    use DTypeName as N;
    Some(match dtype {
        N::Q10 | N::Q20 | N::Q40 | N::Q50 | N::Q80 | N::Iq4Nl => &[0],
        N::Q41 | N::Q51 | N::Q4K | N::Q5K => &[0, 2],
        N::Iq2Xxs | N::Iq2Xs | N::Iq2S | N::Iq3Xxs | N::Iq3S | N::Iq1S | N::Iq4Xs => &[0],
        N::Q2K => &[80, 82],
        N::Q3K => &[108],
        N::Q6K => &[208],
        N::Tq10 => &[52],
        N::Tq20 => &[64],
        _ => return None,
    })
}

#[test]
fn whole_numbers_give_the_whole_sum() {
    let mut checked = 0;
    for &codec in tenspan::quant::CODECS {
        let dtype = codec.dtype();
        let Some(places) = scales(dtype) else {
            continue;
        };
        checked += 1;
        for seed in 0..200 {
            let mut block = noise(seed, codec.block_bytes());
            for place in places {
                // 8 times the unit of the codebooks.
                let one = float16::from_f32(8.0).to_le_bytes();
                block[*place..place + 2].copy_from_slice(&one);
            }
            let weights = decode(dtype, &block);
            assert!(
                weights.iter().all(|w| w.fract() == 0.0),
                "{}",
                dtype.as_str()
            );
            // With 127 in each group the scale of the vector is 1, and it is what it is.
            let bytes = noise(!seed, codec.block_len());
            let x: Vec<f64> = (0..codec.block_len())
                .map(|i| match i % 32 {
                    7 => 127.0,
                    _ => f64::from(bytes[i].cast_signed().max(-126)),
                })
                .collect();
            // The first of the greatest magnitudes decides on the sign of the scale of `q8_k`: -1.
            let sum: f64 = weights.iter().zip(&x).map(|(w, x)| f64::from(*w) * x).sum();
            for (set, got) in products(dtype, &block, &x) {
                // Beyond 2^24 the last step, to `float32`, is rounded.
                let room = if sum.abs() < 16_777_216.0 * 0.125 {
                    0.0
                } else {
                    sum.abs() * 1e-6
                };
                let all: f64 = weights.iter().map(|w| f64::from(w.abs()) * 127.0).sum();
                let room = if all < 16_777_216.0 {
                    0.0
                } else {
                    room.max(all * 1e-7)
                };
                assert!(
                    (got - sum).abs() <= room,
                    "{} {}: {got} instead of {sum}",
                    dtype.as_str(),
                    set.name()
                );
            }
        }
    }
    assert_eq!(checked, 22);
}
