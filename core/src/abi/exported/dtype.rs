//! Dtypes as the ABI writes them: a class, bits and lanes, such as `float32x4`.

use std::ffi::c_int;

use super::{guarded, required, text, write};
use crate::abi::any::Any;
use crate::abi::layout::{ByteArray, DLDataType, RawAny};
use crate::error::{Error, ErrorKind, Result};

const HANDLE: u8 = 3;
const BOOL: u8 = 6;

/// Classes whose bits are written out, with their code and the bits that they have when none are.
const SIZED: [(&str, u8, u8); 5] = [
    ("int", 0, 32),
    ("uint", 1, 32),
    ("float", 2, 32),
    ("bfloat", 4, 16),
    ("complex", 5, 64),
];

/// Types that have one size, with their code. A name stands before every name that it begins with.
const FIXED: [(&str, u8, u8); 12] = [
    ("float8_e3m4", 7, 8),
    ("float8_e4m3b11fnuz", 9, 8),
    ("float8_e4m3fnuz", 11, 8),
    ("float8_e4m3fn", 10, 8),
    ("float8_e4m3", 8, 8),
    ("float8_e5m2fnuz", 13, 8),
    ("float8_e5m2", 12, 8),
    ("float8_e8m0fnu", 14, 8),
    ("float6_e2m3fn", 15, 6),
    ("float6_e3m2fn", 16, 6),
    ("float4_e2m1fn", 17, 4),
    ("bool", BOOL, 8),
];

/// The dtype of a text.
fn parse(name: &str) -> Result<DLDataType> {
    let wrong = || {
        let message = format!("`{name}` is no dtype");
        Error::new(ErrorKind::ValueError, message)
    };
    let of = |code, bits, lanes| DLDataType { code, bits, lanes };
    if matches!(name, "" | "void") {
        return Ok(of(HANDLE, 0, 0));
    }
    let fixed = FIXED
        .iter()
        .find_map(|(known, code, bits)| Some((name.strip_prefix(known)?, *code, *bits)));
    if let Some((rest, code, bits)) = fixed {
        return Ok(of(code, bits, lanes(rest).ok_or_else(wrong)?));
    }
    if let Some(rest) = name.strip_prefix("handle") {
        return Ok(of(HANDLE, 64, lanes(rest).ok_or_else(wrong)?));
    }
    let sized = SIZED
        .iter()
        .find_map(|(known, code, bits)| Some((name.strip_prefix(known)?, *code, *bits)));
    let (rest, code, default) = sized.ok_or_else(wrong)?;
    let digits = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (bits, rest) = rest.split_at(digits);
    let bits = match bits {
        "" => default,
        digits => digits
            .parse()
            .ok()
            .filter(|bits| *bits > 0)
            .ok_or_else(wrong)?,
    };
    Ok(of(code, bits, lanes(rest).ok_or_else(wrong)?))
}

/// The lanes after a type: `x4`, or none for one lane.
fn lanes(rest: &str) -> Option<u16> {
    match rest.strip_prefix('x') {
        _ if rest.is_empty() => Some(1),
        Some(count) => count.parse().ok().filter(|count| *count > 0),
        None => None,
    }
}

/// The text of a dtype.
fn spell(dtype: DLDataType) -> String {
    let DLDataType { code, bits, lanes } = dtype;
    let mut name = match (code, bits, lanes) {
        (HANDLE, 0, 0) => return "void".to_owned(),
        (HANDLE, ..) => "handle".to_owned(),
        // One bit was the size of a truth value once.
        (BOOL, 8 | 1, _) | (1, 1, _) => "bool".to_owned(),
        _ => {
            let fixed = FIXED
                .iter()
                .find(|(_, known, _)| *known == code && code != BOOL);
            let sized = SIZED.iter().find(|(_, known, _)| *known == code);
            match (fixed, sized) {
                (Some((name, ..)), _) => (*name).to_owned(),
                (None, Some((class, ..))) => format!("{class}{bits}"),
                (None, None) => format!("custom[{code}]{bits}"),
            }
        }
    };
    if lanes > 1 {
        name.push_str(&format!("x{lanes}"));
    }
    name
}

/// The dtype of a text.
pub unsafe extern "C" fn data_type_from_string(
    name: *const ByteArray,
    out: *mut DLDataType,
) -> c_int {
    guarded(|| {
        // SAFETY: the caller gives a valid array.
        let dtype = parse(unsafe { text(name, "the name of a dtype") }?)?;
        // SAFETY: the caller gives room for a dtype.
        unsafe { write(out, dtype) }
    })
}

/// The text of a dtype, as a value.
pub unsafe extern "C" fn data_type_to_string(dtype: *const DLDataType, out: *mut RawAny) -> c_int {
    guarded(|| {
        // SAFETY: the caller gives a valid dtype.
        let name = spell(*unsafe { required(dtype, "the dtype") }?);
        // SAFETY: the caller gives room for a value.
        unsafe { write(out, Any::string(&name).into_raw()) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_and_its_dtype_belong_together() {
        let names = [
            "int8",
            "uint64",
            "float32",
            "float16x8",
            "bfloat16",
            "complex128",
            "bool",
            "boolx4",
            "handle",
            "void",
            "float8_e4m3",
            "float8_e4m3fn",
            "float8_e4m3b11fnuz",
            "float8_e5m2fnuz",
            "float6_e2m3fn",
            "float4_e2m1fnx2",
            "int4",
            "uint1x8",
        ];
        for name in names {
            let expected = if name == "uint1x8" { "boolx8" } else { name };
            assert_eq!(spell(parse(name).unwrap()), expected);
        }
        assert_eq!(parse("int").unwrap().bits, 32);
        assert_eq!(parse("float").unwrap().bits, 32);
        assert_eq!(parse("").unwrap(), parse("void").unwrap());
    }

    #[test]
    fn what_is_no_dtype_is_a_value_error() {
        let wrong = [
            "float32x",
            "float32x0",
            "int0",
            "int999",
            "floats",
            "x4",
            "bool8",
            "float32 ",
        ];
        for wrong in wrong {
            let error = parse(wrong).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ValueError, "{wrong}");
        }
    }
}
