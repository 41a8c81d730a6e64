//! Decode kernels: bit for bit what the scalar codecs give, on any blocks, wherever they stand.

use proptest::prelude::*;
use tenspan::DTypeName;
use tenspan::quant::kernel::{InstructionSet, Stores, decode_with};
use tenspan::quant::{CODECS, Codec, decode_rows};

use super::noise;

/// The bits of a float; any NaN counts as the same.
fn class_bits(x: f32) -> u32 {
    if x.is_nan() {
        f32::NAN.to_bits()
    } else {
        x.to_bits()
    }
}

/// What stands beside the output and must stay there.
const GUARD: f32 = 12345.0;

/// Decodes with every set, both kinds of stores and the given distances from alignment, and compares with
/// the scalar codec.
fn check(codec: &dyn Codec, blocks: &[u8], skip_in: usize, skip_out: usize) {
    let count = blocks.len() / codec.block_bytes();
    let len = count * codec.block_len();
    let blocks = &blocks[..count * codec.block_bytes()];
    let mut wanted = vec![0.0; len];
    codec.decode(blocks, &mut wanted);

    let mut moved = vec![0; skip_in];
    moved.extend_from_slice(blocks);
    for set in InstructionSet::ALL {
        for stores in [Stores::Cached, Stores::Streaming] {
            let mut room = vec![GUARD; skip_out + len + 1];
            decode_with(
                set,
                codec,
                &moved[skip_in..],
                &mut room[skip_out..][..len],
                stores,
            );
            let place = || {
                format!(
                    "{} {} {stores:?} {count} blocks",
                    codec.dtype().as_str(),
                    set.name()
                )
            };
            for (i, (got, wanted)) in room[skip_out..].iter().zip(&wanted).enumerate() {
                assert_eq!(
                    class_bits(*got),
                    class_bits(*wanted),
                    "{}, element {i}: {got} instead of {wanted}",
                    place()
                );
            }
            assert!(room[..skip_out].iter().all(|x| *x == GUARD), "{}", place());
            assert_eq!(room[skip_out + len], GUARD, "{}", place());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_kernel_gives_the_bits_of_its_codec(
        seed: u64,
        count in 0usize..20,
        skip_in in 0usize..33,
        skip_out in 0usize..17,
    ) {
        for &codec in CODECS {
            check(codec, &noise(seed, count * codec.block_bytes()), skip_in, skip_out);
        }
    }
}

#[test]
fn every_byte_at_every_place_of_a_block() {
    for &codec in CODECS {
        let size = codec.block_bytes();
        // Under a sanitizer, all places at a time.
        let together = if cfg!(sanitized) { size } else { 1 };
        let mut blocks = Vec::with_capacity(size * 256 * size / together);
        for first in (0..size).step_by(together) {
            for byte in 0..=u8::MAX {
                let mut block = noise(7, size);
                for (place, at) in block[first..][..together].iter_mut().enumerate() {
                    *at = byte.wrapping_add(place as u8);
                }
                blocks.extend(block);
            }
        }
        check(codec, &blocks, 1, 0);
    }
}

#[test]
fn blocks_of_one_byte_repeated() {
    for &codec in CODECS {
        let size = codec.block_bytes();
        let blocks: Vec<u8> = (0..=u8::MAX).flat_map(|byte| vec![byte; size]).collect();
        check(codec, &blocks, 0, 4);
    }
}

#[test]
fn every_half_widens_alike() {
    let halves: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    for &codec in CODECS {
        if codec.block_len() == 1 && codec.block_bytes() == 2 {
            check(codec, &halves, 0, 0);
            check(codec, &halves[..2 * 77], 1, 3);
        }
    }
}

#[test]
fn lengths_that_disagree_decode_what_both_have() {
    for &codec in CODECS {
        let blocks = noise(3, 5 * codec.block_bytes());
        let mut wanted = vec![0.0; 3 * codec.block_len()];
        codec.decode(&blocks[..3 * codec.block_bytes()], &mut wanted);
        for set in InstructionSet::ALL {
            // Room for three blocks, then blocks for three places, each with a part of one more.
            let mut room = vec![GUARD; 4 * codec.block_len() - 1];
            decode_with(set, codec, &blocks, &mut room, Stores::Cached);
            let (got, rest) = room.split_at(wanted.len());
            assert!(
                got.iter()
                    .zip(&wanted)
                    .all(|(a, b)| class_bits(*a) == class_bits(*b))
            );
            assert!(rest.iter().all(|x| *x == GUARD));
            let mut room = vec![GUARD; 5 * codec.block_len()];
            let part = &blocks[..4 * codec.block_bytes() - 1];
            decode_with(set, codec, part, &mut room, Stores::Streaming);
            let (got, rest) = room.split_at(wanted.len());
            assert!(
                got.iter()
                    .zip(&wanted)
                    .all(|(a, b)| class_bits(*a) == class_bits(*b))
            );
            assert!(rest.iter().all(|x| *x == GUARD));
        }
    }
}

#[test]
fn a_large_output_is_streamed_over_threads_and_equals_the_codec() {
    let codec = tenspan::quant::codec(DTypeName::Q40).unwrap();
    // More than the last-level cache of most processors, and no multiple of what a thread takes.
    let count = (48 << 20) / 4 / codec.block_len() + 13;
    let blocks = noise(11, count * codec.block_bytes());
    let mut wanted = vec![0.0; count * codec.block_len()];
    codec.decode(&blocks, &mut wanted);
    let mut got = vec![0.0; wanted.len()];
    decode_rows(DTypeName::Q40, &blocks, &mut got).unwrap();
    assert!(
        got.iter()
            .zip(&wanted)
            .all(|(a, b)| class_bits(*a) == class_bits(*b))
    );
}
