//! Encoders: the bytes of the scalar codecs, for any floats.

use proptest::prelude::*;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use tenspan::quant::kernel::{InstructionSet, encode_with};
use tenspan::quant::{CODECS, Codec};

use super::noise;

/// Kinds of rows, each hard for some encoder.
const KINDS: usize = 18;

/// Uniform numbers from -1 to 1.
fn uniform(seed: u64, len: usize) -> Vec<f32> {
    let bytes = noise(seed, 3 * len);
    let wide = bytes
        .as_chunks::<3>()
        .0
        .iter()
        .map(|[a, b, c]| (u32::from(*a) | u32::from(*b) << 8 | u32::from(*c) << 16) as f32);
    wide.map(|x| x / 8_388_608.0 - 1.0).collect()
}

/// A row of some kind: what weights look like, and what they may be at worst.
fn row(kind: usize, seed: u64, len: usize) -> Vec<f32> {
    let mut row = uniform(seed, len);
    let noise = noise(!seed, len);
    for (i, (x, byte)) in row.iter_mut().zip(noise).enumerate() {
        let group = (seed >> (i / 16 % 8 * 8)) as i32 & 31;
        *x = match kind {
            // Three uniform numbers stand for a Gaussian one, near enough.
            0 => *x * x.abs().sqrt() * 3.0,
            // Each group has a scale of its own.
            1 => *x * 2.0_f32.powi(group - 16),
            // Halves of small whole numbers: ties.
            2 => (*x * 16.0).round() / 2.0,
            // Of one sign.
            3 => x.abs() * 0.1,
            4 => -x.abs() * 100.0,
            // Mostly zeros of both signs.
            5 if byte > 40 => 0.0_f32.copysign(*x),
            6 => 0.0_f32.copysign(*x),
            // Heavy tails.
            7 => *x / (1.0 - x.abs() + 1e-6),
            // A group of nothing beside others.
            8 if group % 3 == 0 => *x * 1e-20,
            // Of one magnitude.
            9 => 0.75_f32.copysign(*x),
            // Subnormal scales, and scales beyond what a half holds.
            10 => *x * 1e-41,
            11 => match byte {
                0 => f32::NAN,
                1 => f32::INFINITY,
                2 => f32::NEG_INFINITY,
                3 => f32::MAX,
                _ => *x * 10.0_f32.powi(i32::from(byte) / 4 - 30),
            },
            // Of one sign, with zeros of both signs as extremes.
            12 if byte > 128 => 0.0_f32.copysign(*x),
            12 => x.abs().copysign((group % 2) as f32 - 0.5),
            // Scales around the greatest and the least number of a half.
            13 => {
                *x * 2.0_f32.powi(if group % 2 == 0 {
                    18 + group
                } else {
                    -40 + group
                })
            }
            // Just below powers of two.
            14 => f32::from_bits((x.to_bits() & 0xff80_0000) - u32::from(byte % 64)),
            // Groups of zeros beside groups of few values, with ties everywhere.
            15 if group % 3 == 0 => 0.0,
            15 => (*x * 4.0).round(),
            // One number in a block that is none.
            16 if i % 256 == usize::from(byte) => f32::NAN,
            // Squares that overflow when they are added or squared.
            17 => *x * 1e18 * 2.0_f32.powi(group / 4),
            _ => *x,
        };
    }
    row
}

/// Encodes with every set and compares with the scalar codec.
fn check(codec: &dyn Codec, weights: &[f32], row_len: usize, importance: Option<&[f32]>) {
    if !codec.can_encode() || (importance.is_none() && codec.needs_importance()) {
        return;
    }
    let bytes = weights.len() / codec.block_len() * codec.block_bytes();
    let mut wanted = vec![0xa5; bytes];
    codec.encode(weights, row_len, importance, &mut wanted);
    for set in InstructionSet::ALL {
        let mut got = vec![0x5a; bytes];
        encode_with(set, codec, weights, row_len, importance, &mut got);
        if got != wanted {
            let at = got
                .iter()
                .zip(&wanted)
                .position(|(a, b)| a != b)
                .expect("they differ");
            let block = at / codec.block_bytes();
            panic!(
                "{} {} importance {}: byte {} of block {block} is {} instead of {}; weights {:?}",
                codec.dtype().as_str(),
                set.name(),
                importance.is_some(),
                at % codec.block_bytes(),
                got[at],
                wanted[at],
                &weights[block * codec.block_len()..][..codec.block_len()],
            );
        }
    }
}

/// Encodes rows of a kind with a codec, with importance and without.
fn check_kind(codec: &dyn Codec, kind: usize, seed: u64, blocks: usize, rows: usize) {
    let row_len = blocks * codec.block_len();
    let weights: Vec<f32> = (0..rows)
        .flat_map(|i| row(kind, seed.wrapping_add(i as u64), row_len))
        .collect();
    let importance: Vec<f32> = uniform(seed ^ 99, row_len)
        .into_iter()
        .map(|x| if x.abs() < 0.05 { 0.0 } else { x * x })
        .collect();
    check(codec, &weights, row_len, None);
    check(codec, &weights, row_len, Some(&importance));
}

proptest! {
    // Under a sanitizer what counts is where is read and written, not which numbers.
    #![proptest_config(ProptestConfig::with_cases(if cfg!(sanitized) { 4 } else { 12 }))]

    #[test]
    fn every_kernel_writes_the_bytes_of_its_codec(seed: u64, blocks in 1usize..6, rows in 1usize..4) {
        CODECS.par_iter().for_each(|&codec| {
            for kind in 0..KINDS {
                check_kind(codec, kind, seed, blocks, rows);
            }
        });
    }
}

/// What columns may matter, however little sense it makes.
fn importance(kind: usize, seed: u64, len: usize) -> Vec<f32> {
    let numbers = uniform(seed, len).into_iter().zip(noise(!seed, len));
    let numbers = numbers.map(|(x, byte)| match kind {
        // Mostly nothing.
        0 if byte > 60 => 0.0,
        // Over many powers of ten.
        1 => 10.0_f32.powi(i32::from(byte) / 4 - 32),
        // Numbers that are no importance. Without NaN: the sign of one that ends up in a scale is
        // that of one of two operands, which the compiler may swap.
        2 => match byte {
            0..8 => 1e30,
            8..16 => -x.abs(),
            16..32 => -0.0,
            _ => x * x,
        },
        // All alike.
        _ => 1.0,
    });
    numbers.collect()
}

#[test]
fn strange_importance() {
    for &codec in CODECS {
        for seed in 0..12 {
            let row_len = 2 * codec.block_len();
            let importance = importance(seed as usize % 4, seed, row_len);
            for kind in [0, 1, 2, 8, 15, 16] {
                let weights = row(kind, seed ^ 77, 2 * row_len);
                check(codec, &weights, row_len, Some(&importance));
            }
        }
    }
}

#[test]
fn rows_of_one_number() {
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        1e-38,
        -1e-40,
        1e10,
        -65504.0,
        1e30,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    for &codec in CODECS {
        for number in numbers {
            let row_len = 3 * codec.block_len();
            check(codec, &vec![number; row_len], row_len, None);
            check(
                codec,
                &vec![number; row_len],
                row_len,
                Some(&vec![1.0; row_len]),
            );
            check(
                codec,
                &vec![number; row_len],
                row_len,
                Some(&vec![0.0; row_len]),
            );
        }
    }
}

#[test]
fn every_exponent_narrows_alike() {
    // A step without a common factor with the powers of two comes by every exponent and by all
    // that a shorter mantissa keeps and drops.
    let mut numbers: Vec<f32> = (0..1 << 20)
        .map(|i: u32| f32::from_bits(i.wrapping_mul(4093)))
        .collect();
    // Ties of every format, and the floats beside them.
    for bits in (0..=u32::MAX).step_by(1 << 12).skip(1) {
        numbers.extend([bits - 1, bits, bits + 1].map(f32::from_bits));
    }
    for &codec in CODECS.iter().filter(|codec| codec.block_len() == 1) {
        check(codec, &numbers, numbers.len(), None);
        for len in 0..70 {
            check(codec, &numbers[len * 977..][..len], len, None);
        }
    }
}

#[test]
fn peaks_just_below_powers_of_two() {
    for &codec in CODECS.iter().filter(|codec| codec.block_len() <= 64) {
        let mut weights = Vec::new();
        for power in (1..=255u32).map(|exponent| exponent << 23) {
            for ulps in 0..60 {
                let peak = f32::from_bits(power - ulps);
                let row = uniform(u64::from(power + ulps), codec.block_len());
                weights.extend(row.iter().map(|x| x * peak));
                let last = weights.len() - 1;
                weights[last] = peak.copysign(row[0]);
            }
        }
        check(codec, &weights, codec.block_len(), None);
    }
}

#[test]
fn no_rows_are_no_bytes() {
    for &codec in CODECS {
        check(codec, &[], codec.block_len(), None);
    }
}
