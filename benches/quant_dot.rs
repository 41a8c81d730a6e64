//! Products of a matrix with a vector, every format and instruction set, beside the read limit of the
//! same run.
//!
//! `cargo bench -p tenspan --bench quant_dot [-- FORMAT…]` prints for 4096 × 4096 weights, on one
//! thread and with the vector prepared once: GFLOP/s (two per weight), gigabytes of weights per second,
//! what reading the same bytes alone reaches, and the part of it. Then GFLOP/s for rows that stay in
//! the first cache. Work is measured in pieces of 64 rows; a figure is made of the best time of each.

#![allow(
    clippy::print_stdout,
    reason = "a benchmark that is read on the terminal"
)]
#![allow(unsafe_code, reason = "time is measured with the clock of the thread")]

use std::hint::black_box;

use tenspan::DTypeName;
use tenspan::quant::dot::Activation;
use tenspan::quant::kernel::InstructionSet;
use tenspan::quant::{CODECS, encode_rows};

/// Rows, and weights in each.
const N: usize = 4096;
/// Rows that differ, of which the matrix is made.
const FEW: usize = 16;
/// Bytes of rows that stay in the first cache, beside the vector.
const CACHED: usize = 16 << 10;
/// Times that these are multiplied in one sample: asking for the time takes as long as some rows.
const AGAIN: usize = 16;
const SAMPLES: usize = 25;
/// Pieces that are measured one by one, and the rows of each.
const PIECES: usize = 64;
const PIECE_ROWS: usize = N / PIECES;

fn main() -> tenspan::Result<()> {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let formats = CODECS.iter().map(|codec| codec.dtype());
    println!("format         set     GFLOP/s  GB/s   read GB/s  of read  in cache");
    for dtype in std::iter::once(DTypeName::Float32).chain(formats) {
        let name = dtype.as_str();
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        let matrix = matrix(dtype)?;
        let x: Vec<f64> = floats(2, N).into_iter().map(f64::from).collect();
        for set in InstructionSet::ALL
            .into_iter()
            .filter(|set| set.is_available())
        {
            let x = Activation::with(set, dtype, &x)?;
            let multiply = |rows: &[u8]| {
                let mut sums = [0.0; PIECE_ROWS];
                let count = rows.len() / x.row_bytes();
                black_box(x.dot_rows(rows, &mut sums[..count]).ok());
                black_box(sums);
            };
            let pieces: Vec<&[u8]> = matrix.chunks_exact(matrix.len() / PIECES).collect();
            let time = best(&pieces, multiply);
            // Beside each figure, since what others do to the memory changes from minute to minute.
            let read = matrix.len() as f64 / best(&pieces, read);
            let few = (CACHED / x.row_bytes()).clamp(1, FEW);
            let cached = |rows: &[u8]| (0..AGAIN).for_each(|_| multiply(rows));
            let cached = best(&[&matrix[..few * x.row_bytes()]], cached);
            let speed = matrix.len() as f64 / time;
            println!(
                "{name:<14} {:<7} {:<8.1} {speed:<6.2} {read:<10.2} {:<8.2} {:.1}",
                set.name(),
                (2 * N * N) as f64 / time,
                speed / read,
                (2 * N * few * AGAIN) as f64 / cached,
            );
        }
    }
    Ok(())
}

/// Encoded rows, repeated: no kernel's time depends on the values.
fn matrix(dtype: DTypeName) -> tenspan::Result<Vec<u8>> {
    let weights = floats(1, FEW * N);
    let few = if dtype == DTypeName::Float32 {
        weights.iter().flat_map(|x| x.to_le_bytes()).collect()
    } else {
        let info = tenspan::DType::Known(dtype);
        let blocks = weights.len() / info.block_len() as usize;
        let mut few = vec![0; blocks * info.block_bytes() as usize];
        let importance = vec![1.0; N];
        encode_rows(dtype, &weights, N, Some(&importance), &mut few)?;
        few
    };
    Ok(few.repeat(N / FEW))
}

/// Numbers like weights.
fn floats(mut state: u32, len: usize) -> Vec<f32> {
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 - 0.5
    };
    (0..len).map(|_| next() + next() + next()).collect()
}

/// Nanoseconds of this thread: the sum of the best time for each piece. Time of other processes on the
/// same core does not count; their use of the memory does, so every figure stands beside the limit of
/// the same run.
fn best(pieces: &[&[u8]], work: impl Fn(&[u8])) -> f64 {
    let mut times = vec![f64::INFINITY; pieces.len()];
    for _ in 0..SAMPLES {
        for (time, piece) in times.iter_mut().zip(pieces) {
            let start = thread_time();
            work(black_box(piece));
            *time = time.min(thread_time() - start);
        }
    }
    times.iter().sum()
}

/// Reads all bytes.
fn read(bytes: &[u8]) {
    let mut sums = [0u64; 16];
    for line in bytes.as_chunks::<128>().0 {
        for (sum, word) in sums.iter_mut().zip(line.as_chunks().0) {
            *sum |= u64::from_le_bytes(*word);
        }
    }
    black_box(sums);
}

/// Nanoseconds that this thread has run.
#[cfg(unix)]
fn thread_time() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the clock writes one `timespec`, and this is one.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Nanoseconds since the first call: this system's clock of a thread is not known here.
#[cfg(not(unix))]
fn thread_time() -> f64 {
    use std::{sync::OnceLock, time::Instant};
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as f64
}
