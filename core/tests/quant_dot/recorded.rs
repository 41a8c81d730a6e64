//! The sums that GGML's blocks and activations have in `float64`, recorded with its own results.

#![expect(clippy::unwrap_used, reason = "a broken vector file ends the test")]

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tenspan::DTypeName;
use tenspan::quant::{CODECS, Codec};

use super::support::products;

/// Elements of a row of encoded weights, and of a row of random blocks.
const ROWS: [(&str, usize); 2] = [("chunk", 512), ("random_blocks", 256)];

fn read(file: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/vectors/quant");
    fs::read(PathBuf::from(folder).join(file)).unwrap()
}

fn index(file: &str) -> Value {
    serde_json::from_slice(&read(file)).unwrap()
}

fn part<'a>(bytes: &'a [u8], range: &Value) -> &'a [u8] {
    let number = |i: usize| usize::try_from(range[i].as_u64().unwrap()).unwrap();
    &bytes[number(0)..number(0) + number(1)]
}

fn doubles(bytes: &[u8]) -> Vec<f64> {
    let words = bytes.as_chunks().0.iter();
    words.map(|b| f64::from_le_bytes(*b)).collect()
}

/// The blocks of a recorded case.
fn blocks(codec: &dyn Codec, case: &str) -> Vec<u8> {
    let name = codec.dtype().as_str();
    let index = index(&format!("{name}.json"));
    let cases = index["cases"].as_array().unwrap();
    let case = cases.iter().find(|found| found["case"] == case).unwrap();
    part(&read(&format!("{name}.bin")), &case["encoded"]).to_vec()
}

#[test]
fn sums_are_those_of_the_decoded_operands_of_ggml() {
    let (index, bytes) = (index("product.json"), read("product.bin"));
    let activations: Vec<f64> = part(&bytes, &index["activations"])
        .as_chunks()
        .0
        .iter()
        .map(|b| f64::from(f32::from_le_bytes(*b)))
        .collect();
    let formats = index["formats"].as_array().unwrap();
    for &codec in CODECS {
        let name = codec.dtype().as_str();
        let found = formats.iter().find(|format| format["dtype"] == name);
        // GGML makes no products with rows of its activation types but `q8_0`.
        let without =
            codec.block_len() == 1 || matches!(codec.dtype(), DTypeName::Q81 | DTypeName::Q8K);
        assert_eq!(found.is_none(), without, "{name}");
        let Some(format) = found else { continue };
        for (case, len) in ROWS {
            let recorded = match case {
                "chunk" => format["case"].as_str().unwrap(),
                other => other,
            };
            let blocks = blocks(codec, recorded);
            let sums = doubles(part(&bytes, &format[case]["sums"]));
            let magnitudes = doubles(part(&bytes, &format[case]["magnitudes"]));
            let rows = blocks.chunks_exact(len / codec.block_len() * codec.block_bytes());
            let x = activations.chunks_exact(len);
            assert!(rows.len() >= sums.len() && x.len() >= sums.len());
            for (i, (row, x)) in rows.zip(x).take(sums.len()).enumerate() {
                for (set, got) in products(codec.dtype(), row, x) {
                    assert!(
                        (got - sums[i]).abs() <= 1e-5 * magnitudes[i],
                        "{name} {} {case} row {i}: {got} instead of {}",
                        set.name(),
                        sums[i]
                    );
                }
            }
        }
    }
}
