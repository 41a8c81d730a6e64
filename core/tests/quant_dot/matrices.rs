//! Matrices, whose rows are multiplied several at a time where they stand one after another.

use tenspan::quant::CODECS;
use tenspan::value::Kind;
use tenspan::{DType, DTypeName, Result, Tensor, cast, dot, from_bytes, matvec};

use super::support::{finite_blocks, vector};

/// More than are multiplied at a time, and not a multiple of that.
const ROWS: u64 = 37;

fn floats(seed: u64, shape: &[u64]) -> Result<Tensor> {
    let len: u64 = shape.iter().product();
    let bytes: Vec<u8> = vector(seed, len as usize)
        .into_iter()
        .flat_map(|x| (x as f32).to_le_bytes())
        .collect();
    from_bytes(&bytes, shape, DType::F32)
}

/// Checks the products of each row and each vector against those of the two alone.
fn check(w: &Tensor, x: &Tensor) -> Result<()> {
    let products = matvec(w, x, None)?;
    let got: Vec<f32> = products
        .bytes()?
        .as_chunks()
        .0
        .iter()
        .map(|bytes| f32::from_ne_bytes(*bytes))
        .collect();
    let rows = w.shape()[0];
    assert_eq!(products.shape(), [x.shape()[0], rows]);
    for (v, got) in got.chunks(rows as usize).enumerate() {
        let x = x.select(0, v as i64)?;
        for (row, got) in got.iter().enumerate() {
            let mut row = w.select(0, row as i64)?;
            let mut x = x.clone();
            // Plain numbers of two dtypes make no pair; in `float64` they do, which rounds in another order.
            let is_plain = row.dtype().is_plain();
            if is_plain {
                (row, x) = (cast(&row, DType::F64, None)?, cast(&x, DType::F64, None)?);
            }
            let alone = dot(&row, &x, &Default::default())?;
            let Kind::Float(alone) = alone.kind() else {
                panic!("{alone:?} is no number")
            };
            let alone = alone as f32;
            let room = if is_plain {
                alone.abs() * f32::EPSILON
            } else {
                0.0
            };
            let (dtype, shape) = (w.dtype(), w.shape());
            assert!(
                (got - alone).abs() <= room,
                "{dtype} {shape:?}: {got}, not {alone}"
            );
        }
    }
    Ok(())
}

#[test]
fn each_row_meets_each_vector() {
    for &codec in CODECS {
        // Two blocks are whole steps of few formats.
        let n = 2 * codec.block_len() as u64;
        let blocks = finite_blocks(codec, 11, 2 * ROWS as usize);
        let dtype = DType::Known(codec.dtype());
        let w = from_bytes(&blocks, &[ROWS, n], dtype).unwrap();
        for batch in [1, 3] {
            let x = floats(12, &[batch, n]).unwrap();
            check(&w, &x).unwrap();
            check(&w.rows(3, 20).unwrap(), &x).unwrap();
            check(&w.slice(0, None, None, 2).unwrap(), &x).unwrap();
            check(&w.slice(0, None, None, -1).unwrap(), &x).unwrap();
            check(&w.rows(5, 6).unwrap(), &x).unwrap();
        }
        // The second block of each row: rows that do not end where the next begins.
        let x = floats(13, &[2, n / 2]).unwrap();
        check(&w.slice(1, Some(n as i64 / 2), None, 1).unwrap(), &x).unwrap();
    }
}

#[test]
fn plain_rows_may_stand_anywhere() {
    for dtype in [DTypeName::Float32, DTypeName::Bfloat16, DTypeName::Int16] {
        let w =
            tenspan::cast(&floats(14, &[ROWS, 19]).unwrap(), DType::Known(dtype), None).unwrap();
        check(&w, &floats(15, &[2, 19]).unwrap()).unwrap();
        check(
            &w.slice(1, None, None, 2).unwrap(),
            &floats(15, &[2, 10]).unwrap(),
        )
        .unwrap();
        check(&w.transpose().unwrap(), &floats(16, &[2, ROWS]).unwrap()).unwrap();
    }
}
