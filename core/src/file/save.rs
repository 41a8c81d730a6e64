//! Writing tensors and metadata to a new file.

use super::atomic;
use super::contents::Format;
use super::gguf::write::{Planned, Writer};
use super::metadata::Metadata;
use super::safetensors;
use crate::error::{Error, ErrorKind, Result};
use crate::generated::dictionaries::SaveOptions;
use crate::tensor::Tensor;

/// Writes tensors and metadata to a new file that replaces an old one in one step, after all of it has reached the
/// disk. The old file may be the one that the tensors are views of.
///
/// GGUF keeps the order of the tensors and every type of the metadata; safetensors orders tensors by the width of
/// their type, then by name, and has text only.
///
/// # Errors
/// [`ErrorKind::ValueError`] when the format is neither given nor seen from the suffix, or two tensors have one name;
/// [`ErrorKind::UnsupportedConversion`] naming the tensor when the format lacks a dtype; [`ErrorKind::TypeError`] when
/// safetensors lacks the type of a metadata value; [`ErrorKind::OSError`] with the path.
pub fn save(
    path: &str,
    tensors: &[(String, Tensor)],
    metadata: Option<&Metadata>,
    options: &SaveOptions,
) -> Result<()> {
    match format(path, options)? {
        Format::Gguf => save_gguf(path, tensors, metadata, options.alignment),
        Format::Safetensors if options.alignment.is_some() => {
            let message = "safetensors files have no alignment to choose; leave `alignment` out";
            Err(Error::new(ErrorKind::ValueError, message))
        }
        Format::Safetensors => atomic::replace(path, |_, temporary| {
            safetensors::write(temporary, tensors, metadata)
        }),
    }
}

fn format(path: &str, options: &SaveOptions) -> Result<Format> {
    let suffix = std::path::Path::new(path)
        .extension()
        .and_then(|suffix| suffix.to_str());
    let name = options.format.as_deref().or(suffix);
    let found = Format::ALL
        .into_iter()
        .find(|format| name.is_some_and(|name| name.eq_ignore_ascii_case(format.name())));
    found.ok_or_else(|| {
        let message = match (&options.format, suffix) {
            (Some(format), _) => format!("the format is `gguf` or `safetensors`, found `{format}`"),
            (None, Some(suffix)) => format!(
                "{path}: the suffix `.{suffix}` names no format; give `gguf` or `safetensors`"
            ),
            (None, None) => format!(
                "{path}: there is no suffix that names the format; give `gguf` or `safetensors`"
            ),
        };
        Error::new(ErrorKind::ValueError, message)
    })
}

fn save_gguf(
    path: &str,
    tensors: &[(String, Tensor)],
    metadata: Option<&Metadata>,
    alignment: Option<u64>,
) -> Result<()> {
    let planned: Vec<Planned> = tensors
        .iter()
        .map(|(name, tensor)| Planned {
            name: name.clone(),
            dtype: tensor.dtype(),
            shape: tensor.shape().to_vec(),
            nbytes: tensor.nbytes(),
        })
        .collect();
    let none = Metadata::new();
    atomic::replace(path, |out, _| {
        let mut writer = Writer::begin(out, metadata.unwrap_or(&none), alignment, &planned)?;
        for (name, tensor) in tensors {
            let place = |error: Error| error.at(format_args!("tensor `{name}`"));
            // One packed copy at a time.
            let packed = tensor.contiguous().map_err(place)?;
            writer.tensor(packed.bytes().map_err(place)?)?;
        }
        Ok(())
    })
}
