//! What the header of a file says, in the same form for every format.

use super::cursor::ByteOrder;
use super::gguf::Swap;
use super::metadata::Metadata;
use crate::dtype::{Class, DType};
use crate::error::{Error, ErrorKind, Result};
use crate::storage::Storage;
use crate::tensor::Tensor;

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Gguf,
    Safetensors,
}

impl Format {
    pub(crate) const ALL: [Format; 2] = [Format::Gguf, Format::Safetensors];

    /// The name in the API, which is also the suffix of such files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Gguf => "gguf",
            Format::Safetensors => "safetensors",
        }
    }
}

/// The header of a file, checked: every entry lies inside the file.
pub(crate) struct Contents {
    pub(crate) format: Format,
    /// 0 where the format has none.
    pub(crate) version: u32,
    pub(crate) order: ByteOrder,
    pub(crate) alignment: u64,
    pub(crate) metadata: Metadata,
    pub(crate) entries: Vec<Entry>,
}

/// The description of one tensor.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) stored: Stored,
    pub(crate) shape: Vec<u64>,
    /// Where it begins in the file.
    pub(crate) offset: u64,
    pub(crate) nbytes: u64,
    /// Where its description begins in the file.
    pub(crate) described_at: u64,
}

/// The type of a tensor in a file.
#[derive(Debug, Clone)]
pub(crate) enum Stored {
    Known(DType),
    /// A type that the format has and tenspan lacks, by its name there.
    Foreign(String),
}

impl Entry {
    /// The type, unless it is foreign.
    pub(crate) fn dtype(&self) -> Option<DType> {
        match self.stored {
            Stored::Known(dtype) => Some(dtype),
            Stored::Foreign(_) => None,
        }
    }

    /// The tensor: a view of the map when its bytes can be used as they are, else a copy that says so.
    ///
    /// # Errors
    /// [`ErrorKind::UnsupportedConversion`] when the type is foreign, or big-endian with an unknown layout.
    pub(crate) fn tensor(&self, storage: &Storage, order: ByteOrder) -> Result<Tensor> {
        let Stored::Known(dtype) = self.stored else {
            return Err(self.unsupported("tenspan does not have"));
        };
        let swap = match order {
            ByteOrder::Little => None,
            ByteOrder::Big => Some(Swap::of(dtype).ok_or_else(|| {
                self.unsupported("is big-endian and of a layout that is not known")
            })?),
        };
        let swap = swap.filter(|swap| !swap.is_nothing());
        let tensor = if dtype.is_opaque() {
            Tensor::opaque(
                storage.clone(),
                self.offset,
                dtype.ggml_id().unwrap_or(0),
                &self.shape,
                self.nbytes,
            )?
        } else if swap.is_some() || !is_aligned(storage, self.offset, dtype) {
            let copy = Storage::zeroed(self.nbytes)?;
            let bytes = copy.bytes_mut(0, self.nbytes)?;
            bytes.copy_from_slice(storage.bytes(self.offset, self.nbytes)?);
            if let Some(swap) = swap {
                swap.apply(bytes);
            }
            let tensor = Tensor::new(copy, 0, dtype, &self.shape, None)?;
            // What is written to a copy would be lost on the next access, so it is refused as on the map.
            tensor.with(|parts| (parts.copied, parts.readonly) = (true, true))
        } else {
            Tensor::new(storage.clone(), self.offset, dtype, &self.shape, None)?
        };
        Ok(tensor.with_name(&self.name))
    }

    fn unsupported(&self, why: &str) -> Error {
        let name = match &self.stored {
            Stored::Known(dtype) => dtype.name(),
            Stored::Foreign(name) => name.clone(),
        };
        let message = format!("tensor `{}` is of dtype {name}, which {why}", self.name);
        Error::new(ErrorKind::UnsupportedConversion, message)
    }
}

/// Whether numbers at this place of a map can be read as such.
fn is_aligned(storage: &Storage, offset: u64, dtype: DType) -> bool {
    let width = match dtype.class() {
        Class::Block | Class::Opaque => 1,
        Class::Complex => dtype.block_bytes() / 2,
        _ => dtype.block_bytes(),
    };
    (storage.start().as_ptr() as u64)
        .wrapping_add(offset)
        .is_multiple_of(width.max(1))
}
