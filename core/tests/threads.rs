//! Results do not depend on how many threads there are: few rows, many, and a single long one.

#![expect(clippy::unwrap_used, reason = "tests")]

use tenspan::generated::dictionaries::QuantizeOptions;
use tenspan::quant::{CODECS, Codec, decode_rows, encode_rows};
use tenspan::{
    DType, Tensor, cast, from_bytes, get_num_threads, matvec, quantize, set_num_threads,
};

/// Rows and their lengths: worth spreading for formats that search, and for all.
const SHAPES: [(usize, usize); 4] = [(2, 1024), (3, 2816), (1, 16384), (130, 512)];

fn weights(len: usize) -> Vec<f32> {
    let wave = |i: usize| ((i * 37 % 1009) as f32 - 500.0) / 160.0 * (1.0 + (i % 7) as f32);
    (0..len).map(wave).collect()
}

fn tensor(floats: &[f32], shape: &[u64]) -> Tensor {
    let bytes: Vec<u8> = floats.iter().flat_map(|x| x.to_ne_bytes()).collect();
    from_bytes(&bytes, shape, DType::F32).unwrap()
}

/// All that is made of some rows, as bytes.
fn made(codec: &dyn Codec, rows: usize, len: usize) -> Vec<Vec<u8>> {
    let floats = weights(rows * len);
    let importance: Vec<f32> = (0..len).map(|i| (i % 13) as f32 / 4.0 + 0.25).collect();
    let (name, dtype) = (codec.dtype(), DType::Known(codec.dtype()));
    let size = rows * len / codec.block_len() * codec.block_bytes();
    let mut made = Vec::new();
    let ways = [None, Some(&importance)];
    for importance in ways
        .iter()
        .filter(|way| way.is_some() || !codec.needs_importance())
    {
        let mut blocks = vec![0; size];
        encode_rows(
            name,
            &floats,
            len,
            importance.map(|all| &all[..]),
            &mut blocks,
        )
        .unwrap();
        let x = tensor(&floats, &[rows as u64, len as u64]);
        let options = QuantizeOptions {
            importance: importance.map(|all| tensor(all, &[len as u64])),
            strict: true,
            out: None,
        };
        made.push(
            quantize(&x, dtype, &options)
                .unwrap()
                .bytes()
                .unwrap()
                .to_vec(),
        );
        assert!(made.last() == Some(&blocks), "{name:?}");
        if importance.is_none() {
            // Columns in another order of memory are converted row by row.
            let turned = x.transpose().unwrap().contiguous().unwrap();
            let again = cast(&turned.transpose().unwrap(), dtype, None).unwrap();
            assert!(again.bytes().unwrap() == blocks, "{name:?}");
        }
        let mut decoded = vec![0.0; rows * len];
        decode_rows(name, &blocks, &mut decoded).unwrap();
        made.push(decoded.iter().flat_map(|x| x.to_ne_bytes()).collect());
        let vectors = tensor(&weights(9 * len), &[9, len as u64]);
        let w = from_bytes(&blocks, &[rows as u64, len as u64], dtype).unwrap();
        made.push(
            matvec(&w, &vectors, None)
                .unwrap()
                .bytes()
                .unwrap()
                .to_vec(),
        );
    }
    made
}

#[test]
fn any_number_of_threads_makes_the_same() {
    let before = get_num_threads();
    for &codec in CODECS.iter().filter(|codec| codec.can_encode()) {
        for (rows, len) in SHAPES {
            let of = |threads| {
                set_num_threads(threads).unwrap();
                made(codec, rows, len)
            };
            let one = of(1);
            assert!(of(2) == one, "{:?}, {rows} rows of {len}", codec.dtype());
            assert!(of(5) == one, "{:?}, {rows} rows of {len}", codec.dtype());
        }
    }
    set_num_threads(before).unwrap();
}
