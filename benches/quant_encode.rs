//! Encoding, every format and instruction set, with importance and without.
//!
//! `cargo bench -p tenspan --bench quant_encode [-- FORMAT…]` prints nanoseconds per element on one
//! thread, for Gaussian rows of 4096 weights. A figure is the least of many short samples. The first
//! line is the limit of the same run: reading weights that no cache holds.

#![allow(
    clippy::print_stdout,
    reason = "a benchmark that is read on the terminal"
)]
#![allow(unsafe_code, reason = "time is measured with the clock of the thread")]

use std::hint::black_box;

use machine::clock::thread_time;
use tenspan::quant::kernel::{InstructionSet, encode_with};
use tenspan::quant::{CODECS, Codec};

mod machine {
    pub mod clock;
}

const ROW: usize = 4096;
/// Rows that no cache holds.
const ROWS: usize = 4096;
/// Nanoseconds that a sample takes at least.
const SAMPLE: f64 = 2e6;
/// Nanoseconds that the samples of a figure take in all, if there are enough of them.
const FIGURE: f64 = 2e8;
const SAMPLES: usize = 9;

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let weights = gaussian(ROWS * ROW);
    let importance: Vec<f32> = gaussian(ROW).iter().map(|x| x * x).collect();
    let mut out = vec![0; 4 * ROWS * ROW];
    println!("reading        {:.3}", limit(&weights));
    println!("format         set      plain    by importance");
    for &codec in CODECS.iter().filter(|codec| codec.can_encode()) {
        let name = codec.dtype().as_str();
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        for set in InstructionSet::ALL
            .into_iter()
            .filter(|set| set.is_available())
        {
            let mut figure = |importance| least(set, codec, &weights, importance, &mut out);
            let plain = if codec.needs_importance() {
                "-".to_owned()
            } else {
                format!("{:.3}", figure(None))
            };
            let weighted = figure(Some(&importance));
            println!("{name:<14} {:<8} {plain:<8} {weighted:.3}", set.name());
        }
    }
}

/// Nanoseconds of this thread per element.
fn least(
    set: InstructionSet,
    codec: &dyn Codec,
    weights: &[f32],
    importance: Option<&[f32]>,
    out: &mut [u8],
) -> f64 {
    let mut encode = |rows: usize, start: usize| {
        let weights = &weights[start * ROW..][..rows * ROW];
        let bytes = weights.len() / codec.block_len() * codec.block_bytes();
        let begin = thread_time();
        let out = black_box(&mut out[..bytes]);
        encode_with(set, codec, weights, ROW, importance, out);
        thread_time() - begin
    };
    let one = encode(1, 0).min(encode(1, 0));
    let rows = ((SAMPLE / one) as usize).clamp(1, ROWS);
    let samples = ((FIGURE / (one * rows as f64)) as usize).max(SAMPLES);
    let times = (0..samples).map(|i| encode(rows, i * rows % (ROWS - rows + 1)));
    times.fold(f64::INFINITY, f64::min) / (rows * ROW) as f64
}

/// What reading a weight costs at least.
fn limit(weights: &[f32]) -> f64 {
    let times = (0..SAMPLES).map(|_| {
        let begin = thread_time();
        let bits = weights
            .iter()
            .fold(0, |bits, weight| bits | weight.to_bits());
        black_box(bits);
        thread_time() - begin
    });
    times.fold(f64::INFINITY, f64::min) / weights.len() as f64
}

/// Numbers as a Gaussian distribution has them, near enough: sums of twelve uniform ones.
fn gaussian(len: usize) -> Vec<f32> {
    let mut state = 1u64;
    let mut uniform = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / 16_777_216.0
    };
    (0..len)
        .map(|_| (0..12).map(|_| uniform()).sum::<f32>() - 6.0)
        .collect()
}
