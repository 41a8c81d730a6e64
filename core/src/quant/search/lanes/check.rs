//! What registers of any kind have to have in common with arrays.

use super::{Lanes, MOST, Mask, NO_BOTTOM, Plain, each};
use crate::quant::nonlinear::VALUES;

/// What each function of two numbers gives.
pub(in crate::quant) type Results = [[f32; MOST]; 22];

/// Calls every function.
#[inline(always)]
pub(in crate::quant) fn results<L: Lanes>(a: &[f32; MOST], b: &[f32; MOST]) -> Results {
    let (a, b) = (L::load(a), L::load(b));
    let (below, equals) = (a.below(b), a.equals(b));
    [
        (a + b).spill(),
        (a - b).spill(),
        (a * b).spill(),
        (a / b).spill(),
        (-a).spill(),
        a.abs().spill(),
        a.sqrt().spill(),
        a.lesser(b).spill(),
        a.greater(b).spill(),
        a.level(-32.0, 31.0).spill(),
        a.level(0.0, 3.0).spill(),
        a.level(NO_BOTTOM, 63.0).spill(),
        a.near_level(-32.0, 31.0).spill(),
        a.low_byte().spill(),
        a.nonlinear().spill(),
        a.nonlinear_level().spill(),
        a.level(0.0, 255.0).bytes().map(f32::from),
        below.choose(a, b).spill(),
        equals.not().choose(a, b).spill(),
        below.and(equals.not()).choose(a, b).spill(),
        below.or(equals).choose(a, b).spill(),
        L::all(if below.any() { 1.0 } else { 0.0 }).spill(),
    ]
}

/// Turns rows.
#[inline(always)]
pub(in crate::quant) fn turned<L: Lanes>(rows: &[&[f32; 24]; MOST]) -> [[f32; MOST]; 24] {
    let columns: [L; 24] = L::transpose(rows);
    let mut numbers = [[0.0; MOST]; 24];
    each!(n < 24 => {
        numbers[n] = columns[n].spill();
    });
    numbers
}

/// Compares [`results`] of registers with those of arrays.
pub(in crate::quant) fn against_arrays(registers: impl Fn(&[f32; MOST], &[f32; MOST]) -> Results) {
    let numbers = numbers();
    for (i, a) in numbers.iter().enumerate() {
        for b in [a, &numbers[i * 7 % numbers.len()]] {
            let (got, wanted) = (registers(a, b), results::<Plain<MOST>>(a, b));
            for (n, (got, wanted)) in got.into_iter().zip(wanted).enumerate() {
                assert_eq!(bits(got), bits(wanted), "function {n} of {a:?} and {b:?}");
            }
        }
    }
}

/// Looks where [`turned`] puts the numbers of rows.
pub(in crate::quant) fn rows_are_turned(turned: impl Fn(&[&[f32; 24]; MOST]) -> [[f32; MOST]; 24]) {
    let numbers: [f32; MOST * 24] = std::array::from_fn(|i| i as f32);
    let rows = std::array::from_fn(|i| &numbers.as_chunks().0[i]);
    for (n, lanes) in turned(&rows).iter().enumerate() {
        for (lane, &x) in lanes.iter().enumerate() {
            assert_eq!(x, numbers[24 * lane + n]);
        }
    }
}

/// Numbers of all kinds: around whole numbers, halves and borders between values, tiny, huge, none.
fn numbers() -> Vec<[f32; MOST]> {
    let mut all = vec![
        0.0,
        -0.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN_POSITIVE / 2.0,
    ];
    for i in 0..400_i16 {
        let half = f32::from(i) / 2.0 - 100.0;
        all.extend([half, half.next_up(), half.next_down()]);
    }
    for i in 0..2600_i16 {
        all.push(f32::from(i) / 10.0 - 130.0);
    }
    for pair in VALUES.windows(2) {
        let middle = (pair[0] + pair[1]) / 2.0;
        let (mut below, mut above) = (middle, middle);
        for _ in 0..8 {
            (below, above) = (below.next_down(), above.next_up());
            all.extend([below, above]);
        }
    }
    for exponent in 0..=254_u32 {
        for mantissa in [0, 1, 0x2a_aaaa, 0x55_5555, 0x7f_ffff] {
            let x = f32::from_bits(exponent << 23 | mantissa);
            all.extend([x, -x]);
        }
    }
    all.as_chunks().0.to_vec()
}

/// Bits, where all NaNs are one.
fn bits(numbers: [f32; MOST]) -> [u32; MOST] {
    numbers.map(|x| if x.is_nan() { !0 } else { x.to_bits() })
}
