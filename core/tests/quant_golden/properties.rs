//! What holds for any blocks and any weights.

use proptest::prelude::*;
use tenspan::DTypeName;
use tenspan::quant::{CODECS, decode_rows, encode_rows};

use crate::vectors::{Inputs, ROW, block_codecs, class_bits};

/// The exact value of a half, from its fields.
fn half(bytes: &[u8]) -> f64 {
    let bits = u16::from_le_bytes([bytes[0], bytes[1]]);
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + mantissa) * 2f64.powi(exponent - 25),
    };
    if bits & 0x8000 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

/// Element `i` of one block, in double precision straight from the layout. The one product with a
/// rounding of its own in the reference is rounded here too.
fn expected(name: DTypeName, block: &[u8], i: usize) -> f32 {
    let nibble = |byte: u8, high: bool| f64::from(if high { byte >> 4 } else { byte & 15 });
    match name {
        DTypeName::Q80 => (half(block) * f64::from(block[2 + i] as i8)) as f32,
        DTypeName::Q40 => (half(block) * (nibble(block[2 + i % 16], i >= 16) - 8.0)) as f32,
        DTypeName::Q4K => {
            let group = i / 32;
            let packed = |j: usize| u32::from(block[4 + j]);
            let (scale, min) = if group < 4 {
                (packed(group) & 63, packed(group + 4) & 63)
            } else {
                (
                    packed(group + 4) & 15 | packed(group - 4) >> 6 << 4,
                    packed(group + 4) >> 4 | packed(group) >> 6 << 4,
                )
            };
            let q = nibble(block[16 + 32 * (group / 2) + i % 32], group % 2 == 1);
            (half(block) * f64::from(scale) * q - half(&block[2..]) * f64::from(min)) as f32
        }
        name => panic!(
            "{} needs a second reading of its layout here",
            name.as_str()
        ),
    }
}

/// Weights as models have them, from nearly constant to heavy-tailed, with zeros, over many
/// magnitudes.
fn weights(len: usize) -> impl Strategy<Value = Vec<f32>> {
    let weight = prop_oneof![
        8 => -1f32..1.0,
        1 => Just(0.0),
        1 => Just(-0.0),
        1 => -30f32..30.0,
        1 => (-8i8..8).prop_map(|i| f32::from(i) / 2.0),
    ];
    (prop::collection::vec(weight, len), -6i32..12).prop_map(|(weights, exponent)| {
        weights
            .into_iter()
            .map(|x| x * 2f32.powi(exponent))
            .collect()
    })
}

proptest! {
    #[test]
    fn random_blocks_decode_to_what_their_layout_says(bytes in prop::collection::vec(any::<u8>(), 3 * 144)) {
        for codec in block_codecs() {
            let (len, size) = (codec.block_len(), codec.block_bytes());
            let blocks = &bytes[..bytes.len() / size * size];
            let mut out = vec![0.0; blocks.len() / size * len];
            decode_rows(codec.dtype(), blocks, &mut out).unwrap();
            for (i, ours) in out.iter().enumerate() {
                let wanted = expected(codec.dtype(), &blocks[i / len * size..][..size], i % len);
                prop_assert_eq!(class_bits(*ours), class_bits(wanted), "{} {}", codec.dtype().as_str(), i);
            }
        }
    }

    #[test]
    fn encoding_errs_by_no_more_than_a_step(weights in weights(512)) {
        for codec in block_codecs() {
            let (len, size) = (codec.block_len(), codec.block_bytes());
            let importance = vec![1.0; 512];
            for importance in [None, Some(&importance[..])] {
                let mut blocks = vec![0; 512 / len * size];
                encode_rows(codec.dtype(), &weights, 512, importance, &mut blocks).unwrap();
                let mut back = vec![0.0; 512];
                decode_rows(codec.dtype(), &blocks, &mut back).unwrap();
                for (block, (weights, back)) in weights.chunks(len).zip(back.chunks(len)).enumerate() {
                    let peak = weights.iter().fold(0f32, |peak, x| peak.max(x.abs()));
                    // Of the greatest weight: half a step of 8 bits, or of 4 bits with room for a
                    // scale that trades the outliers for the rest. The last term is the unit of
                    // subnormal scales.
                    let step = if codec.dtype() == DTypeName::Q80 { 0.0045 } else { 0.27 };
                    for (x, back) in weights.iter().zip(back) {
                        let allowed = peak * step + 128.0 * 2f32.powi(-24);
                        prop_assert!((x - back).abs() <= allowed, "{} block {}: {} {}", codec.dtype().as_str(), block, x, back);
                    }
                }
            }
        }
    }

    #[test]
    fn encoding_what_was_decoded_is_stable_for_q8_0(weights in weights(64)) {
        let (mut first, mut second) = (vec![0; 68], vec![0; 68]);
        let mut back = vec![0.0; 64];
        encode_rows(DTypeName::Q80, &weights, 64, None, &mut first).unwrap();
        decode_rows(DTypeName::Q80, &first, &mut back).unwrap();
        encode_rows(DTypeName::Q80, &back, 64, None, &mut second).unwrap();
        let mut again = vec![0.0; 64];
        decode_rows(DTypeName::Q80, &second, &mut again).unwrap();
        for (back, again) in back.iter().zip(&again) {
            prop_assert!((back - again).abs() <= back.abs() / 1024.0 + 128.0 * 2f32.powi(-24));
        }
    }

    #[test]
    fn no_floats_make_an_encoder_panic(bits in prop::collection::vec(any::<u32>(), 256)) {
        let weights: Vec<f32> = bits.iter().map(|bits| f32::from_bits(*bits)).collect();
        let importance = weights.iter().rev().copied().collect::<Vec<_>>();
        for codec in CODECS {
            let mut blocks = vec![0; 256 / codec.block_len() * codec.block_bytes()];
            encode_rows(codec.dtype(), &weights, 256, None, &mut blocks).unwrap();
            encode_rows(codec.dtype(), &weights, 256, Some(&importance), &mut blocks).unwrap();
        }
    }
}

#[test]
fn many_rows_in_parallel_equal_one_row_at_a_time() {
    let inputs = Inputs::load();
    let row = ROW * 3;
    let weights: Vec<f32> = (0..200)
        .flat_map(|_| inputs.rows("x").to_vec())
        .take(row * 1000)
        .collect();
    let importance = inputs.importance().repeat(3);
    for codec in CODECS {
        let row_bytes = row / codec.block_len() * codec.block_bytes();
        for importance in [None, Some(&importance[..])] {
            let mut whole = vec![0; 1000 * row_bytes];
            encode_rows(codec.dtype(), &weights, row, importance, &mut whole).unwrap();
            let mut decoded = vec![0.0; weights.len()];
            decode_rows(codec.dtype(), &whole, &mut decoded).unwrap();
            for i in [0, 1, 42, 500, 999] {
                let mut blocks = vec![0; row_bytes];
                encode_rows(
                    codec.dtype(),
                    &weights[i * row..][..row],
                    row,
                    importance,
                    &mut blocks,
                )
                .unwrap();
                assert!(
                    blocks == whole[i * row_bytes..][..row_bytes],
                    "{} row {i}",
                    codec.dtype().as_str()
                );
                let mut floats = vec![0.0; row];
                decode_rows(codec.dtype(), &blocks, &mut floats).unwrap();
                let same = floats
                    .iter()
                    .zip(&decoded[i * row..])
                    .all(|(a, b)| class_bits(*a) == class_bits(*b));
                assert!(same, "{} row {i}", codec.dtype().as_str());
            }
        }
    }
}
