//! The limits of the machine: how fast threads can store, read and copy floats, and nothing else.
//!
//! `cargo bench -p tenspan --bench limits` prints all of them. With `--serve` it takes samples on
//! demand, so that they stand beside what they are the limit of: a line `read 2` on the standard input
//! asks for one pass of two threads over the memory to be read, and is answered by
//! `<floats> <nanoseconds of the busiest thread> <nanoseconds on the wall>`. The first answer is a line
//! of its own: the instruction set that the kernels of this process choose.

#![allow(
    clippy::print_stdout,
    reason = "its output is read on the terminal, or by the program that asks"
)]
#![allow(
    unsafe_code,
    reason = "the limits are the instructions themselves, their time the clock of the thread"
)]

use std::hint::black_box;
use std::io::{BufRead as _, Write as _};
use std::sync::Barrier;
use std::time::Instant;

use machine::{clock::thread_time, memory::Memory, stream::stream};
use tenspan::quant::kernel::InstructionSet;

mod machine {
    pub mod clock;
    pub mod memory;
    pub mod stream;
}

/// Floats written or copied by one pass, as many as a decoded tensor of the comparison has.
const WRITTEN: usize = 16 << 20;
/// Floats read by one pass: many times what a cache holds, since a cache keeps a part of what is read.
const READ: usize = 64 << 20;
const SAMPLES: usize = 9;

/// Something done to memory: to what is read, and to what is written.
type Work = fn(&mut [f32], &mut [f32]);

/// What can be done to memory, each with its name.
const LIMITS: [(&str, Work); 4] = [
    ("store", |_, to| {
        to.fill(1.0);
        black_box(to);
    }),
    ("stream", |_, to| stream(to)),
    ("read", |from, _| read(from)),
    ("copy", |from, to| {
        to.copy_from_slice(&from[..to.len()]);
        black_box(to);
    }),
];

/// One pass: the time of the thread that took longest, by its own clock and by that on the wall.
struct Sample {
    floats: usize,
    busiest: f64,
    wall: f64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut from = Memory::mapped(READ);
    let mut to = Memory::mapped(WRITTEN);
    if !std::env::args().any(|argument| argument == "--serve") {
        print_all(&mut from, &mut to);
        return Ok(());
    }
    println!("{}", InstructionSet::chosen().name());
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (name, threads) = line.split_once(' ').ok_or("a line is a name and a count")?;
        let (_, work) = LIMITS
            .iter()
            .find(|limit| limit.0 == name)
            .ok_or_else(|| format!("there is no limit `{name}`"))?;
        let sample = pass(name, *work, threads.parse()?, &mut from, &mut to);
        println!("{} {} {}", sample.floats, sample.busiest, sample.wall);
        std::io::stdout().flush()?;
    }
    Ok(())
}

fn print_all(from: &mut [f32], to: &mut [f32]) {
    println!("limit   threads  ns/float  GB/s");
    for (name, work) in LIMITS {
        for threads in [1, 2] {
            let mut times: Vec<f64> = (0..SAMPLES)
                .map(|_| {
                    let sample = pass(name, work, threads, from, to);
                    sample.busiest / sample.floats as f64
                })
                .collect();
            times.sort_by(f64::total_cmp);
            let time = times[SAMPLES / 2];
            println!("{name:<7} {threads:<8} {time:<9.3} {:.1}", 4.0 / time);
        }
    }
}

/// Does the work once, in equal parts by so many threads that begin together.
fn pass(name: &str, work: Work, threads: usize, from: &mut [f32], to: &mut [f32]) -> Sample {
    let floats = if name == "read" { READ } else { WRITTEN };
    let threads = threads.clamp(1, 64);
    let start = Barrier::new(threads);
    let timed = |from: &mut [f32], to: &mut [f32]| {
        start.wait();
        let (wall, busy) = (Instant::now(), thread_time());
        work(from, to);
        (thread_time() - busy, wall.elapsed().as_nanos() as f64)
    };
    let parts = from
        .chunks_mut(READ / threads)
        .zip(to.chunks_mut(WRITTEN / threads))
        .take(threads);
    let times: Vec<(f64, f64)> = std::thread::scope(|scope| {
        let started: Vec<_> = parts
            .map(|(from, to)| scope.spawn(|| timed(from, to)))
            .collect();
        started
            .into_iter()
            .map(|thread| thread.join().expect("the work does not panic"))
            .collect()
    });
    Sample {
        floats: floats / threads * threads,
        busiest: times.iter().fold(0.0, |most, time| most.max(time.0)),
        wall: times.iter().fold(0.0, |most, time| most.max(time.1)),
    }
}

/// Reads memory: a sum that no order of additions slows down.
fn read(from: &[f32]) {
    let mut sums = [0u64; 16];
    for chunk in bytemuck::cast_slice::<f32, u64>(&from[..from.len() / 2 * 2]).chunks_exact(16) {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum = sum.wrapping_add(*value);
        }
    }
    black_box(sums);
}
