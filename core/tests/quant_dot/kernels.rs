//! Every format on every instruction set: the product in `float64` of what weights and vector are.

use proptest::prelude::*;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use tenspan::DTypeName;
use tenspan::quant::kernel::InstructionSet;
use tenspan::quant::{CODECS, codec, encode_rows};

use super::support::{check, decode, finite_blocks, noise, products, vector};

/// What sums in `float32` may cost.
const TOLERANCE: f64 = 1e-5;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn random_blocks(seed: u64, count in 0usize..19) {
        for &codec in CODECS {
            let row = finite_blocks(codec, seed, count);
            let x = vector(seed, count * codec.block_len());
            check(codec.dtype(), &row, &x, TOLERANCE);
        }
    }

    #[test]
    fn encoded_rows(seed: u64, count in 1usize..5) {
        for &codec in CODECS {
            let weights: Vec<f32> = vector(!seed, count * codec.block_len())
                .iter()
                .map(|x| *x as f32)
                .collect();
            let importance = vec![1.0; weights.len()];
            let mut row = vec![0; count * codec.block_bytes()];
            if !codec.can_encode() {
                continue;
            }
            encode_rows(codec.dtype(), &weights, weights.len(), Some(&importance), &mut row)
                .unwrap();
            check(codec.dtype(), &row, &vector(seed, weights.len()), TOLERANCE);
        }
    }
}

#[test]
fn rows_longer_than_what_is_added_at_a_time() {
    for &codec in CODECS {
        for len in [8192, 8192 + 256, 3 * 8192 - 256, 40_000 / 256 * 256] {
            let row = finite_blocks(codec, 5, len / codec.block_len());
            check(codec.dtype(), &row, &vector(6, len), TOLERANCE);
        }
    }
}

#[test]
fn every_byte_at_every_place_of_a_block() {
    CODECS.par_iter().for_each(|codec| {
        let x = vector(9, codec.block_len());
        let size = codec.block_bytes();
        // Under a sanitizer, all places at a time; beside several neighbours, because blocks that are not finite are left out.
        let blocks: Vec<Vec<u8>> = if cfg!(sanitized) {
            let round = |seed, byte: u8| {
                noise(seed, size)
                    .iter()
                    .map(|x| x.wrapping_add(byte))
                    .collect()
            };
            (7..11)
                .flat_map(|seed| (0..=u8::MAX).map(move |byte| (seed, byte)))
                .map(|(seed, byte)| round(seed, byte))
                .collect()
        } else {
            (0..size)
                .flat_map(|place| (0..=u8::MAX).map(move |byte| (place, byte)))
                .map(|(place, byte)| {
                    let mut block = noise(7, size);
                    block[place] = byte;
                    block
                })
                .collect()
        };
        for block in blocks {
            let finite = decode(codec.dtype(), &block).iter().all(|x| x.is_finite());
            if finite {
                check(codec.dtype(), &block, &x, TOLERANCE);
            }
        }
    });
}

/// All levels at their ends and the vector at its own: nothing saturates.
#[test]
fn the_ends_of_all_ranges() {
    for &codec in CODECS {
        let count = 1024 / codec.block_len();
        for byte in 0..=u8::MAX {
            let row = vec![byte; count * codec.block_bytes()];
            // Where this byte makes no finite scale, one that does: 1 as half and as 8 bits.
            let row = if decode(codec.dtype(), &row).iter().all(|x| x.is_finite()) {
                row
            } else {
                continue;
            };
            let len = count * codec.block_len();
            for x in [
                vec![1.0; len],
                vec![-1.0; len],
                (0..len).map(|i| [1.0, -1.0][i % 2]).collect(),
                (0..len).map(|i| [1.0, -1.0][i / 16 % 2]).collect(),
            ] {
                check(codec.dtype(), &row, &x, TOLERANCE);
            }
            // Each sign that makes every product positive, and each that makes it negative.
            let weights = decode(codec.dtype(), &row);
            for sign in [1.0, -1.0] {
                let x: Vec<f64> = weights
                    .iter()
                    .map(|w| if *w < 0.0 { -sign } else { sign })
                    .collect();
                check(codec.dtype(), &row, &x, TOLERANCE);
            }
        }
    }
}

/// Scales that are NaN or infinite, and vectors with such numbers.
#[test]
fn what_is_not_finite_stays_so() {
    for &codec in CODECS {
        let dtype = codec.dtype();
        let mut met = 0;
        for seed in 0..3000u64 {
            let mut row = noise(seed, 3 * codec.block_bytes());
            if seed % 3 == 0 {
                row = vec![(seed / 3) as u8; row.len()];
            }
            let weights = decode(dtype, &row);
            let x = vector(seed, weights.len());
            if weights.iter().all(|w| w.is_finite()) {
                continue;
            }
            met += 1;
            let all = products(dtype, &row, &x);
            for (set, got) in &all {
                assert!(!got.is_finite(), "{} {}", dtype.as_str(), set.name());
                // What is infinite on one set is NaN on none.
                assert_eq!(got.is_nan(), all[0].1.is_nan(), "{}", dtype.as_str());
            }
        }
        // Scales of `mxfp4` and `nvfp4` are finite whatever their bits.
        let always = matches!(dtype, DTypeName::Mxfp4 | DTypeName::Nvfp4);
        assert!(met > 0 || always, "{}", dtype.as_str());
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let row = finite_blocks(codec, 3, 3);
            let mut x = vector(3, 3 * codec.block_len());
            let middle = x.len() / 2;
            x[middle] = bad;
            for (set, got) in products(dtype, &row, &x) {
                assert!(!got.is_finite(), "{} {} {bad}", dtype.as_str(), set.name());
            }
        }
    }
}

#[test]
fn vectors_so_large_or_small_that_their_scales_leave_float32() {
    for &codec in CODECS {
        // The scale of `q8_0` is a half, so only the others go so far.
        if !matches!(codec.partner(), None | Some(DTypeName::Q8K)) {
            continue;
        }
        let row = finite_blocks(codec, 11, 4);
        for scale in [1e-38, 1e-30, 1e30, 1e37] {
            let x: Vec<f64> = vector(12, 4 * codec.block_len())
                .iter()
                .map(|x| x * scale)
                .collect();
            check(codec.dtype(), &row, &x, TOLERANCE);
        }
    }
}

#[test]
fn the_largest_scales_of_mxfp4_are_summed_beyond_float32() {
    let mxfp4 = codec(DTypeName::Mxfp4).unwrap();
    let mut row = noise(1, 2 * mxfp4.block_bytes());
    row[0] = 251;
    row[17] = 250;
    check(DTypeName::Mxfp4, &row, &[-1000.0; 64], TOLERANCE);
}

#[test]
fn rows_stand_anywhere_in_memory() {
    for &codec in CODECS {
        let len = 3 * 256;
        let row = finite_blocks(codec, 21, len / codec.block_len());
        let x = vector(22, len);
        let wanted = products(codec.dtype(), &row, &x);
        for skip in 1..34 {
            let mut moved = vec![0xff; skip];
            moved.extend_from_slice(&row);
            assert_eq!(products(codec.dtype(), &moved[skip..], &x), wanted);
        }
    }
}

#[test]
fn every_block_format_has_a_kernel_of_its_own() {
    if !InstructionSet::Avx2.is_available() {
        return;
    }
    for &codec in CODECS {
        // Sums in another order differ in their last bits somewhere.
        let differs = (0..40).any(|seed| {
            let row = finite_blocks(codec, seed, 1024 / codec.block_len());
            let all = products(codec.dtype(), &row, &vector(seed, 1024));
            all.iter().any(|(_, product)| *product != all[0].1)
        });
        let plain = codec.partner().is_none();
        assert!(differs || plain, "{}", codec.dtype().as_str());
    }
}
