//! safetensors: a JSON header behind its length, then the tensors without gaps. Read and written by the crate of its
//! makers, on mapped bytes.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::Path;

use safetensors::tensor::{Metadata as Header, SafeTensorError};
use safetensors::{Dtype, SafeTensors, View};
use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};

use super::contents::{Contents, Entry, Format, Stored};
use super::cursor::{ByteOrder, fault};
use super::metadata::Metadata;
use super::value::Value;
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// Bytes of the length before the header.
const LENGTH: u64 = 8;

/// The dtypes that both sides have.
const DTYPES: [(Dtype, DType); 16] = [
    (Dtype::BOOL, DType::BOOL),
    (Dtype::U8, DType::U8),
    (Dtype::I8, DType::I8),
    (Dtype::F8_E5M2, DType::F8_E5M2),
    (Dtype::F8_E4M3, DType::F8_E4M3),
    (Dtype::I16, DType::I16),
    (Dtype::U16, DType::U16),
    (Dtype::F16, DType::F16),
    (Dtype::BF16, DType::BF16),
    (Dtype::I32, DType::I32),
    (Dtype::U32, DType::U32),
    (Dtype::F32, DType::F32),
    (Dtype::C64, DType::C64),
    (Dtype::F64, DType::F64),
    (Dtype::I64, DType::I64),
    (Dtype::U64, DType::U64),
];

/// Whether a file may be of this format, which has no magic: a length, then the beginning of a JSON object.
pub(crate) fn is_likely(bytes: &[u8]) -> bool {
    bytes.get(LENGTH as usize) == Some(&b'{')
}

/// Reads and checks the header.
pub(crate) fn read(storage: &Storage) -> Result<Contents> {
    let bytes = storage.bytes(0, storage.len() as u64)?;
    let (length, header) =
        SafeTensors::read_metadata(bytes).map_err(|error| wrap(&error, bytes))?;
    let data = LENGTH + length as u64;
    check_names(storage.bytes(LENGTH, length as u64)?)?;
    let mut entries = Vec::new();
    let mut tensors = header.tensors();
    for name in header.offset_keys() {
        let Some(info) = tensors.remove(&name) else {
            continue;
        };
        let (start, end) = info.data_offsets;
        let stored = match DTYPES.iter().find(|(theirs, _)| *theirs == info.dtype) {
            Some((_, ours)) => Stored::Known(*ours),
            None => Stored::Foreign(info.dtype.to_string()),
        };
        let shape = info.shape.iter().map(|length| *length as u64).collect();
        let nbytes = (end - start) as u64;
        entries.push(Entry {
            name,
            stored,
            shape,
            offset: data + start as u64,
            nbytes,
            described_at: LENGTH,
        });
    }
    Ok(Contents {
        format: Format::Safetensors,
        version: 0,
        order: ByteOrder::Little,
        alignment: 1,
        metadata: strings(&header),
        entries,
    })
}

/// The `__metadata__` of the header. The crate keeps no order, so that of the alphabet is taken.
fn strings(header: &Header) -> Metadata {
    let metadata = Metadata::new();
    let mut pairs: Vec<_> = header.metadata().iter().flatten().collect();
    pairs.sort();
    for (key, value) in pairs {
        metadata.put(key.as_str().into(), Value::string(value));
    }
    metadata
}

fn wrap(error: &SafeTensorError, bytes: &[u8]) -> Error {
    use SafeTensorError as E;
    let at = match error {
        E::HeaderTooSmall | E::HeaderTooLarge | E::InvalidHeaderLength => 0,
        E::MetadataIncompleteBuffer => bytes.len() as u64,
        E::InvalidHeader(error) => LENGTH + error.valid_up_to() as u64,
        E::InvalidHeaderDeserialization(error) => LENGTH + json_offset(error, bytes),
        _ => LENGTH,
    };
    fault(at, format_args!("not a valid safetensors file: {error}"))
}

/// Where in the header the JSON is broken, counted from its beginning.
fn json_offset(error: &serde_json::Error, bytes: &[u8]) -> u64 {
    let header = bytes.get(LENGTH as usize..).unwrap_or_default();
    let lines = header.split_inclusive(|byte| *byte == b'\n');
    let before: usize = lines
        .take(error.line().saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    (before + error.column().saturating_sub(1)) as u64
}

/// Refuses a header that names a tensor twice: readers would not agree which of the two it means.
fn check_names(header: &[u8]) -> Result<()> {
    struct Names;
    impl<'de> Visitor<'de> for Names {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
            let mut names = HashSet::new();
            while let Some((name, _)) = map.next_entry::<String, IgnoredAny>()? {
                if names.contains(&name) {
                    let message = format!("there are two entries `{name}`");
                    return Err(serde::de::Error::custom(message));
                }
                names.insert(name);
            }
            Ok(())
        }
    }
    serde_json::Deserializer::from_slice(header)
        .deserialize_map(Names)
        .map_err(|error| {
            fault(
                LENGTH,
                format_args!("not a valid safetensors file: {error}"),
            )
        })
}

/// A tensor on its way into a file, packed.
struct Packed(Dtype, Vec<usize>, Tensor);

impl View for Packed {
    fn dtype(&self) -> Dtype {
        self.0
    }

    fn shape(&self) -> &[usize] {
        &self.1
    }

    fn data(&self) -> Cow<'_, [u8]> {
        // `pack` has read them once, so they are there.
        Cow::Borrowed(self.2.bytes().unwrap_or_default())
    }

    fn data_len(&self) -> usize {
        self.2.nbytes() as usize
    }
}

/// Writes a file. The crate orders tensors by the width of their type, then by name, so that all are aligned.
///
/// # Errors
/// [`ErrorKind::UnsupportedConversion`] when the format lacks a dtype, [`ErrorKind::TypeError`] when a value of the
/// metadata is a list, [`ErrorKind::ValueError`] when two tensors have one name.
pub(crate) fn write(
    path: &Path,
    tensors: &[(String, Tensor)],
    metadata: Option<&Metadata>,
) -> Result<()> {
    let mut packed: Vec<(&str, Packed)> = Vec::with_capacity(tensors.len());
    let mut names = HashSet::new();
    for (name, tensor) in tensors {
        if !names.insert(name) || name == "__metadata__" {
            let message = format!("the name `{name}` is not free for a tensor");
            return Err(Error::new(ErrorKind::ValueError, message));
        }
        packed.push((name, pack(name, tensor)?));
    }
    let metadata = metadata
        .map(texts)
        .transpose()?
        .filter(|texts| !texts.is_empty());
    safetensors::serialize_to_file(packed, metadata, path)
        .map_err(|error| Error::new(ErrorKind::OSError, format!("cannot write: {error}")))
}

fn pack(name: &str, tensor: &Tensor) -> Result<Packed> {
    let dtype = tensor.dtype();
    let Some((theirs, _)) = DTYPES.iter().find(|(_, ours)| *ours == dtype) else {
        let message =
            format!("tensor `{name}` is of dtype {dtype}, which safetensors does not have");
        return Err(Error::new(ErrorKind::UnsupportedConversion, message));
    };
    let place = |error: Error| error.at(format_args!("tensor `{name}`"));
    let packed = tensor.contiguous().map_err(place)?;
    packed.bytes().map_err(place)?;
    // A length that does not fit is that of a tensor whose bytes were just refused.
    let shape = tensor
        .shape()
        .iter()
        .map(|length| usize::try_from(*length).unwrap_or(usize::MAX))
        .collect();
    Ok(Packed(*theirs, shape, packed))
}

/// Metadata as the format has it: text. Numbers and booleans are written out, lists have no agreed form.
fn texts(metadata: &Metadata) -> Result<HashMap<String, String>> {
    let mut texts = HashMap::new();
    for (key, value) in metadata.snapshot() {
        let text = value.text()?.ok_or_else(|| {
            let message = format!(
                "metadata `{key}` is of type {}; safetensors has text only",
                value.kind().name()
            );
            Error::new(ErrorKind::TypeError, message)
        })?;
        texts.insert(key.to_string(), text);
    }
    Ok(texts)
}
