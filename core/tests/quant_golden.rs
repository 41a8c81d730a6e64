//! Codecs against the recorded results of GGML, and against arithmetic written a second time here.
//!
//! The recorded cases stand in `tests/vectors/quant`; its README tells their origin and layout. The tests
//! loop over [`CODECS`], so a new block format without vectors fails.

use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use serde_json::Value;
use tenspan::quant::float8::{E4M3FN, E5M2};
use tenspan::quant::{CODECS, Codec, bfloat16, decode_rows, encode_rows, float16};
use tenspan::{DType, DTypeName, ErrorKind};

fn read(file: &str) -> Vec<u8> {
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/quant")).join(file);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read_index(file: &str) -> Value {
    serde_json::from_slice(&read(file)).unwrap()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
}

fn halves(bytes: &[u8]) -> Vec<u16> {
    bytes.as_chunks::<2>().0.iter().map(|b| u16::from_le_bytes(*b)).collect()
}

/// The bits, with one NaN for all NaNs: their payload depends on the processor.
fn class_bits(x: f32) -> u32 {
    if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() }
}

/// FNV-1a of the bytes.
fn digest(bytes: impl Iterator<Item = u8>) -> String {
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn number(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

/// The formats whose results GGML recorded.
fn block_codecs() -> impl Iterator<Item = &'static dyn Codec> {
    CODECS.iter().copied().filter(|codec| codec.block_len() > 1)
}

/// The recorded cases of one format.
struct Vectors {
    name: DTypeName,
    index: Value,
    bytes: Vec<u8>,
}

impl Vectors {
    fn of(codec: &dyn Codec) -> Self {
        let name = codec.dtype();
        let index = read_index(&format!("{}.json", name.as_str()));
        Vectors { name, index, bytes: read(&format!("{}.bin", name.as_str())) }
    }

    /// The cases with bytes of their own.
    fn cases(&self) -> impl Iterator<Item = &Value> {
        self.index["cases"].as_array().unwrap().iter().filter(|case| case["same_as"].is_null())
    }

    fn part(&self, range: &Value) -> &[u8] {
        let (start, len) = (number(&range[0]), number(&range[1]));
        &self.bytes[start..start + len]
    }

    fn decode(&self, blocks: &[u8]) -> Vec<f32> {
        let dtype = DType::Known(self.name);
        let mut out = vec![f32::MAX; blocks.len() / dtype.block_bytes() as usize * dtype.block_len() as usize];
        decode_rows(self.name, blocks, &mut out).unwrap();
        out
    }
}

/// What the encode cases start from.
struct Inputs {
    index: Value,
    numbers: Vec<f32>,
}

const ROW: usize = 512;

impl Inputs {
    fn load() -> Self {
        Inputs { index: read_index("inputs.json"), numbers: floats(&read("inputs.bin")) }
    }

    fn rows(&self, name: &str) -> &[f32] {
        let input = &self.index["inputs"][name];
        let start = number(&input["offset"]) / 4;
        &self.numbers[start..start + number(&input["rows"]) * ROW]
    }

    fn importance(&self) -> &[f32] {
        let start = number(&self.index["inputs"]["importance"]["offset"]) / 4;
        &self.numbers[start..start + ROW]
    }
}

#[test]
fn encoding_gives_the_recorded_bytes() {
    let inputs = Inputs::load();
    for codec in block_codecs() {
        let vectors = Vectors::of(codec);
        let mut count = 0;
        // A case that is the same as another says that an importance vector changes nothing.
        for case in vectors.index["cases"].as_array().unwrap() {
            let name = case["case"].as_str().unwrap();
            let bytes_of = match case["same_as"].as_str() {
                Some(other) => vectors.cases().find(|case| case["case"] == other).unwrap(),
                None => case,
            };
            let Some(input) = bytes_of["input"].as_str() else { continue };
            let importance = name.ends_with("_importance").then(|| inputs.importance());
            let wanted = vectors.part(&bytes_of["encoded"]);
            let mut out = vec![0xaa; wanted.len()];
            encode_rows(codec.dtype(), inputs.rows(input), ROW, importance, &mut out).unwrap();
            let row_bytes = wanted.len() / (inputs.rows(input).len() / ROW);
            for (row, (out, wanted)) in out.chunks(row_bytes).zip(wanted.chunks(row_bytes)).enumerate() {
                assert_eq!(out, wanted, "{} {name} row {row}", codec.dtype().as_str());
            }
            count += 1;
        }
        assert!(count >= 6, "{} has only {count} encode cases", codec.dtype().as_str());
    }
}

#[test]
fn decoding_gives_the_recorded_bits() {
    for codec in block_codecs() {
        let vectors = Vectors::of(codec);
        for case in vectors.cases() {
            let what = format!("{} {}", codec.dtype().as_str(), case["case"]);
            let decoded = vectors.decode(vectors.part(&case["encoded"]));
            if let Some(digests) = case["row_digests"].as_array() {
                assert_eq!(decoded.len(), digests.len() * ROW, "{what}");
                for (row, (decoded, wanted)) in decoded.chunks(ROW).zip(digests).enumerate() {
                    let bytes = decoded.iter().flat_map(|x| class_bits(*x).to_le_bytes());
                    assert_eq!(&digest(bytes), wanted.as_str().unwrap(), "{what} row {row}");
                }
                continue;
            }
            let wanted = floats(vectors.part(&case["decoded"]));
            assert_eq!(decoded.len(), wanted.len(), "{what}");
            for (i, (ours, wanted)) in decoded.iter().zip(&wanted).enumerate() {
                assert_eq!(class_bits(*ours), class_bits(*wanted), "{what} element {i}: {ours} {wanted}");
            }
        }
    }
}

#[test]
fn float16_and_bfloat16_round_as_recorded() {
    let (index, bytes) = (read_index("halves.json"), read("halves.bin"));
    let count = number(&index["count"]);
    let part = |name: &str, size: usize| {
        let start = number(&index[name]);
        &bytes[start..start + count * size]
    };
    let numbers = floats(part("float32", 4));
    for (name, from_f64) in [
        (DTypeName::Float16, float16::from_f64 as fn(f64) -> u16),
        (DTypeName::Bfloat16, bfloat16::from_f64),
    ] {
        let wanted = part(name.as_str(), 2);
        let mut out = vec![0; wanted.len()];
        encode_rows(name, &numbers, 1, None, &mut out).unwrap();
        for ((x, ours), wanted) in numbers.iter().zip(halves(&out)).zip(halves(wanted)) {
            assert_eq!(ours, wanted, "{} of {x:e} ({:#x})", name.as_str(), x.to_bits());
            if !x.is_nan() {
                assert_eq!(from_f64(f64::from(*x)), wanted, "{} of the double {x:e}", name.as_str());
            }
        }
    }
}

#[test]
fn every_float16_widens_as_recorded() {
    let index = read_index("halves.json");
    let codes: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    let mut out = vec![0.0; 1 << 16];
    decode_rows(DTypeName::Float16, &codes, &mut out).unwrap();
    for (i, (out, wanted)) in out.chunks(256).zip(index["float16_to_float32"].as_array().unwrap()).enumerate() {
        // Payloads of NaNs included.
        let ours = digest(out.iter().flat_map(|x| x.to_bits().to_le_bytes()));
        assert_eq!(&ours, wanted.as_str().unwrap(), "codes {:#x} and following", i * 256);
    }
}

#[test]
fn one_byte_floats_convert_as_recorded() {
    let (index, bytes) = (read_index("float8.json"), read("float8.bin"));
    let count = number(&index["count"]);
    let numbers = floats(&bytes[..4 * count]);
    let mut rest = &bytes[4 * count..];
    for format in [E4M3FN, E5M2] {
        let (wanted, tail) = rest.split_at(count);
        let (table, tail) = tail.split_at(4 * 256);
        rest = tail;
        let mut out = vec![0; count];
        encode_rows(format.dtype(), &numbers, 1, None, &mut out).unwrap();
        for ((x, ours), wanted) in numbers.iter().zip(out).zip(wanted) {
            assert_eq!(ours, *wanted, "{} of {x:e}", format.dtype().as_str());
        }
        let codes: Vec<u8> = (0..=u8::MAX).collect();
        let mut wide = vec![0.0; 256];
        decode_rows(format.dtype(), &codes, &mut wide).unwrap();
        for (code, (ours, wanted)) in wide.iter().zip(floats(table)).enumerate() {
            assert_eq!(class_bits(*ours), class_bits(wanted), "{} code {code:#x}", format.dtype().as_str());
        }
    }
    assert!(rest.is_empty());
}

/// The exact value of a half, from its fields.
fn half(bytes: &[u8]) -> f64 {
    let bits = u16::from_le_bytes([bytes[0], bytes[1]]);
    let (exponent, mantissa) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + mantissa) * 2f64.powi(exponent - 25),
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}

/// Element `i` of one block, in double precision straight from the layout. The one product with a rounding of its own
/// in the reference is rounded here too.
fn expected(name: DTypeName, block: &[u8], i: usize) -> f32 {
    let nibble = |byte: u8, high: bool| f64::from(if high { byte >> 4 } else { byte & 15 });
    match name {
        DTypeName::Q80 => (half(block) * f64::from(block[2 + i] as i8)) as f32,
        DTypeName::Q40 => (half(block) * (nibble(block[2 + i % 16], i >= 16) - 8.0)) as f32,
        DTypeName::Q4K => {
            let group = i / 32;
            let packed = |j: usize| u32::from(block[4 + j]);
            let (scale, min) = if group < 4 {
                (packed(group) & 63, packed(group + 4) & 63)
            } else {
                (
                    packed(group + 4) & 15 | packed(group - 4) >> 6 << 4,
                    packed(group + 4) >> 4 | packed(group) >> 6 << 4,
                )
            };
            let q = nibble(block[16 + 32 * (group / 2) + i % 32], group % 2 == 1);
            (half(block) * f64::from(scale) * q - half(&block[2..]) * f64::from(min)) as f32
        }
        name => panic!("{} needs a second reading of its layout here", name.as_str()),
    }
}

/// Weights as models have them, from nearly constant to heavy-tailed, with zeros, over many magnitudes.
fn weights(len: usize) -> impl Strategy<Value = Vec<f32>> {
    let weight = prop_oneof![
        8 => -1f32..1.0,
        1 => Just(0.0),
        1 => Just(-0.0),
        1 => -30f32..30.0,
        1 => (-8i8..8).prop_map(|i| f32::from(i) / 2.0),
    ];
    (prop::collection::vec(weight, len), -6i32..12)
        .prop_map(|(weights, exponent)| weights.into_iter().map(|x| x * 2f32.powi(exponent)).collect())
}

proptest! {
    #[test]
    fn random_blocks_decode_to_what_their_layout_says(bytes in prop::collection::vec(any::<u8>(), 3 * 144)) {
        for codec in block_codecs() {
            let (len, size) = (codec.block_len(), codec.block_bytes());
            let blocks = &bytes[..bytes.len() / size * size];
            let mut out = vec![0.0; blocks.len() / size * len];
            decode_rows(codec.dtype(), blocks, &mut out).unwrap();
            for (i, ours) in out.iter().enumerate() {
                let wanted = expected(codec.dtype(), &blocks[i / len * size..][..size], i % len);
                prop_assert_eq!(class_bits(*ours), class_bits(wanted), "{} {}", codec.dtype().as_str(), i);
            }
        }
    }

    #[test]
    fn encoding_errs_by_no_more_than_a_step(weights in weights(512)) {
        for codec in block_codecs() {
            let (len, size) = (codec.block_len(), codec.block_bytes());
            let importance = vec![1.0; 512];
            for importance in [None, Some(&importance[..])] {
                let mut blocks = vec![0; 512 / len * size];
                encode_rows(codec.dtype(), &weights, 512, importance, &mut blocks).unwrap();
                let mut back = vec![0.0; 512];
                decode_rows(codec.dtype(), &blocks, &mut back).unwrap();
                for (block, (weights, back)) in weights.chunks(len).zip(back.chunks(len)).enumerate() {
                    let peak = weights.iter().fold(0f32, |peak, x| peak.max(x.abs()));
                    // Of the greatest weight: half a step of 8 bits, or of 4 bits with room for a scale that trades
                    // the outliers for the rest. The last term is the unit of subnormal scales.
                    let step = if codec.dtype() == DTypeName::Q80 { 0.0045 } else { 0.27 };
                    for (x, back) in weights.iter().zip(back) {
                        let allowed = peak * step + 128.0 * 2f32.powi(-24);
                        prop_assert!((x - back).abs() <= allowed, "{} block {}: {} {}", codec.dtype().as_str(), block, x, back);
                    }
                }
            }
        }
    }

    #[test]
    fn encoding_what_was_decoded_is_stable_for_q8_0(weights in weights(64)) {
        let (mut first, mut second) = (vec![0; 68], vec![0; 68]);
        let mut back = vec![0.0; 64];
        encode_rows(DTypeName::Q80, &weights, 64, None, &mut first).unwrap();
        decode_rows(DTypeName::Q80, &first, &mut back).unwrap();
        encode_rows(DTypeName::Q80, &back, 64, None, &mut second).unwrap();
        let mut again = vec![0.0; 64];
        decode_rows(DTypeName::Q80, &second, &mut again).unwrap();
        for (back, again) in back.iter().zip(&again) {
            prop_assert!((back - again).abs() <= back.abs() / 1024.0 + 128.0 * 2f32.powi(-24));
        }
    }

    #[test]
    fn no_floats_make_an_encoder_panic(bits in prop::collection::vec(any::<u32>(), 256)) {
        let weights: Vec<f32> = bits.iter().map(|bits| f32::from_bits(*bits)).collect();
        let importance = weights.iter().rev().copied().collect::<Vec<_>>();
        for codec in CODECS {
            let mut blocks = vec![0; 256 / codec.block_len() * codec.block_bytes()];
            encode_rows(codec.dtype(), &weights, 256, None, &mut blocks).unwrap();
            encode_rows(codec.dtype(), &weights, 256, Some(&importance), &mut blocks).unwrap();
        }
    }
}

#[test]
fn many_rows_in_parallel_equal_one_row_at_a_time() {
    let inputs = Inputs::load();
    let row = ROW * 3;
    let weights: Vec<f32> = (0..200).flat_map(|_| inputs.rows("x").to_vec()).take(row * 1000).collect();
    let importance = inputs.importance().repeat(3);
    for codec in CODECS {
        let row_bytes = row / codec.block_len() * codec.block_bytes();
        for importance in [None, Some(&importance[..])] {
            let mut whole = vec![0; 1000 * row_bytes];
            encode_rows(codec.dtype(), &weights, row, importance, &mut whole).unwrap();
            let mut decoded = vec![0.0; weights.len()];
            decode_rows(codec.dtype(), &whole, &mut decoded).unwrap();
            for i in [0, 1, 42, 500, 999] {
                let mut blocks = vec![0; row_bytes];
                encode_rows(codec.dtype(), &weights[i * row..][..row], row, importance, &mut blocks).unwrap();
                assert!(blocks == whole[i * row_bytes..][..row_bytes], "{} row {i}", codec.dtype().as_str());
                let mut floats = vec![0.0; row];
                decode_rows(codec.dtype(), &blocks, &mut floats).unwrap();
                let same = floats.iter().zip(&decoded[i * row..]).all(|(a, b)| class_bits(*a) == class_bits(*b));
                assert!(same, "{} row {i}", codec.dtype().as_str());
            }
        }
    }
}

#[test]
fn lengths_that_are_not_whole_blocks_are_refused_by_name() {
    for codec in block_codecs() {
        let (name, len, size) = (codec.dtype(), codec.block_len(), codec.block_bytes());
        let refused = |result: tenspan::Result<()>, length: usize, block: usize| {
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BlockMismatch, "{error}");
            for part in [length.to_string(), block.to_string(), name.as_str().to_owned()] {
                assert!(error.message().contains(&part), "{error} does not say {part}");
            }
        };
        refused(decode_rows(name, &vec![0; size], &mut vec![0.0; len + 1]), len + 1, len);
        refused(decode_rows(name, &vec![0; size - 1], &mut vec![0.0; len]), size - 1, size);
        refused(encode_rows(name, &vec![0.0; len - 1], len - 1, None, &mut vec![0; size]), len - 1, len);
        // Two rows that are whole blocks only together.
        refused(encode_rows(name, &vec![0.0; 2 * len + len], len / 2, None, &mut vec![0; 3 * size]), len / 2, len);
    }
}

#[test]
fn lengths_that_disagree_are_a_shape_mismatch() {
    let kind = |result: tenspan::Result<()>| result.unwrap_err().kind();
    let weights = [0.0; 64];
    let q8 = DTypeName::Q80;
    assert_eq!(kind(decode_rows(q8, &[0; 34], &mut [0.0; 64])), ErrorKind::ShapeMismatch);
    assert_eq!(kind(encode_rows(q8, &weights, 64, None, &mut [0; 34])), ErrorKind::ShapeMismatch);
    assert_eq!(kind(encode_rows(q8, &weights[..32], 64, None, &mut [0; 34])), ErrorKind::ShapeMismatch);
    assert_eq!(kind(encode_rows(q8, &weights, 64, Some(&[1.0; 32]), &mut [0; 68])), ErrorKind::ShapeMismatch);
    assert_eq!(kind(encode_rows(q8, &weights, 0, None, &mut [0; 68])), ErrorKind::ShapeMismatch);
}

#[test]
fn nothing_encodes_to_nothing() {
    for codec in CODECS {
        encode_rows(codec.dtype(), &[], 0, None, &mut []).unwrap();
        encode_rows(codec.dtype(), &[], codec.block_len(), None, &mut []).unwrap();
        decode_rows(codec.dtype(), &[], &mut []).unwrap();
    }
}

#[test]
fn a_dtype_without_codec_is_an_unsupported_conversion() {
    let error = decode_rows(DTypeName::Int8, &[0; 4], &mut [0.0; 4]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::UnsupportedConversion);
    assert!(error.message().contains("int8"), "{error}");
}
