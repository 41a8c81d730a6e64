//! What holds for any blocks and any weights.

use proptest::prelude::*;
use tenspan::DTypeName;
use tenspan::quant::{CODECS, decode_rows, encode_rows};

use crate::layouts::{Codebooks, weight};
use crate::vectors::{Inputs, ROW, block_codecs, class_bits, importances};

/// How far an encoder may miss weights of moderate spread.
enum Allowed {
    /// Any one weight, by this part of the greatest in its block.
    Each(f32),
    /// All weights of a block together: by this part of the sum of their squares.
    Together(f32),
    /// By anything: zeros cost nothing, so they may become whatever suits the others.
    Anything,
}

fn allowed(name: DTypeName, importance: bool) -> Allowed {
    match name {
        DTypeName::Iq1M if !importance => Allowed::Anything,
        // Half a step of 8 bits.
        DTypeName::Q80 | DTypeName::Q81 | DTypeName::Q8K => Allowed::Each(0.0045),
        // Steps of 6, 5 and 4 bits, with room for scales that trade the outliers for the rest.
        DTypeName::Q6K => Allowed::Each(0.07),
        DTypeName::Q50 | DTypeName::Q51 | DTypeName::Q5K => Allowed::Each(0.14),
        DTypeName::Q40 | DTypeName::Q41 | DTypeName::Q4K => Allowed::Each(0.27),
        DTypeName::Iq4Nl | DTypeName::Iq4Xs | DTypeName::Mxfp4 | DTypeName::Nvfp4 => {
            Allowed::Together(0.1)
        }
        DTypeName::Q3K | DTypeName::Iq3S | DTypeName::Iq3Xxs => Allowed::Together(0.3),
        DTypeName::Q2K | DTypeName::Iq2S | DTypeName::Iq2Xs | DTypeName::Iq2Xxs => {
            Allowed::Together(0.7)
        }
        // Fewer bits are better than none at all, but not for all weights.
        _ => Allowed::Together(1.5),
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
        let books = Codebooks::load();
        for codec in block_codecs() {
            let (len, size) = (codec.block_len(), codec.block_bytes());
            let blocks = &bytes[..bytes.len() / size * size];
            let mut out = vec![0.0; blocks.len() / size * len];
            decode_rows(codec.dtype(), blocks, &mut out).unwrap();
            for (i, ours) in out.iter().enumerate() {
                let wanted = weight(codec.dtype(), &blocks[i / len * size..][..size], i % len, &books);
                prop_assert_eq!(class_bits(*ours), class_bits(wanted), "{} {}", codec.dtype().as_str(), i);
            }
        }
    }

    #[test]
    fn encoding_errs_by_no_more_than_a_step(weights in weights(512)) {
        for codec in block_codecs() {
            let (len, size) = (codec.block_len(), codec.block_bytes());
            for importance in importances(codec, &[1.0; 512]) {
                let mut blocks = vec![0; 512 / len * size];
                encode_rows(codec.dtype(), &weights, 512, importance, &mut blocks).unwrap();
                let mut back = vec![0.0; 512];
                decode_rows(codec.dtype(), &blocks, &mut back).unwrap();
                for (block, (weights, back)) in weights.chunks(len).zip(back.chunks(len)).enumerate() {
                    let what = format!("{} block {block}", codec.dtype().as_str());
                    let peak = weights.iter().fold(0f32, |peak, x| peak.max(x.abs()));
                    // The unit of subnormal scales, times the greatest level.
                    let (unit, greatest) = if codec.dtype() == DTypeName::Nvfp4 {
                        (6.0 * 2f32.powi(-9), 6.0 * 448.0)
                    } else {
                        (128.0 * 2f32.powi(-24), f32::MAX)
                    };
                    if peak > greatest {
                        continue;
                    }
                    match allowed(codec.dtype(), importance.is_some()) {
                        Allowed::Anything => {}
                        Allowed::Each(part) => {
                            for (x, back) in weights.iter().zip(back) {
                                prop_assert!((x - back).abs() <= peak * part + unit, "{}: {} {}", what, x, back);
                            }
                        }
                        Allowed::Together(part) => {
                            let squares = |numbers: &mut dyn Iterator<Item = f32>| numbers.map(|x| x * x).sum::<f32>();
                            let error = squares(&mut weights.iter().zip(back).map(|(x, back)| x - back));
                            let all = squares(&mut weights.iter().copied());
                            prop_assert!(error <= all * part + len as f32 * unit * unit, "{}: {} of {}", what, error, all);
                        }
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
    fn no_strays_among_weights_make_an_encoder_panic(
        mut weights in weights(256),
        strays in prop::collection::vec((0usize..256, 0usize..8), 1..32),
    ) {
        const STRAYS: [f32; 8] = [
            f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e30, 1e-30, 1e-45,
        ];
        for (place, stray) in strays {
            weights[place] = STRAYS[stray];
        }
        for codec in CODECS {
            let mut blocks = vec![0; 256 / codec.block_len() * codec.block_bytes()];
            let mut back = vec![0.0; 256];
            for importance in importances(*codec, &[0.5; 256]) {
                encode_rows(codec.dtype(), &weights, 256, importance, &mut blocks).unwrap();
                decode_rows(codec.dtype(), &blocks, &mut back).unwrap();
            }
        }
    }

    #[test]
    fn no_floats_make_an_encoder_panic(bits in prop::collection::vec(any::<u32>(), 256)) {
        let weights: Vec<f32> = bits.iter().map(|bits| f32::from_bits(*bits)).collect();
        let importance = weights.iter().rev().copied().collect::<Vec<_>>();
        for codec in CODECS {
            let mut blocks = vec![0; 256 / codec.block_len() * codec.block_bytes()];
            for importance in importances(*codec, &importance) {
                encode_rows(codec.dtype(), &weights, 256, importance, &mut blocks).unwrap();
            }
        }
    }
}

#[test]
fn many_rows_in_parallel_equal_one_row_at_a_time() {
    let inputs = Inputs::load();
    let row = ROW * 3;
    let weights: Vec<f32> = (0..200)
        .flat_map(|_| inputs.rows("x").to_vec())
        .take(row * 100)
        .collect();
    let importance = inputs.importance().repeat(3);
    for codec in CODECS {
        let row_bytes = row / codec.block_len() * codec.block_bytes();
        for importance in importances(*codec, &importance) {
            let mut whole = vec![0; 100 * row_bytes];
            encode_rows(codec.dtype(), &weights, row, importance, &mut whole).unwrap();
            let mut decoded = vec![0.0; weights.len()];
            decode_rows(codec.dtype(), &whole, &mut decoded).unwrap();
            for i in [0, 1, 42, 77, 99] {
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
