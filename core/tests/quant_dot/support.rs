//! Rows to multiply, and the product that is expected.

#![expect(clippy::unwrap_used, reason = "called by tests only")]

use tenspan::quant::dot::Activation;
use tenspan::quant::kernel::InstructionSet;
use tenspan::quant::{Codec, codec, decode_rows, encode_rows};
use tenspan::{DType, DTypeName};

/// Elements whose scale `q8_k` shares.
const SUPERBLOCK: usize = 256;

/// Bytes from a seed.
pub fn noise(mut state: u64, len: usize) -> Vec<u8> {
    (0..len)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .collect()
}

/// Numbers from -1 to 1 times a power of two that changes every 16.
pub fn vector(seed: u64, len: usize) -> Vec<f64> {
    let bytes = noise(seed, 2 * len);
    let numbers = bytes.as_chunks().0.iter().enumerate();
    numbers
        .map(|(i, pair)| {
            let power = (seed >> (i / 16 % 16 * 4) & 7) as i32;
            f64::from(i16::from_le_bytes(*pair)) / 32768.0 * 2f64.powi(power - 4)
        })
        .collect()
}

/// The bytes of random blocks, without those that decode to anything but finite numbers.
pub fn finite_blocks(codec: &dyn Codec, seed: u64, count: usize) -> Vec<u8> {
    let mut blocks = Vec::new();
    let mut seed = seed;
    while blocks.len() < count * codec.block_bytes() {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let block = noise(seed, codec.block_bytes());
        // Numbers so large that their products leave the range are of no use either.
        if decode(codec.dtype(), &block).iter().all(|x| x.abs() < 1e15) {
            blocks.extend(block);
        }
    }
    blocks
}

/// The floats of packed elements.
pub fn decode(dtype: DTypeName, bytes: &[u8]) -> Vec<f32> {
    let info = DType::Known(dtype);
    let len = bytes.len() / info.block_bytes() as usize * info.block_len() as usize;
    let mut floats = vec![0.0; len];
    decode_rows(dtype, bytes, &mut floats).unwrap();
    floats
}

/// What a vector becomes beside a format: its floats rounded to the partner.
pub fn rounded(codec: &dyn Codec, x: &[f64]) -> Vec<f64> {
    let Some(partner) = codec.partner() else {
        return x.to_vec();
    };
    let floats: Vec<f32> = x.iter().map(|x| *x as f32).collect();
    let info = DType::Known(partner);
    let mut bytes = vec![0; x.len() / info.block_len() as usize * info.block_bytes() as usize];
    let row = if partner == DTypeName::Q8K {
        SUPERBLOCK
    } else {
        32
    };
    encode_rows(partner, &floats, row, None, &mut bytes).unwrap();
    decode(partner, &bytes).into_iter().map(f64::from).collect()
}

/// The sum of products in `float64`, and that of their magnitudes.
pub fn exact(weights: &[f32], x: &[f64]) -> (f64, f64) {
    assert_eq!(weights.len(), x.len());
    weights
        .iter()
        .zip(x)
        .fold((0.0, 0.0), |(sum, all), (w, x)| {
            let product = f64::from(*w) * x;
            (sum + product, all + product.abs())
        })
}

/// The product on each set that is there.
pub fn products(dtype: DTypeName, row: &[u8], x: &[f64]) -> Vec<(InstructionSet, f64)> {
    let available = InstructionSet::ALL
        .into_iter()
        .filter(|set| set.is_available());
    available
        .map(|set| {
            let x = Activation::with(set, dtype, x).unwrap();
            (set, x.dot(row).unwrap())
        })
        .collect()
}

/// Checks the product of a row and a vector on every set.
pub fn check(dtype: DTypeName, row: &[u8], x: &[f64], tolerance: f64) {
    let (wanted, all) = exact(&decode(dtype, row), &rounded(codec(dtype).unwrap(), x));
    for (set, got) in products(dtype, row, x) {
        assert!(
            (got - wanted).abs() <= tolerance * all,
            "{} {}: {got} instead of {wanted}, of {all} in all",
            dtype.as_str(),
            set.name()
        );
    }
}
