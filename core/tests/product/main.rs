//! Kernels of products against an exact reference, for every dtype, metric, instruction set and layout.

#![allow(
    unexpected_cfgs,
    reason = "`cargo verify` sets `sanitized` under AddressSanitizer"
)]
#![expect(clippy::unwrap_used, reason = "these are tests")]

mod numbers;
mod reference;

use proptest::prelude::*;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use tenspan::product::{Metric, Number, Row, pair_with};
use tenspan::quant::kernel::InstructionSet;
use tenspan::{DType, ErrorKind};

use numbers::{Layout, NUMBERS, encode, special};
use reference::{Expected, expected, near};

/// The instruction sets of this processor.
fn sets() -> impl Iterator<Item = InstructionSet> {
    InstructionSet::ALL
        .into_iter()
        .filter(|set| set.is_available())
}

fn bits(number: Number) -> [u128; 2] {
    match number {
        Number::Real(x) if x.is_nan() => [1, 0],
        Number::Real(x) => [x.to_bits().into(), 2],
        Number::Whole(x) => [x as u128, 3],
        Number::Complex(x) => [x.re.to_bits().into(), x.im.to_bits().into()],
    }
}

/// Checks every metric of two rows against the reference, and against that of packed copies.
fn check(dtype: DType, a: &Layout, b: &Layout) {
    let (x, y) = (a.packed(dtype), b.packed(dtype));
    let packed = |bytes| Row::packed(dtype, bytes).unwrap();
    for metric in Metric::ALL {
        for fast in [false, true] {
            // Under a sanitizer long rows are only read: what they come to is shown without it, and takes long.
            let wanted = if cfg!(sanitized) && a.len > 1 << 20 {
                None
            } else {
                Some(expected(dtype, metric, fast, &x, &y))
            };
            for set in sets() {
                let got = pair_with(set, metric, a.row(dtype), b.row(dtype), fast);
                let place = || format!("{set:?} {dtype} {} fast: {fast}, {}", metric.name(), a.len);
                if let (Err(error), Some(Expected::Unknown)) = (&got, &wanted) {
                    assert_eq!(error.kind(), ErrorKind::OverflowError, "{}", place());
                    continue;
                }
                let got = got.unwrap();
                if let Some(wanted) = &wanted {
                    assert!(near(got, wanted), "{}: {got:?}, not {wanted:?}", place());
                }
                let of_copies = pair_with(set, metric, packed(&x), packed(&y), fast).unwrap();
                assert_eq!(
                    bits(got),
                    bits(of_copies),
                    "{}: {got:?}, {of_copies:?}",
                    place()
                );
            }
        }
    }
}

#[test]
fn every_length_from_none_to_some_registers() {
    for dtype in NUMBERS {
        for len in 0..=140 {
            let (a, b) = (
                Layout::new(dtype, 3, len, 1, 0),
                Layout::new(dtype, 4, len, 1, 1),
            );
            check(dtype, &a, &b);
        }
    }
}

#[test]
fn rows_longer_than_a_run_and_a_tile() {
    NUMBERS.par_iter().for_each(|&dtype| {
        for len in [4097, 70_003] {
            let a = Layout::new(dtype, 5, len, 1, 1);
            let b = Layout::new(dtype, 6, len, -2, 3);
            check(dtype, &a, &a);
            check(dtype, &a, &b);
        }
    });
}

#[test]
fn rows_so_long_that_they_are_added_in_two_places() {
    // Of each kernel that does so one; the rows are long.
    let dtypes = [
        DType::F64,
        DType::F32,
        DType::F8_E4M3,
        DType::I8,
        DType::C64,
    ];
    dtypes.par_iter().for_each(|&dtype| {
        let len = (1 << 23) / dtype.block_bytes() as usize + 5003;
        let a = Layout::new(dtype, 7, len, 1, 1);
        let b = Layout::new(dtype, 8, len, -2, 3);
        check(dtype, &a, &b);
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_stride_and_any_offset(
        dtype in prop::sample::select(&NUMBERS[..]),
        seeds in any::<[u32; 2]>(),
        len in 0..400usize,
        strides in prop::array::uniform2(-5..=5isize),
        extra in prop::array::uniform2(-3..=3isize),
        offsets in prop::array::uniform2(0..9usize),
    ) {
        let size = dtype.block_bytes() as isize;
        let layout = |i: usize| {
            let stride = strides[i] * size + if strides[i] == 0 { 0 } else { extra[i] };
            Layout::of_bytes(dtype, seeds[i].into(), len, stride, offsets[i])
        };
        check(dtype, &layout(0), &layout(1));
    }
}

/// What stands in one place among ones makes the same kind of number on every instruction set.
#[test]
fn what_is_no_number_or_infinite_shows_wherever_it_stands() {
    for dtype in NUMBERS {
        for (bytes, value) in special(dtype) {
            for (len, at) in [(1, 0), (3, 2), (32, 31), (77, 40), (100, 99), (5000, 4999)] {
                let one = encode(dtype, 1.0);
                let ones = one.repeat(len);
                let mut other = ones.clone();
                other[at * one.len()..][..one.len()].copy_from_slice(&bytes);
                let (a, b) = (Row::packed(dtype, &other), Row::packed(dtype, &ones));
                let (a, b) = (a.unwrap(), b.unwrap());
                for set in sets() {
                    for fast in [false, true] {
                        let of = |metric| match pair_with(set, metric, a, b, fast) {
                            Ok(Number::Real(x)) => x,
                            other => panic!("{other:?}"),
                        };
                        let place = format!("{set:?} {dtype} {len} {at} fast: {fast}");
                        let same = |x: f64, y: f64| x == y || x.is_nan() && y.is_nan();
                        assert!(same(of(Metric::Dot), value), "{place} {}", of(Metric::Dot));
                        let squares = of(Metric::Sqeuclidean);
                        assert!(same(squares, value * value), "{place} {squares}");
                        assert!(of(Metric::Angular).is_nan(), "{place}");
                    }
                }
            }
        }
    }
}

#[test]
fn whole_numbers_at_their_limits_do_not_wrap() {
    for (dtype, least, most) in [
        (DType::I8, -128i128, 127i128),
        (DType::U8, 0, 255),
        (DType::I16, -32768, 32767),
        (DType::U16, 0, 65535),
        (DType::I32, i32::MIN.into(), i32::MAX.into()),
        (DType::U32, 0, u32::MAX.into()),
        (DType::I64, i64::MIN.into(), i64::MAX.into()),
        (DType::U64, 0, u64::MAX.into()),
    ] {
        let size = dtype.block_bytes() as usize;
        for len in [1usize, 64, 65_536, 200_001] {
            for (x, y) in [(least, least), (most, most), (least, most)] {
                let rows = [x, y].map(|x| x.to_le_bytes()[..size].repeat(len));
                let [a, b] = [0, 1].map(|i| Row::packed(dtype, &rows[i]).unwrap());
                for set in sets() {
                    let of = |metric| pair_with(set, metric, a, b, false);
                    let product = x.checked_mul(y).and_then(|x| x.checked_mul(len as i128));
                    match product {
                        Some(sum) => assert_eq!(of(Metric::Dot).unwrap(), Number::Whole(sum)),
                        None => {
                            let error = of(Metric::Dot).unwrap_err();
                            assert_eq!(error.kind(), ErrorKind::OverflowError);
                        }
                    }
                    let square = (x - y).checked_mul(x - y);
                    if let Some(sum) = square.and_then(|x| x.checked_mul(len as i128)) {
                        assert_eq!(of(Metric::Sqeuclidean).unwrap(), Number::Whole(sum));
                    }
                }
            }
        }
    }
}

#[test]
fn what_makes_no_pair_is_refused() {
    let bytes = [0u8; 16];
    let row = |dtype, len: usize| Row::packed(dtype, &bytes[..len]).unwrap();
    let kind = |a, b| {
        let error = pair_with(InstructionSet::Scalar, Metric::Dot, a, b, false);
        error.unwrap_err().kind()
    };
    assert_eq!(
        kind(row(DType::F32, 8), row(DType::F64, 16)),
        ErrorKind::TypeError
    );
    assert_eq!(
        kind(row(DType::BOOL, 8), row(DType::BOOL, 8)),
        ErrorKind::TypeError
    );
    assert_eq!(
        kind(row(DType::F32, 8), row(DType::F32, 12)),
        ErrorKind::ShapeMismatch
    );
}
