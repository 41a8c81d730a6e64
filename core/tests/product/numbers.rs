//! Rows of numbers from a seed, as they lie in memory.

#![expect(clippy::unwrap_used, reason = "called by tests only")]

use half::{bf16, f16};
use tenspan::DType;
use tenspan::product::Row;
use tenspan::quant::float8::{E4M3FN, E5M2};

/// Every dtype that holds numbers.
pub const NUMBERS: [DType; 16] = [
    DType::F64,
    DType::F32,
    DType::F16,
    DType::BF16,
    DType::F8_E4M3,
    DType::F8_E5M2,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::C64,
    DType::C128,
];

/// A row in memory.
pub struct Layout {
    memory: Vec<u8>,
    first: usize,
    stride: isize,
    /// Numbers in the row.
    pub len: usize,
}

impl Layout {
    /// Numbers so many sizes of a number apart.
    pub fn new(dtype: DType, seed: u64, len: usize, stride: isize, offset: usize) -> Self {
        let size = dtype.block_bytes() as isize;
        Layout::of_bytes(dtype, seed, len, stride * size, offset)
    }

    /// Numbers so many bytes apart; where they overlap, later ones go over earlier ones.
    pub fn of_bytes(dtype: DType, seed: u64, len: usize, stride: isize, offset: usize) -> Self {
        let size = dtype.block_bytes() as usize;
        // Floats that overlap would be any bits.
        let stride = match stride.unsigned_abs() < size && stride != 0 {
            true => stride.signum() * size as isize,
            false => stride,
        };
        let reach = stride.unsigned_abs() * len.max(1).saturating_sub(1);
        let first = offset + if stride < 0 { reach } else { 0 };
        let mut memory = vec![0xa5; offset + reach + size];
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678;
        for i in 0..len {
            let at = first as isize + i as isize * stride;
            let place = &mut memory[at as usize..][..size];
            let parts = if matches!(dtype, DType::C64 | DType::C128) {
                2
            } else {
                1
            };
            for part in place.chunks_exact_mut(size / parts) {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                part.copy_from_slice(&number(dtype, state >> 16 ^ state >> 40));
            }
        }
        Layout {
            memory,
            first,
            stride,
            len,
        }
    }

    /// The row.
    pub fn row(&self, dtype: DType) -> Row<'_> {
        let (first, len) = (self.first as u64, self.len as u64);
        Row::strided(dtype, &self.memory, first, self.stride as i64, len).unwrap()
    }

    /// The bytes of the numbers, one after another.
    pub fn packed(&self, dtype: DType) -> Vec<u8> {
        let size = dtype.block_bytes() as usize;
        let at = |i: usize| (self.first as isize + i as isize * self.stride) as usize;
        (0..self.len)
            .flat_map(|i| self.memory[at(i)..][..size].to_vec())
            .collect()
    }
}

/// A finite number from some bits; whole numbers are any, among floats are subnormals.
fn number(dtype: DType, bits: u64) -> Vec<u8> {
    let power = (bits >> 50) as i32 % 9 - 6;
    let x = f64::from(bits as u32 as i32) / 2f64.powi(31) * 2f64.powi(power);
    match dtype {
        DType::F8_E4M3 => vec![bits as u8 & if bits & 0x70 == 0x70 { 0xf7 } else { 0xff }],
        DType::F8_E5M2 => vec![bits as u8 & if bits & 0x7c == 0x7c { 0xdf } else { 0xff }],
        DType::F16 if bits & 7 == 0 => ((bits >> 8) as u16 & 0x83ff).to_le_bytes().to_vec(),
        _ if dtype.dlpack_code().is_some_and(|code| code < 2) => {
            bits.rotate_left(23).to_le_bytes()[..dtype.block_bytes() as usize].to_vec()
        }
        _ => encode(dtype, x),
    }
}

/// A number as it is stored; a part of a complex one.
pub fn encode(dtype: DType, x: f64) -> Vec<u8> {
    match dtype {
        DType::F64 | DType::C128 => x.to_le_bytes().to_vec(),
        DType::F32 | DType::C64 => (x as f32).to_le_bytes().to_vec(),
        DType::F16 => f16::from_f64(x).to_le_bytes().to_vec(),
        DType::BF16 => bf16::from_f64(x).to_le_bytes().to_vec(),
        DType::F8_E4M3 => vec![E4M3FN.from_f64(x)],
        DType::F8_E5M2 => vec![E5M2.from_f64(x)],
        _ => (x as i128).to_le_bytes()[..dtype.block_bytes() as usize].to_vec(),
    }
}

/// The values of packed floats, or of the parts of complex numbers.
pub fn decode(dtype: DType, bytes: &[u8]) -> Vec<f64> {
    let eight = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().unwrap());
    let four = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().unwrap()).into();
    let two = |bytes: &[u8]| u16::from_le_bytes(bytes.try_into().unwrap());
    match dtype {
        DType::F64 | DType::C128 => bytes.chunks(8).map(eight).collect(),
        DType::F32 | DType::C64 => bytes.chunks(4).map(four).collect(),
        DType::F16 => bytes
            .chunks(2)
            .map(|x| f16::from_bits(two(x)).into())
            .collect(),
        DType::BF16 => bytes
            .chunks(2)
            .map(|x| bf16::from_bits(two(x)).into())
            .collect(),
        DType::F8_E4M3 => bytes.iter().map(|x| E4M3FN.to_f32(*x).into()).collect(),
        DType::F8_E5M2 => bytes.iter().map(|x| E5M2.to_f32(*x).into()).collect(),
        _ => panic!("{dtype} are no floats"),
    }
}

/// The values of packed whole numbers.
pub fn decode_whole(dtype: DType, bytes: &[u8]) -> Vec<i128> {
    let size = dtype.block_bytes() as usize;
    let is_signed = dtype.dlpack_code() == Some(0);
    let read = |bytes: &[u8]| {
        let fill = if is_signed && bytes[size - 1] >> 7 == 1 {
            0xff
        } else {
            0
        };
        let mut wide = [fill; 16];
        wide[..size].copy_from_slice(bytes);
        i128::from_le_bytes(wide)
    };
    bytes.chunks(size).map(read).collect()
}

/// What is no number or infinite, and its value.
pub fn special(dtype: DType) -> Vec<(Vec<u8>, f64)> {
    match dtype {
        DType::F8_E4M3 => vec![(vec![0x7f], f64::NAN), (vec![0xff], f64::NAN)],
        DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::F8_E5M2 => {
            [f64::NAN, f64::INFINITY, f64::NEG_INFINITY]
                .map(|x| (encode(dtype, x), x))
                .to_vec()
        }
        _ => vec![],
    }
}
