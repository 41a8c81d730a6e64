//! Decoding, every format and instruction set, beside the store limit of the same run.
//!
//! `cargo bench -p tenspan --bench quant_decode [-- FORMAT…]` prints nanoseconds per element on one
//! thread: 16 M elements into memory that is already mapped, aligned to 64 bytes, at 16 past that as NumPy
//! has it, and at 4 past that as a slice of such an array has it; then 64 Ki elements that stay in the
//! cache. Every piece of a megaelement is followed by one of the limit, streaming stores or ordinary
//! ones, so that both see the same neighbours on the machine; figures are medians of the pieces.

#![allow(
    clippy::print_stdout,
    reason = "a benchmark that is read on the terminal"
)]
#![allow(
    unsafe_code,
    reason = "the limit is measured with the streaming store itself, time with the clock of the thread"
)]

use std::fmt::{Display, Formatter};
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
/// Elements decoded at a time into memory, between two measurements of the limit.
const PIECE: usize = 1 << 20;
/// Times that all pieces are decoded.
const ROUNDS: usize = 5;
/// Samples of what stays in the cache.
const SAMPLES: usize = 300;

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let mut rooms = [vec![1f32; LARGE + 32], vec![1f32; LARGE + 32]];
    let [out, limit] = rooms.each_mut().map(|room| {
        let start = (64 - room.as_ptr().addr() % 64) % 64 / 4;
        &mut room[start..]
    });
    println!(
        "format         set     streamed  aligned      at 16        at 4         stored  in cache"
    );
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
            let [aligned, shifted, odd] =
                [0, 4, 1].map(|skip| large(set, codec, &blocks, &mut out[skip..], limit));
            let small = small(set, codec, &blocks, &mut out[..SMALL]);
            println!(
                "{name:<14} {:<7} {:<9.3} {aligned:<12} {shifted:<12} {odd:<12} {:<7.3} {small}",
                set.name(),
                aligned.limit,
                small.limit
            );
        }
    }
}

/// Nanoseconds per element of a kernel, and of the limit beside it.
struct Figure {
    work: f64,
    limit: f64,
}

impl Display for Figure {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{:.3} {:.2}x", self.work, self.work / self.limit))
    }
}

/// Decodes piece after piece, and streams as much elsewhere after each.
fn large(
    set: InstructionSet,
    codec: &dyn Codec,
    blocks: &[u8],
    out: &mut [f32],
    limit: &mut [f32],
) -> Figure {
    let bytes = PIECE / codec.block_len() * codec.block_bytes();
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        let pieces = blocks.chunks_exact(bytes).zip(out.chunks_exact_mut(PIECE));
        for ((blocks, out), limit) in pieces.zip(limit.chunks_exact_mut(PIECE)) {
            times[0].push(time(PIECE, || {
                decode_with(set, codec, blocks, out, Stores::Streaming);
            }));
            times[1].push(time(PIECE, || stream(limit)));
        }
    }
    figure(times)
}

/// Decodes the same blocks again and again, and fills the room after each time.
fn small(set: InstructionSet, codec: &dyn Codec, blocks: &[u8], out: &mut [f32]) -> Figure {
    let blocks = &blocks[..SMALL / codec.block_len() * codec.block_bytes()];
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..SAMPLES {
        times[0].push(time(SMALL, || {
            decode_with(set, codec, blocks, black_box(&mut *out), Stores::Cached);
        }));
        times[1].push(time(SMALL, || black_box(&mut *out).fill(1.0)));
    }
    figure(times)
}

fn figure(times: [Vec<f64>; 2]) -> Figure {
    let [work, limit] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    Figure { work, limit }
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
/// their use of the memory does, so every figure stands beside its limit.
fn time(elements: usize, work: impl FnOnce()) -> f64 {
    let start = thread_time();
    work();
    (thread_time() - start) / elements as f64
}
