//! The checked reading of a GGUF header.
//!
//! Nothing is allocated for a count before the rest of the file is known to be long enough for it.

use std::collections::HashSet;

use super::place::{Described, place};
use super::{ALIGNMENT_KEY, DEFAULT_ALIGNMENT, MAX_NDIM, is_alignment};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::file::contents::{Contents, Entry, Format, Stored};
use crate::file::cursor::{ByteOrder, Cursor, fault};
use crate::file::metadata::{MAX_KEY, Metadata};
use crate::file::value::{Value, skip};
use crate::file::value_type::ValueType;
use crate::shape;
use crate::storage::Storage;

/// First bytes of every GGUF file.
pub(crate) const MAGIC: &[u8; 4] = b"GGUF";

/// Fewest bytes of the description of a tensor: length of its name, number of dimensions, type, offset.
const LEAST_TENSOR: u64 = 8 + 4 + 4 + 8;

/// Reads and checks the header of a file that begins with [`MAGIC`], by the rules that the module above lists.
pub(crate) fn read(storage: &Storage) -> Result<Contents> {
    let bytes = storage.bytes(0, storage.len() as u64)?;
    let mut cursor = Cursor::new(bytes, 0, ByteOrder::Little);
    cursor.take(MAGIC.len() as u64, "the magic")?;
    let (version, order) = version(&mut cursor)?;
    cursor.set_order(order);
    // A rough bound: a count that a longer file could have is told better by the first thing that is missing.
    let tensors = cursor.count(1, "the number of tensors")?;
    let values = cursor.count(1, "the number of values")?;
    let metadata = Metadata::new();
    for _ in 0..values {
        read_value(&mut cursor, storage, order, &metadata)?;
    }
    let alignment = alignment(&metadata)?;
    let possible = tensors.min(cursor.remaining() / LEAST_TENSOR) as usize;
    let mut described = Vec::with_capacity(possible);
    let mut names = HashSet::with_capacity(possible);
    for _ in 0..tensors {
        let name_at = cursor.at();
        let tensor = read_tensor(&mut cursor)?;
        if !names.insert(tensor.entry.name.clone()) {
            return Err(fault(
                name_at,
                format!("there are two tensors `{}`", tensor.entry.name),
            ));
        }
        described.push(tensor);
    }
    let entries = place(described, cursor.at(), alignment, bytes.len() as u64)?;
    Ok(Contents {
        format: Format::Gguf,
        version,
        order,
        alignment,
        metadata,
        entries,
    })
}

/// Checks what [`read`] lets pass although the format forbids it.
pub(crate) fn check_strictly(contents: &Contents) -> Result<()> {
    for (key, value) in contents.metadata.snapshot() {
        value
            .check_text()
            .map_err(|error| error.at(format_args!("value `{key}`")))?;
    }
    match contents.entries.iter().find(|entry| entry.name.len() > 64) {
        Some(long) => {
            let message = format!(
                "the name `{}` has {} bytes, the format grants 64",
                long.name,
                long.name.len()
            );
            Err(fault(long.described_at, message))
        }
        None => Ok(()),
    }
}

fn version(cursor: &mut Cursor<'_>) -> Result<(u32, ByteOrder)> {
    let at = cursor.at();
    let little = cursor.u32("the version")?;
    // There is no mark of the byte order but that the version would be huge in the other one.
    let (version, order) = match little & 0xffff {
        0 => (little.swap_bytes(), ByteOrder::Big),
        _ => (little, ByteOrder::Little),
    };
    match version {
        2 | 3 => Ok((version, order)),
        1 => Err(fault(
            at,
            "version 1 of GGUF, which has 32-bit lengths, is read by nobody any more; 2 and 3 are read",
        )),
        _ => Err(fault(
            at,
            format!("version {little} of GGUF is unknown; 2 and 3 are read"),
        )),
    }
}

fn read_value(
    cursor: &mut Cursor<'_>,
    storage: &Storage,
    order: ByteOrder,
    metadata: &Metadata,
) -> Result<()> {
    let at = cursor.at();
    let name = cursor.string("the name of a value")?;
    if name.is_empty() || name.len() > MAX_KEY {
        return Err(fault(
            at,
            format!(
                "the name of a value has 1 to {MAX_KEY} bytes, found {}",
                name.len()
            ),
        ));
    }
    let name = text(name, at, "the name of a value")?;
    let type_at = cursor.at();
    let code = cursor.u32("the type of a value")?;
    let kind = ValueType::from_code(code).ok_or_else(|| {
        fault(
            type_at,
            format!("value `{name}` has type {code}, types are 0 to 12"),
        )
    })?;
    let start = cursor.at();
    skip(cursor, kind, 0)?;
    let value = Value::mapped(kind, storage, start, cursor.at() - start, order);
    if !metadata.put(name.into(), value) {
        return Err(fault(at, format!("there are two values `{name}`")));
    }
    Ok(())
}

fn alignment(metadata: &Metadata) -> Result<u64> {
    let Some(value) = metadata.value(ALIGNMENT_KEY) else {
        return Ok(DEFAULT_ALIGNMENT);
    };
    let Some(alignment) = value.as_uint32()? else {
        let message = format!(
            "value `{ALIGNMENT_KEY}` must be of type uint32, found {}",
            value.kind().name()
        );
        return Err(fault(value.offset(), message));
    };
    if !is_alignment(alignment.into()) {
        let message = format!(
            "value `{ALIGNMENT_KEY}` must be a power of two and a multiple of 8, found {alignment}"
        );
        return Err(fault(value.offset(), message));
    }
    Ok(alignment.into())
}

fn read_tensor(cursor: &mut Cursor<'_>) -> Result<Described> {
    let described_at = cursor.at();
    let name = text(
        cursor.string("the name of a tensor")?,
        described_at,
        "the name of a tensor",
    )?
    .to_owned();
    let ndim_at = cursor.at();
    let ndim = cursor.u32("the number of dimensions")?;
    if ndim as usize > MAX_NDIM {
        return Err(fault(
            ndim_at,
            format!("tensor `{name}` has {ndim} dimensions, the format allows {MAX_NDIM}"),
        ));
    }
    let shape_at = cursor.at();
    let mut shape = (0..ndim)
        .map(|_| cursor.u64("a dimension"))
        .collect::<Result<Vec<u64>>>()?;
    // The file has the innermost dimension first.
    shape.reverse();
    let id_at = cursor.at();
    let id = cursor.u32("the type of a tensor")?;
    let dtype = dtype(id, &name, id_at)?;
    let broken = |error: Error| fault(shape_at, format!("tensor `{name}`: {}", error.message()));
    if let Some(length) = shape.iter().find(|length| i64::try_from(**length).is_err()) {
        return Err(fault(
            shape_at,
            format!("tensor `{name}` has the length {length}, which does not fit 63 bits"),
        ));
    }
    shape::count(&shape).map_err(broken)?;
    let nbytes = shape::nbytes(dtype, &shape).map_err(broken)?;
    let offset_at = cursor.at();
    let offset = cursor.u64("the offset of a tensor")?;
    let entry = Entry {
        name,
        stored: Stored::Known(dtype),
        shape,
        offset,
        nbytes,
        described_at,
    };
    Ok(Described { entry, offset_at })
}

fn dtype(id: u32, name: &str, at: u64) -> Result<DType> {
    if let Some(removed) = DType::removed_name(id) {
        let message =
            format!("tensor `{name}` has type {id}, {removed}, which was removed from GGML");
        return Err(fault(at, message));
    }
    if id > u32::from(u16::MAX) {
        return Err(fault(
            at,
            format!("tensor `{name}` has type {id}; ids of types have 16 bits"),
        ));
    }
    Ok(DType::from_ggml_id(id))
}

fn text<'a>(bytes: &'a [u8], at: u64, what: &str) -> Result<&'a str> {
    std::str::from_utf8(bytes).map_err(|error| {
        fault(
            at + 8 + error.valid_up_to() as u64,
            format!("{what} is not UTF-8 from here on"),
        )
    })
}
