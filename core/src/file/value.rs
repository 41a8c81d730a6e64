//! Metadata values in the form that GGUF stores: a type, and the bytes of the value.
//!
//! A value of a file stays in the map until someone asks for it, so that a vocabulary of hundreds of thousands of strings
//! costs nothing at [`open`](crate::open). [`skip`] has then checked every length in it once.

mod encode;

use std::sync::Arc;

use super::cursor::{ByteOrder, Cursor, fault};
use super::value_type::{MAX_DEPTH, ValueType, Wanted};
use crate::error::Result;
use crate::storage::Storage;
use crate::value::{Any, AnyView, Kind};

use ValueType as T;

/// A value with its exact type.
#[derive(Clone)]
pub(crate) struct Value {
    kind: ValueType,
    bytes: Bytes,
}

#[derive(Clone)]
enum Bytes {
    /// Little-endian.
    Owned(Arc<[u8]>),
    Mapped {
        storage: Storage,
        offset: u64,
        len: u64,
        order: ByteOrder,
    },
}

impl Value {
    /// A value that [`skip`] has stepped over.
    pub(crate) fn mapped(
        kind: ValueType,
        storage: &Storage,
        offset: u64,
        len: u64,
        order: ByteOrder,
    ) -> Value {
        Value {
            kind,
            bytes: Bytes::Mapped {
                storage: storage.clone(),
                offset,
                len,
                order,
            },
        }
    }

    /// Text.
    pub(crate) fn string(text: &str) -> Value {
        let mut bytes = Vec::with_capacity(8 + text.len());
        encode::push_string(&mut bytes, text.as_bytes());
        Value {
            kind: T::String,
            bytes: Bytes::Owned(bytes.into()),
        }
    }

    /// A number of 32 bits.
    pub(crate) fn uint32(number: u32) -> Value {
        Value {
            kind: T::Uint32,
            bytes: Bytes::Owned(number.to_le_bytes().as_slice().into()),
        }
    }

    /// Encodes a value of any language.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] when the value is not of that type, [`ErrorKind::OverflowError`] when a number does not fit
    /// it.
    pub(crate) fn encode(value: &AnyView<'_>, wanted: &Wanted) -> Result<Value> {
        let mut bytes = Vec::new();
        let kind = encode::push(&mut bytes, value, wanted, 0)?;
        Ok(Value {
            kind,
            bytes: Bytes::Owned(bytes.into()),
        })
    }

    /// The type.
    pub(crate) fn kind(&self) -> ValueType {
        self.kind
    }

    /// Where the value stands in its file; 0 when it comes from no file.
    pub(crate) fn offset(&self) -> u64 {
        match &self.bytes {
            Bytes::Owned(_) => 0,
            Bytes::Mapped { offset, .. } => *offset,
        }
    }

    fn cursor(&self) -> Result<Cursor<'_>> {
        match &self.bytes {
            Bytes::Owned(bytes) => Ok(Cursor::new(bytes, 0, ByteOrder::Little)),
            Bytes::Mapped {
                storage,
                offset,
                len,
                order,
            } => Ok(Cursor::new(storage.bytes(*offset, *len)?, *offset, *order)),
        }
    }

    /// The type by name, with that of items: `array<string>`. Arrays whose items are arrays of several types are
    /// `array<array>`.
    pub(crate) fn type_name(&self) -> Result<String> {
        type_name(&mut self.cursor()?, self.kind, 0)
    }

    /// The value for any language. Strings that are not UTF-8 become bytes.
    pub(crate) fn decode(&self) -> Result<Any> {
        decode(&mut self.cursor()?, self.kind, 0)
    }

    /// The number, if the value is a 32-bit one without a sign.
    pub(crate) fn as_uint32(&self) -> Result<Option<u32>> {
        if self.kind == T::Uint32 {
            self.cursor()?.u32("the value").map(Some)
        } else {
            Ok(None)
        }
    }

    /// The value written out, unless it is a list or a string that is not UTF-8.
    pub(crate) fn text(&self) -> Result<Option<String>> {
        Ok(match self.decode()?.kind() {
            Kind::Str(text) => Some(text.to_owned()),
            Kind::Bool(value) => Some(value.to_string()),
            Kind::Int(number) => Some(number.to_string()),
            Kind::BigInt(number) => Some(number.to_string()),
            // The shortest text that reads back as the same `float32`.
            Kind::Float(number) if self.kind == T::Float32 => Some((number as f32).to_string()),
            Kind::Float(number) => Some(number.to_string()),
            _ => None,
        })
    }

    /// Appends the bytes as a little-endian file has them.
    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        match &self.bytes {
            Bytes::Owned(bytes) => out.extend_from_slice(bytes),
            Bytes::Mapped {
                storage,
                offset,
                len,
                order: ByteOrder::Little,
            } => {
                out.extend_from_slice(storage.bytes(*offset, *len)?);
            }
            Bytes::Mapped { .. } => turn(&mut self.cursor()?, self.kind, 0, out)?,
        }
        Ok(())
    }

    /// Checks what [`skip`] lets pass because the value can be had without it: that strings are UTF-8.
    pub(crate) fn check_text(&self) -> Result<()> {
        check_text(&mut self.cursor()?, self.kind, 0)
    }
}

/// Steps over a value of a file and checks its counts, lengths, types and booleans. `depth` arrays are around it.
pub(crate) fn skip(cursor: &mut Cursor<'_>, kind: ValueType, depth: usize) -> Result<()> {
    match kind {
        T::String => cursor.string("a string").map(drop),
        T::Bool => skip_bools(cursor, 1),
        T::Array => {
            let (item, count) = array_head(cursor, depth)?;
            match item {
                T::Bool => skip_bools(cursor, count),
                T::String => (0..count).try_for_each(|_| cursor.string("a string").map(drop)),
                T::Array => (0..count).try_for_each(|_| skip(cursor, T::Array, depth + 1)),
                // `array_head` found that the product fits what is left.
                plain => cursor
                    .take(count * plain.size().unwrap_or(0), "an array")
                    .map(drop),
            }
        }
        plain => cursor
            .take(plain.size().unwrap_or(0), plain.name())
            .map(drop),
    }
}

fn skip_bools(cursor: &mut Cursor<'_>, count: u64) -> Result<()> {
    let at = cursor.at();
    let bytes = cursor.take(count, "a bool")?;
    match bytes.iter().position(|byte| *byte > 1) {
        Some(i) => Err(fault(
            at + i as u64,
            format!("a bool is {}, it must be 0 or 1", bytes[i]),
        )),
        None => Ok(()),
    }
}

/// Type and number of the items of an array.
fn array_head(cursor: &mut Cursor<'_>, depth: usize) -> Result<(ValueType, u64)> {
    let at = cursor.at();
    if depth >= MAX_DEPTH {
        return Err(fault(
            at,
            format!("arrays are nested more than {MAX_DEPTH} deep"),
        ));
    }
    let code = cursor.u32("the type of an array")?;
    let item = ValueType::from_code(code).ok_or_else(|| {
        fault(
            at,
            format!("an array has items of type {code}, types are 0 to 12"),
        )
    })?;
    let least = match item {
        T::String => 8,
        T::Array => 12,
        plain => plain.size().unwrap_or(1),
    };
    Ok((item, cursor.count(least, "the length of an array")?))
}

fn type_name(cursor: &mut Cursor<'_>, kind: ValueType, depth: usize) -> Result<String> {
    if kind != T::Array {
        return Ok(kind.name().to_owned());
    }
    let (item, count) = array_head(cursor, depth)?;
    if item != T::Array {
        return Ok(format!("array<{}>", item.name()));
    }
    let mut common: Option<String> = None;
    for _ in 0..count {
        let found = type_name(&mut cursor.clone(), T::Array, depth + 1)?;
        skip(cursor, T::Array, depth + 1)?;
        if common.get_or_insert_with(|| found.clone()) != &found {
            common = None;
            break;
        }
    }
    Ok(format!("array<{}>", common.as_deref().unwrap_or("array")))
}

fn decode(cursor: &mut Cursor<'_>, kind: ValueType, depth: usize) -> Result<Any> {
    let what = kind.name();
    Ok(match kind {
        T::Uint8 => Any::int(u8::from_le_bytes(cursor.number(what)?).into()),
        T::Int8 => Any::int(i8::from_le_bytes(cursor.number(what)?).into()),
        T::Uint16 => Any::int(u16::from_le_bytes(cursor.number(what)?).into()),
        T::Int16 => Any::int(i16::from_le_bytes(cursor.number(what)?).into()),
        T::Uint32 => Any::int(u32::from_le_bytes(cursor.number(what)?).into()),
        T::Int32 => Any::int(i32::from_le_bytes(cursor.number(what)?).into()),
        T::Uint64 => Any::int(u64::from_le_bytes(cursor.number(what)?).into()),
        T::Int64 => Any::int(i64::from_le_bytes(cursor.number(what)?).into()),
        T::Float32 => Any::float(f32::from_le_bytes(cursor.number(what)?).into()),
        T::Float64 => Any::float(f64::from_le_bytes(cursor.number(what)?)),
        T::Bool => Any::bool(cursor.take(1, what)? != [0]),
        T::String => {
            let bytes = cursor.string(what)?;
            std::str::from_utf8(bytes).map_or_else(|_| Any::bytes(bytes), Any::string)
        }
        T::Array => {
            let (item, count) = array_head(cursor, depth)?;
            Any::array(
                (0..count)
                    .map(|_| decode(cursor, item, depth + 1))
                    .collect::<Result<_>>()?,
            )
        }
    })
}

/// Appends a big-endian value with its bytes turned.
fn turn(cursor: &mut Cursor<'_>, kind: ValueType, depth: usize, out: &mut Vec<u8>) -> Result<()> {
    match (kind, kind.size()) {
        (T::String, _) => encode::push_string(out, cursor.string("a string")?),
        (T::Array, _) => {
            let (item, count) = array_head(cursor, depth)?;
            out.extend_from_slice(&item.code().to_le_bytes());
            out.extend_from_slice(&count.to_le_bytes());
            (0..count).try_for_each(|_| turn(cursor, item, depth + 1, out))?;
        }
        (_, size) => {
            let bytes = cursor.take(size.unwrap_or(0), kind.name())?;
            out.extend(bytes.iter().rev());
        }
    }
    Ok(())
}

fn check_text(cursor: &mut Cursor<'_>, kind: ValueType, depth: usize) -> Result<()> {
    match kind {
        T::String => {
            let at = cursor.at();
            let bytes = cursor.string("a string")?;
            let broken = std::str::from_utf8(bytes).err();
            broken.map_or(Ok(()), |error| {
                Err(fault(
                    at + 8 + error.valid_up_to() as u64,
                    "a string is not UTF-8 from here on",
                ))
            })
        }
        T::Array => match array_head(cursor, depth)? {
            (item @ (T::String | T::Array), count) => {
                (0..count).try_for_each(|_| check_text(cursor, item, depth + 1))
            }
            (plain, count) => {
                let bytes = count * plain.size().unwrap_or(0);
                cursor.take(bytes, "an array").map(drop)
            }
        },
        _ => Ok(()),
    }
}
