//! The unit that multiplies `bfloat16`, as it is documented: of each two products the second is added first, each in one rounding to the
//! nearest, ties to even; subnormal numbers count as zero, and so do subnormal sums.

use super::super::super::row::Row;
use super::super::super::sums::Twofold;
use super::super::run::run;
use super::floats::{Angles, E4m3, E5m2, Floats, Format, Products, Squares, Step};
use super::unit::{Unit, WIDTH};
use crate::dtype::DType;
use crate::quant::float8::{E4M3FN, E5M2, Float8};

/// The unit.
pub(super) struct Model;

impl Unit for Model {
    type Bytes = [u8; WIDTH];
    type Singles = [f32; WIDTH / 4];

    unsafe fn load(bytes: &[u8]) -> [u8; WIDTH] {
        let mut loaded = [0; WIDTH];
        let len = bytes.len().min(WIDTH);
        loaded[..len].copy_from_slice(&bytes[..len]);
        loaded
    }

    unsafe fn look_up(table: [[u8; WIDTH]; 2], places: [u8; WIDTH]) -> [u8; WIDTH] {
        places.map(|place| table.as_flattened()[usize::from(place & 0x7f)])
    }

    unsafe fn with_signs(bytes: [u8; WIDTH], signs: [u8; WIDTH]) -> [u8; WIDTH] {
        std::array::from_fn(|i| bytes[i] | signs[i] & 0x80)
    }

    /// Within each sixteen bytes, as the instructions do.
    unsafe fn zip(lower: [u8; WIDTH], upper: [u8; WIDTH]) -> [[u8; WIDTH]; 2] {
        [0, 8].map(|half| {
            std::array::from_fn(|i| {
                let at = i / 16 * 16 + half + i % 16 / 2;
                if i % 2 == 0 { lower[at] } else { upper[at] }
            })
        })
    }

    unsafe fn zeros() -> [f32; WIDTH / 4] {
        [0.0; WIDTH / 4]
    }

    unsafe fn add_pairs(
        sums: [f32; WIDTH / 4],
        x: [u8; WIDTH],
        y: [u8; WIDTH],
    ) -> [f32; WIDTH / 4] {
        let flushed = |x: f32| {
            if x.is_subnormal() {
                0.0_f32.copysign(x)
            } else {
                x
            }
        };
        // SAFETY: the model needs no instructions. So below.
        let (x, y) = (unsafe { Self::widen(x) }, unsafe { Self::widen(y) });
        std::array::from_fn(|i| {
            let add =
                |sum: f32, x: f32, y: f32| flushed(flushed(x).mul_add(flushed(y), flushed(sum)));
            add(add(sums[i], x[1][i], y[1][i]), x[0][i], y[0][i])
        })
    }

    unsafe fn widen(pairs: [u8; WIDTH]) -> [[f32; WIDTH / 4]; 2] {
        [0, 2].map(|at| {
            std::array::from_fn(|i| {
                f32::from_le_bytes([0, 0, pairs[4 * i + at], pairs[4 * i + at + 1]])
            })
        })
    }

    unsafe fn add_squares(
        sums: [f32; WIDTH / 4],
        x: [f32; WIDTH / 4],
        y: [f32; WIDTH / 4],
    ) -> [f32; WIDTH / 4] {
        std::array::from_fn(|i| (x[i] - y[i]).mul_add(x[i] - y[i], sums[i]))
    }

    unsafe fn numbers(singles: [f32; WIDTH / 4]) -> [f32; WIDTH / 4] {
        singles
    }
}

/// The sums of two rows, up to three.
fn sums<F: Format, S: Step>(a: &Row<'_>, b: &Row<'_>) -> [f64; 3] {
    let mut sums = [Twofold::default(); 3];
    // SAFETY: the model needs no instructions.
    unsafe { run::<Floats<Model, F, S>>(a, b, &mut sums) };
    sums.map(Twofold::value)
}

/// Every form of sum of two rows: products, squares of differences; products and squares of each side.
fn all<F: Format>(a: &Row<'_>, b: &Row<'_>) -> [[f64; 3]; 3] {
    [
        sums::<F, Products>(a, b),
        sums::<F, Squares>(a, b),
        sums::<F, Angles>(a, b),
    ]
}

/// What they are, by the numbers that the bytes stand for.
fn expected(format: Float8, a: &[u8], b: &[u8]) -> [[f64; 3]; 3] {
    let number = |byte: &u8| f64::from(format.to_f32(*byte));
    let sum = |of: &dyn Fn(f64, f64) -> f64| -> f64 {
        a.iter().zip(b).map(|(x, y)| of(number(x), number(y))).sum()
    };
    let products = sum(&|x, y| x * y);
    [
        [products, 0.0, 0.0],
        [sum(&|x, y| (x - y) * (x - y)), 0.0, 0.0],
        [products, sum(&|x, _| x * x), sum(&|_, y| y * y)],
    ]
}

/// Checks all forms; `size` is the sum of what is added, without signs.
fn check<F: Format>(format: Float8, a: &[u8], b: &[u8], rows: [&Row<'_>; 2], rounding: f64) {
    let size = |x: &[u8], y: &[u8]| -> f64 {
        let number = |byte: &u8| f64::from(format.to_f32(*byte)).abs();
        x.iter()
            .zip(y)
            .map(|(x, y)| (number(x) + number(y)).powi(2))
            .sum()
    };
    let (got, wanted) = (all::<F>(rows[0], rows[1]), expected(format, a, b));
    for (got, wanted) in got.as_flattened().iter().zip(wanted.as_flattened()) {
        let same = got == wanted || got.is_nan() && wanted.is_nan();
        let near = (got - wanted).abs() <= rounding * size(a, b);
        assert!(same || near, "{} numbers: {got}, not {wanted}", a.len());
    }
}

fn check_packed<F: Format>(format: Float8, dtype: DType, a: &[u8], b: &[u8], rounding: f64) {
    let [x, y] = [a, b].map(|bytes| Row::within(dtype, bytes));
    check::<F>(format, a, b, [&x, &y], rounding);
}

/// Bytes that are numbers of the format.
fn numbers(format: Float8, seed: u64, len: usize) -> Vec<u8> {
    let mut state = seed;
    let mut byte = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as u8
    };
    (0..len)
        .map(|_| {
            std::iter::repeat_with(&mut byte)
                .find(|byte| format.to_f32(*byte).is_finite())
                .unwrap_or(0)
        })
        .collect()
}

#[test]
fn any_two_bytes_make_their_product() {
    for x in 0..=255u8 {
        for y in 0..=255u8 {
            // Squares of differences are rounded: those of e5m2 have more bits than a single.
            check_packed::<E4m3>(E4M3FN, DType::F8_E4M3, &[x], &[y], 2f64.powi(-22));
            check_packed::<E5m2>(E5M2, DType::F8_E5M2, &[x], &[y], 2f64.powi(-22));
        }
    }
}

#[test]
fn products_of_two_bytes_are_exact() {
    for x in 0..=255u8 {
        for y in 0..=255u8 {
            let [a, b] = [x, y].map(|byte| f64::from(E5M2.to_f32(byte)));
            let [x, y] = [[x], [y]];
            let [x, y] = [&x, &y].map(|bytes| Row::within(DType::F8_E5M2, bytes));
            let got = sums::<E5m2, Products>(&x, &y)[0];
            assert!(
                got == a * b || got.is_nan() && (a * b).is_nan(),
                "{a} · {b}: {got}"
            );
        }
    }
}

#[test]
fn rows_of_every_length_and_longer_than_a_run() {
    for len in (0..=200).chain([4097, 70_003]) {
        // What is added in a lane is rounded as often as there are numbers in it.
        let rounding = 2f64.powi(-24) * (4.0 + (len as f64 / 64.0).sqrt());
        let of = |format, seed| numbers(format, seed + len as u64, len);
        check_packed::<E4m3>(
            E4M3FN,
            DType::F8_E4M3,
            &of(E4M3FN, 1),
            &of(E4M3FN, 2),
            rounding,
        );
        check_packed::<E5m2>(E5M2, DType::F8_E5M2, &of(E5M2, 3), &of(E5M2, 4), rounding);
    }
}

#[test]
fn rows_with_steps_make_what_packed_copies_make() {
    let memory = numbers(E4M3FN, 7, 30_000);
    for (first, stride, len) in [(0, 3, 9000), (29_999, -2, 5001), (5, 0, 300)] {
        let a = Row::strided(DType::F8_E4M3, &memory, first, stride, len).unwrap();
        let copy: Vec<u8> = (0..len as i64)
            .map(|i| memory[(first as i64 + i * stride) as usize])
            .collect();
        let (packed, b) = (
            Row::within(DType::F8_E4M3, &copy),
            Row::within(DType::F8_E4M3, &memory[..len as usize]),
        );
        assert_eq!(all::<E4m3>(&a, &b), all::<E4m3>(&packed, &b));
    }
}

#[test]
fn the_model_rounds_to_even_and_flushes() {
    let pair = |second: f32, first: f32| {
        let mut bytes = [0; WIDTH];
        for (place, x) in bytes.chunks_exact_mut(2).zip([first, second]) {
            place.copy_from_slice(&x.to_le_bytes()[2..]);
        }
        bytes
    };
    let of = |sum: f32, x, y| {
        let mut sums = [0.0; WIDTH / 4];
        sums[0] = sum;
        // SAFETY: the model needs no instructions.
        let made = unsafe { Model::add_pairs(sums, x, y) };
        made[0]
    };
    let ones = pair(1.0, 1.0);
    // Each one is half of a last place of the sum.
    assert_eq!(of(16_777_216.0, ones, ones), 16_777_216.0);
    assert_eq!(of(16_777_218.0, ones, pair(1.0, 0.0)), 16_777_220.0);
    // The second is added first, and so saved from rounding.
    assert_eq!(of(-16_777_216.0, pair(16_777_216.0, 1.0), ones), 1.0);
    assert_eq!(of(-16_777_216.0, pair(1.0, 16_777_216.0), ones), 1.0);
    assert_eq!(of(16_777_216.0, pair(1.0, -16_777_216.0), ones), 0.0);
    let least = f32::MIN_POSITIVE;
    assert_eq!(of(0.0, pair(least / 2.0, 0.0), pair(4.0, 0.0)), 0.0);
    assert_eq!(of(0.0, pair(least, 0.0), pair(0.5, 0.0)), 0.0);
    assert_eq!(of(0.0, pair(least, 0.0), pair(1.0, 0.0)), least);
}
