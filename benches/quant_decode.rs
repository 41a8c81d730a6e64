//! Decoding, every format and instruction set, beside the store limit of the same run.
//!
//! `cargo bench -p tenspan --bench quant_decode [-- FORMAT…]` prints nanoseconds per element on one
//! thread: 16 M elements into memory that is already mapped, aligned to 64 bytes and at 16 past
//! that as NumPy has it, and 64 Ki elements that stay in the cache. A figure is the median of nine.

#![allow(
    clippy::print_stdout,
    reason = "a benchmark that is read on the terminal"
)]
#![allow(
    unsafe_code,
    reason = "the limit is measured with the streaming store itself, time with the clock of the thread"
)]

use std::hint::black_box;

use machine::{clock::thread_time, stream::stream};
use tenspan::quant::kernel::{InstructionSet, Stores, decode_with};
use tenspan::quant::{CODECS, Codec};

mod machine {
    pub mod clock;
    pub mod stream;
}

/// Elements that no cache holds.
const LARGE: usize = 16 << 20;
/// Elements that the second-level cache holds.
const SMALL: usize = 64 << 10;
/// Bytes of noise, repeated to fill the blocks.
const NOISE: usize = 1 << 20;
const SAMPLES: usize = 9;

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let mut room = vec![0f32; LARGE + 32];
    let start = (64 - room.as_ptr().addr() % 64) % 64 / 4;
    println!("format         set     limit  aligned  at 16  times limit  in cache");
    for &codec in CODECS {
        let name = codec.dtype().as_str();
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        let blocks = blocks(codec);
        for set in InstructionSet::ALL
            .into_iter()
            .filter(|set| set.is_available())
        {
            let stores = Stores::for_output(LARGE as u64);
            let mut large = |skip: usize| {
                let out = &mut room[start + skip..][..LARGE];
                median(LARGE, || decode_with(set, codec, &blocks, out, stores))
            };
            let (aligned, shifted) = (large(0), large(4));
            // Beside each figure, since what others do to the memory changes from minute to minute.
            let limit = median(LARGE, || stream(&mut room[start..][..LARGE]));
            let (bytes, out) = (
                SMALL / codec.block_len() * codec.block_bytes(),
                &mut room[start..][..SMALL],
            );
            let small = median(SMALL * 64, || {
                for _ in 0..64 {
                    decode_with(
                        set,
                        codec,
                        &blocks[..bytes],
                        black_box(&mut *out),
                        Stores::Cached,
                    );
                }
            });
            println!(
                "{name:<14} {:<7} {limit:<6.3} {aligned:<8.3} {shifted:<6.3} {:<12.2} {small:.3}",
                set.name(),
                aligned / limit
            );
        }
    }
}

/// Noise for all blocks, as if it were weights: no kernel's time depends on the values.
fn blocks(codec: &dyn Codec) -> Vec<u8> {
    let mut state = 1u64;
    let noise: Vec<u8> = (0..NOISE)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .collect();
    let len = LARGE / codec.block_len() * codec.block_bytes();
    noise.into_iter().cycle().take(len).collect()
}

/// Nanoseconds of this thread per element. Time of other processes on the same core does not count;
/// their use of the memory does, so every figure stands beside the limit of the same run.
fn median(elements: usize, mut work: impl FnMut()) -> f64 {
    work();
    let mut times: Vec<f64> = (0..SAMPLES)
        .map(|_| {
            let start = thread_time();
            work();
            (thread_time() - start) / elements as f64
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[SAMPLES / 2]
}
