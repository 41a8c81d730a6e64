//! The files of vectors, and comparison by bits.

#![expect(
    clippy::unwrap_used,
    reason = "called by tests only; a broken vector file ends them"
)]

use std::fs;
use std::ops::Range;
use std::path::PathBuf;

use serde_json::Value;
use tenspan::quant::{CODECS, Codec, decode_rows};
use tenspan::{DType, DTypeName};

/// The bytes of a vector file.
pub fn read(file: &str) -> Vec<u8> {
    let path = PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/vectors/quant"
    ))
    .join(file);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The index beside it.
pub fn read_index(file: &str) -> Value {
    serde_json::from_slice(&read(file)).unwrap()
}

/// Little-endian `float32`.
pub fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes
        .as_chunks::<4>()
        .0
        .iter()
        .map(|b| f32::from_le_bytes(*b))
        .collect()
}

/// Little-endian 16-bit codes.
pub fn halves(bytes: &[u8]) -> Vec<u16> {
    bytes
        .as_chunks::<2>()
        .0
        .iter()
        .map(|b| u16::from_le_bytes(*b))
        .collect()
}

/// The bits, with one NaN for all NaNs: their payload depends on the processor.
pub fn class_bits(x: f32) -> u32 {
    if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() }
}

/// FNV-1a of the bytes.
pub fn digest(bytes: impl Iterator<Item = u8>) -> String {
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// A size out of an index.
pub fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// The formats whose results GGML recorded.
pub fn block_codecs() -> impl Iterator<Item = &'static dyn Codec> {
    CODECS.iter().copied().filter(|codec| codec.block_len() > 1)
}

/// No importance, where the format can do without, and this one.
pub fn importances<'a>(codec: &dyn Codec, importance: &'a [f32]) -> Vec<Option<&'a [f32]>> {
    let plain = (!codec.needs_importance()).then_some(None);
    plain.into_iter().chain([Some(importance)]).collect()
}

/// The recorded cases of one format.
pub struct Vectors {
    name: DTypeName,
    pub index: Value,
    bytes: Vec<u8>,
}

impl Vectors {
    pub fn of(codec: &dyn Codec) -> Self {
        let name = codec.dtype();
        let index = read_index(&format!("{}.json", name.as_str()));
        Vectors {
            name,
            index,
            bytes: read(&format!("{}.bin", name.as_str())),
        }
    }

    /// The cases with bytes of their own.
    pub fn cases(&self) -> impl Iterator<Item = &Value> {
        self.index["cases"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|case| case["same_as"].is_null())
    }

    pub fn part(&self, range: &Value) -> &[u8] {
        let (start, len) = (number(&range[0]), number(&range[1]));
        &self.bytes[start..start + len]
    }

    pub fn decode(&self, blocks: &[u8]) -> Vec<f32> {
        let dtype = DType::Known(self.name);
        let mut out = vec![
            f32::MAX;
            blocks.len() / dtype.block_bytes() as usize * dtype.block_len() as usize
        ];
        decode_rows(self.name, blocks, &mut out).unwrap();
        out
    }
}

/// The bytes of an encode case that are not compared: what GGML leaves undefined, and the rows that
/// it gets wrong.
pub fn undefined(case: &Value, row_bytes: usize) -> Vec<Range<usize>> {
    let list = |name: &str| case[name].as_array().cloned().unwrap_or_default();
    let bytes = list("undefined")
        .into_iter()
        .map(|range| number(&range[0])..number(&range[1]));
    let rows = list("deviating_rows")
        .into_iter()
        .map(|row| number(&row) * row_bytes..(number(&row) + 1) * row_bytes);
    bytes.chain(rows).collect()
}

/// What the encode cases start from.
pub struct Inputs {
    index: Value,
    numbers: Vec<f32>,
}

/// Columns of every recorded row.
pub const ROW: usize = 512;

impl Inputs {
    pub fn load() -> Self {
        Inputs {
            index: read_index("inputs.json"),
            numbers: floats(&read("inputs.bin")),
        }
    }

    pub fn rows(&self, name: &str) -> &[f32] {
        let input = &self.index["inputs"][name];
        let start = number(&input["offset"]) / 4;
        &self.numbers[start..start + number(&input["rows"]) * ROW]
    }

    /// The rows that a case encodes: those of its input, or some of them.
    pub fn of(&self, case: &Value) -> Option<Vec<f32>> {
        let rows = self.rows(case["input"].as_str()?);
        let Some(chosen) = case["rows"].as_array() else {
            return Some(rows.to_vec());
        };
        let rows = chosen.iter().map(|row| &rows[number(row) * ROW..][..ROW]);
        Some(rows.flatten().copied().collect())
    }

    pub fn importance(&self) -> &[f32] {
        let start = number(&self.index["inputs"]["importance"]["offset"]) / 4;
        &self.numbers[start..start + ROW]
    }
}

/// 256 rows of weights, bell-shaped, heavy-tailed or shifted, and an importance vector. All
/// arithmetic is exact or rounded once, so any language makes the same ones.
pub fn generated() -> (Vec<f32>, Vec<f32>) {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as i32
    };
    let mut weights = Vec::with_capacity(256 * ROW);
    for row in 0..256 {
        for _ in 0..ROW {
            let x = (next() + next() + next() - (3 << 23)) as f32 * 2f32.powi(-23);
            let x = match row % 3 {
                0 => x,
                1 => x * x * x,
                _ => x + 1.5,
            };
            weights.push(x * 2f32.powi(row % 8 - 6));
        }
    }
    let importance = (0..ROW)
        .map(|_| (next() as f32 * 2f32.powi(-24)).powi(2))
        .collect();
    (weights, importance)
}
