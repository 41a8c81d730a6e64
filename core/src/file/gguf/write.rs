//! The writing of a GGUF file: the header first, then the tensors one by one.

use std::collections::HashSet;
use std::io::{Read, Write};

use super::read::MAGIC;
use super::{ALIGNMENT_KEY, DEFAULT_ALIGNMENT, MAX_NDIM, is_alignment};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::file::metadata::{MAX_KEY, Metadata};
use crate::file::value::Value;

/// Version that is written.
const VERSION: u32 = 3;

/// A tensor whose bytes come later.
pub(crate) struct Planned {
    pub(crate) name: String,
    pub(crate) dtype: DType,
    pub(crate) shape: Vec<u64>,
    pub(crate) nbytes: u64,
}

/// A file whose header is written.
pub(crate) struct Writer<W> {
    out: W,
    alignment: u64,
    /// Bytes written behind the header.
    position: u64,
    /// Bytes of each tensor that is still to come, last first.
    sizes: Vec<u64>,
}

impl<W: Write> Writer<W> {
    /// Writes the header. The alignment is `alignment`, else that of the metadata, else 32.
    ///
    /// # Errors
    /// [`ErrorKind::UnsupportedConversion`] when GGUF lacks a dtype, [`ErrorKind::ShapeMismatch`] when a tensor has more than
    /// 4 dimensions, [`ErrorKind::ValueError`] when two have one name or the alignment is none.
    pub(crate) fn begin(
        mut out: W,
        metadata: &Metadata,
        alignment: Option<u64>,
        tensors: &[Planned],
    ) -> Result<Self> {
        let metadata = metadata.copied();
        let alignment = settle_alignment(&metadata, alignment)?;
        let mut header = Vec::new();
        header.extend_from_slice(MAGIC);
        header.extend_from_slice(&VERSION.to_le_bytes());
        header.extend_from_slice(&(tensors.len() as u64).to_le_bytes());
        let values = metadata.snapshot();
        header.extend_from_slice(&(values.len() as u64).to_le_bytes());
        for (key, value) in &values {
            push_string(&mut header, key);
            header.extend_from_slice(&value.kind().code().to_le_bytes());
            value.write(&mut header)?;
        }
        let (mut offset, mut names) = (0u64, HashSet::new());
        for tensor in tensors {
            if !names.insert(&tensor.name) {
                return Err(Error::new(
                    ErrorKind::ValueError,
                    format!("there are two tensors `{}`", tensor.name),
                ));
            }
            push_tensor(&mut header, tensor, offset)?;
            offset = offset
                .checked_add(tensor.nbytes)
                .and_then(|end| end.checked_next_multiple_of(alignment))
                .ok_or_else(|| {
                    Error::new(
                        ErrorKind::OverflowError,
                        "the tensors take more than 2^64 bytes",
                    )
                })?;
        }
        out.write_all(&header).map_err(failed)?;
        if !tensors.is_empty() {
            let len = header.len() as u64;
            pad(&mut out, len.next_multiple_of(alignment) - len)?;
        }
        let sizes = tensors.iter().rev().map(|tensor| tensor.nbytes).collect();
        Ok(Writer {
            out,
            alignment,
            position: 0,
            sizes,
        })
    }

    /// Writes the bytes of the next tensor.
    ///
    /// # Errors
    /// [`ErrorKind::OSError`]; [`ErrorKind::InternalError`] when it is not the tensor that the header announced.
    pub(crate) fn tensor(&mut self, bytes: &[u8]) -> Result<()> {
        let wanted = self.sizes.pop();
        if wanted != Some(bytes.len() as u64) {
            let message = format!(
                "the header announces a tensor of {wanted:?} bytes, found {}",
                bytes.len()
            );
            return Err(Error::new(ErrorKind::InternalError, message));
        }
        self.out.write_all(bytes).map_err(failed)?;
        // GGML reads the padding of the last tensor, too.
        let end = self.position + bytes.len() as u64;
        self.position = end.next_multiple_of(self.alignment);
        pad(&mut self.out, self.position - end)
    }
}

fn pad(out: &mut impl Write, count: u64) -> Result<()> {
    std::io::copy(&mut std::io::repeat(0).take(count), out)
        .map(drop)
        .map_err(failed)
}

/// Checks that a tensor of this type can be in a GGUF file.
///
/// # Errors
/// [`ErrorKind::UnsupportedConversion`] naming both.
pub(crate) fn check_dtype(name: &str, dtype: DType) -> Result<u32> {
    dtype.ggml_id().ok_or_else(|| {
        let message =
            format!("tensor `{name}` is of dtype {dtype}, which GGUF does not have; cast it first");
        Error::new(ErrorKind::UnsupportedConversion, message)
    })
}

fn settle_alignment(metadata: &Metadata, alignment: Option<u64>) -> Result<u64> {
    let present = metadata.value(ALIGNMENT_KEY);
    let wanted = match (&present, alignment) {
        (_, Some(alignment)) => alignment,
        (None, None) => return Ok(DEFAULT_ALIGNMENT),
        (Some(value), None) => value.as_uint32()?.map(u64::from).ok_or_else(|| {
            let message = format!(
                "metadata `{ALIGNMENT_KEY}` must be of type uint32, found {}",
                value.kind().name()
            );
            Error::new(ErrorKind::ValueError, message)
        })?,
    };
    // No page of any system is larger.
    let number = u32::try_from(wanted)
        .ok()
        .filter(|_| is_alignment(wanted) && wanted <= 1 << 30)
        .ok_or_else(|| {
            let message = format!("an alignment is a power of two from 8 to 2^30, found {wanted}");
            Error::new(ErrorKind::ValueError, message)
        })?;
    if present.is_some() || wanted != DEFAULT_ALIGNMENT {
        metadata.put(ALIGNMENT_KEY.into(), Value::uint32(number));
    }
    Ok(wanted)
}

fn push_tensor(header: &mut Vec<u8>, tensor: &Planned, offset: u64) -> Result<()> {
    let Planned {
        name, dtype, shape, ..
    } = tensor;
    if shape.len() > MAX_NDIM {
        let message = format!(
            "tensor `{name}` has shape {shape:?}; GGUF has at most {MAX_NDIM} dimensions, reshape it first"
        );
        return Err(Error::new(ErrorKind::ShapeMismatch, message));
    }
    if name.len() > MAX_KEY {
        let message = format!(
            "the name of a tensor has at most {MAX_KEY} bytes, found {}",
            name.len()
        );
        return Err(Error::new(ErrorKind::ValueError, message));
    }
    let id = check_dtype(name, *dtype)?;
    push_string(header, name);
    header.extend_from_slice(&(shape.len() as u32).to_le_bytes());
    for length in shape.iter().rev() {
        header.extend_from_slice(&length.to_le_bytes());
    }
    header.extend_from_slice(&id.to_le_bytes());
    header.extend_from_slice(&offset.to_le_bytes());
    Ok(())
}

fn push_string(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&(text.len() as u64).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}

fn failed(error: std::io::Error) -> Error {
    Error::new(ErrorKind::OSError, format!("cannot write: {error}"))
}
