//! The entry points: lengths are checked here, and rows shared out over threads.
//!
//! Work goes to the pool of [`crate::threads`], or stays in the pool that the caller is in. A piece
//! is whole blocks, by what they cost enough of them that handing it out costs nothing beside it. A codec
//! sees a piece at a time, so what it does once per call (the choice of an instruction set, tables into
//! registers) costs nothing either.

use rayon::prelude::*;

use super::kernel::{self, Stores};
use super::{Codec, codec};
use crate::dtype::DTypeName;
use crate::error::{Error, ErrorKind, Result};
use crate::threads;

/// Decodes whole blocks into `out`, which decides how many elements there are.
///
/// # Errors
/// [`ErrorKind::UnsupportedConversion`] when `name` has no codec, [`ErrorKind::BlockMismatch`] when
/// either length is no multiple of the block, [`ErrorKind::ShapeMismatch`] when the two disagree.
pub fn decode_rows(name: DTypeName, src: &[u8], out: &mut [f32]) -> Result<()> {
    let codec = find(name)?;
    let (len, bytes) = (codec.block_len(), codec.block_bytes());
    whole_blocks(name, "elements", out.len(), len)?;
    whole_blocks(name, "bytes", src.len(), bytes)?;
    if src.len() / bytes != out.len() / len {
        return Err(Error::new(
            ErrorKind::ShapeMismatch,
            format!(
                "{} bytes of {} are {} blocks, but the {} elements of the destination need {}",
                src.len(),
                name.as_str(),
                src.len() / bytes,
                out.len(),
                out.len() / len
            ),
        ));
    }
    let blocks = piece(out.len(), 1) / len;
    let stores = Stores::for_output(out.len() as u64);
    threads::run(out.len() as u64, || {
        if out.len() <= blocks * len || !threads::in_a_pool() {
            return kernel::decode(codec, src, out, stores);
        }
        src.par_chunks(blocks * bytes)
            .zip(out.par_chunks_mut(blocks * len))
            .for_each(|(src, out)| kernel::decode(codec, src, out, stores));
    });
    Ok(())
}

/// Encodes rows of `row_len` floats into `out`.
///
/// `importance` says how much a deviation in each column matters; it serves every row alike.
/// Formats without use for it ignore it.
///
/// # Errors
/// [`ErrorKind::UnsupportedConversion`] when `name` cannot be encoded, [`ErrorKind::BlockMismatch`]
/// when `row_len` is no multiple of the block, [`ErrorKind::ShapeMismatch`] when another length
/// does not fit the rows, [`ErrorKind::ValueError`] when the format needs `importance` and there is
/// none.
pub fn encode_rows(
    name: DTypeName,
    src: &[f32],
    row_len: usize,
    importance: Option<&[f32]>,
    out: &mut [u8],
) -> Result<()> {
    let codec = find(name)?;
    if !codec.can_encode() {
        let text = format!(
            "floats cannot be encoded as {}: it is only decoded",
            name.as_str()
        );
        return Err(Error::new(ErrorKind::UnsupportedConversion, text));
    }
    whole_blocks(name, "elements in a row", row_len, codec.block_len())?;
    check_rows(name, codec, src.len(), row_len, importance, out.len())?;
    if src.is_empty() {
        return Ok(());
    }
    let cost = codec.encode_cost(importance.is_some());
    let piece = piece(src.len(), cost);
    let bytes = |len: usize| len / codec.block_len() * codec.block_bytes();
    threads::run((src.len() as u64).saturating_mul(cost), || {
        if src.len() <= piece || !threads::in_a_pool() {
            return kernel::encode(codec, src, row_len, importance, out);
        }
        let Some(importance) = importance else {
            return src
                .par_chunks(piece)
                .zip(out.par_chunks_mut(bytes(piece)))
                .for_each(|(src, out)| kernel::encode(codec, src, src.len(), None, out));
        };
        if row_len <= piece || codec.importance_ties_rows() {
            let len = (piece / row_len).max(1) * row_len;
            return src
                .par_chunks(len)
                .zip(out.par_chunks_mut(bytes(len)))
                .for_each(|(src, out)| kernel::encode(codec, src, row_len, Some(importance), out));
        }
        let rows = src.par_chunks(row_len);
        rows.zip(out.par_chunks_mut(bytes(row_len)))
            .for_each(|(row, out)| {
                row.par_chunks(piece)
                    .zip(importance.par_chunks(piece))
                    .zip(out.par_chunks_mut(bytes(piece)))
                    .for_each(|((src, importance), out)| {
                        kernel::encode(codec, src, src.len(), Some(importance), out);
                    });
            });
    });
    Ok(())
}

/// Elements that a thread takes at a time, whole blocks, of which each costs `cost`.
fn piece(elements: usize, cost: u64) -> usize {
    usize::try_from(threads::share_of_elements(elements as u64, cost)).unwrap_or(usize::MAX)
}

fn find(name: DTypeName) -> Result<&'static dyn Codec> {
    codec(name).ok_or_else(|| {
        let text = format!(
            "{} has no codec: there is no conversion to or from its blocks",
            name.as_str()
        );
        Error::new(ErrorKind::UnsupportedConversion, text)
    })
}

fn whole_blocks(name: DTypeName, what: &str, count: usize, block: usize) -> Result<()> {
    if count.is_multiple_of(block) {
        return Ok(());
    }
    let text = format!(
        "{count} {what} are not whole blocks of {}: its block has {block}",
        name.as_str()
    );
    Err(Error::new(ErrorKind::BlockMismatch, text))
}

fn check_rows(
    name: DTypeName,
    codec: &dyn Codec,
    len: usize,
    row_len: usize,
    importance: Option<&[f32]>,
    out: usize,
) -> Result<()> {
    let mismatch = |text| Err(Error::new(ErrorKind::ShapeMismatch, text));
    // Only 0 is a multiple of 0.
    if !len.is_multiple_of(row_len) {
        return mismatch(format!("{len} elements are not whole rows of {row_len}"));
    }
    match importance {
        Some(importance) if importance.len() != row_len => {
            return mismatch(format!(
                "{} importance weights were given for rows of {row_len} elements",
                importance.len()
            ));
        }
        None if codec.needs_importance() => {
            let text = format!(
                "{} cannot be encoded without an importance vector",
                name.as_str()
            );
            return Err(Error::new(ErrorKind::ValueError, text));
        }
        _ => {}
    }
    let wanted = (len / codec.block_len()).checked_mul(codec.block_bytes());
    if wanted != Some(out) {
        return mismatch(format!(
            "{len} elements of {} take {} bytes, but the destination has {out}",
            name.as_str(),
            len / codec.block_len() * codec.block_bytes()
        ));
    }
    Ok(())
}
