//! What was recorded comes out again, bit for bit.

use tenspan::DTypeName;
use tenspan::quant::float8::{E4M3FN, E5M2};
use tenspan::quant::{Codec, bfloat16, decode_rows, encode_rows, float16};

use crate::vectors::{
    Inputs, ROW, Vectors, block_codecs, class_bits, digest, floats, generated, halves, number,
    read, read_index, undefined,
};

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
            let Some(weights) = inputs.of(bytes_of) else {
                continue;
            };
            let importance = name.ends_with("_importance").then(|| inputs.importance());
            let mut wanted = vectors.part(&bytes_of["encoded"]).to_vec();
            let mut out = vec![0xaa; wanted.len()];
            encode_rows(codec.dtype(), &weights, ROW, importance, &mut out).unwrap();
            let row_bytes = wanted.len() / (weights.len() / ROW);
            for range in undefined(bytes_of, row_bytes) {
                wanted[range.clone()].copy_from_slice(&out[range]);
            }
            for (row, (out, wanted)) in out
                .chunks(row_bytes)
                .zip(wanted.chunks(row_bytes))
                .enumerate()
            {
                assert_eq!(out, wanted, "{} {name} row {row}", codec.dtype().as_str());
            }
            count += 1;
        }
        // Rows, traps and rows at the edge, where GGML has an encoder for users.
        let wanted = if codec.needs_importance() { 3 } else { 2 };
        assert!(
            count >= wanted,
            "{} has only {count} encode cases",
            codec.dtype().as_str()
        );
    }
}

#[test]
fn rows_that_ggml_gets_wrong_come_back_nearer() {
    let inputs = Inputs::load();
    let mut deviating = Vec::new();
    for codec in block_codecs() {
        let vectors = Vectors::of(codec);
        for case in vectors.cases() {
            let Some(rows) = case["deviating_rows"].as_array() else {
                continue;
            };
            let name = case["case"].as_str().unwrap();
            let importance = name.ends_with("_importance").then(|| inputs.importance());
            let theirs = vectors.part(&case["encoded"]);
            let row_bytes = theirs.len() / (inputs.of(case).unwrap().len() / ROW);
            for row in rows.iter().map(number) {
                let weights = &inputs.of(case).unwrap()[row * ROW..][..ROW];
                let mut ours = vec![0; row_bytes];
                encode_rows(codec.dtype(), weights, ROW, importance, &mut ours).unwrap();
                let error = |blocks: &[u8]| {
                    let errors = vectors.decode(blocks).into_iter().zip(weights);
                    errors.map(|(x, y)| (x - y).powi(2)).sum::<f32>()
                };
                let theirs = error(&theirs[row * row_bytes..][..row_bytes]);
                assert!(
                    error(&ours) < theirs / 4.0,
                    "{} against {theirs}",
                    error(&ours)
                );
                deviating.push((codec.dtype(), row));
            }
        }
    }
    assert_eq!(deviating, [(DTypeName::Iq3S, 15), (DTypeName::Iq3S, 15)]);
}

#[test]
fn encoding_many_generated_rows_gives_the_recorded_digests() {
    let (weights, importance) = generated();
    // Down to where the searches take weights for zero, and below.
    let rows = weights.chunks(ROW).zip(0i32..);
    let small: Vec<f32> = rows
        .flat_map(|(row, i)| row.iter().map(move |x| x * 2f32.powi(-(i / 4))))
        .collect();
    let mut without = Vec::new();
    for codec in block_codecs() {
        let recorded = &Vectors::of(codec).index["generated_digests"];
        if recorded.is_null() {
            without.push(codec.dtype());
            continue;
        }
        let importance = Some(&importance[..]);
        for (name, weights, importance) in [
            ("plain", &weights, None),
            ("importance", &weights, importance),
            ("small", &small, None),
            ("small_importance", &small, importance),
        ] {
            if importance.is_none() && codec.needs_importance() {
                assert!(recorded[name].is_null());
                continue;
            }
            let mut out = vec![0; weights.len() / codec.block_len() * codec.block_bytes()];
            encode_rows(codec.dtype(), weights, ROW, importance, &mut out).unwrap();
            let wanted = recorded[name].as_array().unwrap();
            for (i, out) in out.chunks(out.len() / wanted.len()).enumerate() {
                let ours = digest(out.iter().copied());
                assert_eq!(
                    &ours,
                    wanted[i].as_str().unwrap(),
                    "{} {name} rows from {}",
                    codec.dtype().as_str(),
                    16 * i
                );
            }
        }
    }
    // Those that libgguf does not have.
    assert_eq!(without, [DTypeName::Q20, DTypeName::Q81, DTypeName::Q8K]);
}

#[test]
fn decoding_gives_the_recorded_bits() {
    for codec in block_codecs() {
        let vectors = Vectors::of(codec);
        for case in vectors.cases() {
            let what = format!("{} {}", codec.dtype().as_str(), case["case"]);
            let decoded = vectors.decode(vectors.part(&case["encoded"]));
            if let Some(digests) = case["row_digests"].as_array() {
                assert_eq!(decoded.len().div_ceil(ROW), digests.len(), "{what}");
                for (row, (decoded, wanted)) in decoded.chunks(ROW).zip(digests).enumerate() {
                    let bytes = decoded.iter().flat_map(|x| class_bits(*x).to_le_bytes());
                    assert_eq!(&digest(bytes), wanted.as_str().unwrap(), "{what} row {row}");
                }
                continue;
            }
            if case["decoded"].is_null() {
                // GGML has no decoder that it would be a result of.
                assert_eq!(case["case"], "edge_chunk", "{what}");
                continue;
            }
            let wanted = floats(vectors.part(&case["decoded"]));
            assert_eq!(decoded.len(), wanted.len(), "{what}");
            for (i, (ours, wanted)) in decoded.iter().zip(&wanted).enumerate() {
                assert_eq!(
                    class_bits(*ours),
                    class_bits(*wanted),
                    "{what} element {i}: {ours} {wanted}"
                );
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
            assert_eq!(
                ours,
                wanted,
                "{} of {x:e} ({:#x})",
                name.as_str(),
                x.to_bits()
            );
            if !x.is_nan() {
                assert_eq!(
                    from_f64(f64::from(*x)),
                    wanted,
                    "{} of the double {x:e}",
                    name.as_str()
                );
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
    for (i, (out, wanted)) in out
        .chunks(256)
        .zip(index["float16_to_float32"].as_array().unwrap())
        .enumerate()
    {
        // Payloads of NaNs included.
        let ours = digest(out.iter().flat_map(|x| x.to_bits().to_le_bytes()));
        assert_eq!(
            &ours,
            wanted.as_str().unwrap(),
            "codes {:#x} and following",
            i * 256
        );
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
            assert_eq!(
                class_bits(*ours),
                class_bits(wanted),
                "{} code {code:#x}",
                format.dtype().as_str()
            );
        }
    }
    assert!(rest.is_empty());
}
