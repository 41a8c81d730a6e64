//! Element types, in one table: names, sizes, DLPack codes and GGML ids.
//!
//! A [`DType`] is a plain type, a block type of GGML, or a type that only a file knows. Everything
//! that differs between them is a column of [`ROWS`]; a new type is a new row.

use std::fmt;

use crate::error::{Error, ErrorKind, Result};
pub use crate::generated::enums::DTypeName;

/// The type of a tensor's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DType {
    /// A type of the table.
    Known(DTypeName),
    /// A GGML type id that the table does not have: its bytes can be moved, not converted.
    Opaque(u32),
}

/// What the elements of a dtype are numbers of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Real numbers with a point.
    Float,
    /// Whole numbers with a sign.
    Signed,
    /// Whole numbers without a sign.
    Unsigned,
    /// 0 or 1.
    Bool,
    /// Two floats.
    Complex,
    /// Floats encoded in blocks.
    Block,
    /// Unknown.
    Opaque,
}

struct Row {
    name: DTypeName,
    class: Class,
    block_len: u32,
    block_bytes: u32,
    dlpack: Option<u8>,
    ggml: Option<u32>,
    aliases: &'static [&'static str],
}

const fn plain(
    name: DTypeName,
    class: Class,
    bytes: u32,
    dlpack: u8,
    ggml: Option<u32>,
    aliases: &'static [&'static str],
) -> Row {
    Row {
        name,
        class,
        block_len: 1,
        block_bytes: bytes,
        dlpack: Some(dlpack),
        ggml,
        aliases,
    }
}

const fn block(name: DTypeName, block_len: u32, block_bytes: u32, ggml: u32) -> Row {
    Row {
        name,
        class: Class::Block,
        block_len,
        block_bytes,
        dlpack: None,
        ggml: Some(ggml),
        aliases: &[],
    }
}

use Class::{Bool, Complex, Float, Signed, Unsigned};
use DTypeName as N;

/// The table, in the order of the enumeration in the spec. Sizes and ids are those of ggml.h, codes
/// those of dlpack.h 1.1.
const ROWS: [Row; DTypeName::COUNT] = [
    plain(
        N::Float64,
        Float,
        8,
        2,
        Some(28),
        &["f64", "double", "float"],
    ),
    plain(N::Float32, Float, 4, 2, Some(0), &["f32", "single"]),
    plain(N::Float16, Float, 2, 2, Some(1), &["f16", "half"]),
    plain(N::Bfloat16, Float, 2, 4, Some(30), &["bf16"]),
    plain(
        N::Float8E4m3fn,
        Float,
        1,
        10,
        None,
        &["f8_e4m3", "f8_e4m3fn", "float8_e4m3", "e4m3", "e4m3fn"],
    ),
    plain(N::Float8E5m2, Float, 1, 12, None, &["f8_e5m2", "e5m2"]),
    plain(N::Int8, Signed, 1, 0, Some(24), &["i8"]),
    plain(N::Int16, Signed, 2, 0, Some(25), &["i16"]),
    plain(N::Int32, Signed, 4, 0, Some(26), &["i32"]),
    plain(N::Int64, Signed, 8, 0, Some(27), &["i64", "int"]),
    plain(N::Uint8, Unsigned, 1, 1, None, &["u8"]),
    plain(N::Uint16, Unsigned, 2, 1, None, &["u16"]),
    plain(N::Uint32, Unsigned, 4, 1, None, &["u32"]),
    plain(N::Uint64, Unsigned, 8, 1, None, &["u64"]),
    plain(N::Bool, Bool, 1, 6, None, &["bool_", "boolean"]),
    plain(N::Complex64, Complex, 8, 5, None, &["c64"]),
    plain(N::Complex128, Complex, 16, 5, None, &["c128", "complex"]),
    block(N::Q10, 128, 18, 41),
    block(N::Q20, 64, 18, 42),
    block(N::Q40, 32, 18, 2),
    block(N::Q41, 32, 20, 3),
    block(N::Q50, 32, 22, 6),
    block(N::Q51, 32, 24, 7),
    block(N::Q80, 32, 34, 8),
    block(N::Q81, 32, 36, 9),
    block(N::Q2K, 256, 84, 10),
    block(N::Q3K, 256, 110, 11),
    block(N::Q4K, 256, 144, 12),
    block(N::Q5K, 256, 176, 13),
    block(N::Q6K, 256, 210, 14),
    block(N::Q8K, 256, 292, 15),
    block(N::Iq1S, 256, 50, 19),
    block(N::Iq1M, 256, 56, 29),
    block(N::Iq2Xxs, 256, 66, 16),
    block(N::Iq2Xs, 256, 74, 17),
    block(N::Iq2S, 256, 82, 22),
    block(N::Iq3Xxs, 256, 98, 18),
    block(N::Iq3S, 256, 110, 21),
    block(N::Iq4Nl, 32, 18, 20),
    block(N::Iq4Xs, 256, 136, 23),
    block(N::Tq10, 256, 54, 34),
    block(N::Tq20, 256, 66, 35),
    block(N::Mxfp4, 32, 17, 39),
    block(N::Nvfp4, 64, 36, 40),
];

// A row out of order would give a type the sizes of another.
const _: () = {
    let mut i = 0;
    while i < ROWS.len() {
        assert!(ROWS[i].name as usize == i);
        i += 1;
    }
};

/// GGML ids that once were types, with what to say of them.
const REMOVED: [(u32, &str); 8] = [
    (4, "Q4_2"),
    (5, "Q4_3"),
    (31, "Q4_0_4_4"),
    (32, "Q4_0_4_8"),
    (33, "Q4_0_8_8"),
    (36, "IQ4_NL_4_4"),
    (37, "IQ4_NL_4_8"),
    (38, "IQ4_NL_8_8"),
];

macro_rules! constants {
    ($($constant:ident = $name:ident),* $(,)?) => {
        /// Shorthands, one for each type of the table.
        #[allow(missing_docs, reason = "each is documented in the enumeration")]
        impl DType { $(pub const $constant: DType = DType::Known(DTypeName::$name);)* }
    };
}

constants! {
    F64 = Float64, F32 = Float32, F16 = Float16, BF16 = Bfloat16, F8_E4M3 = Float8E4m3fn, F8_E5M2 = Float8E5m2,
    I8 = Int8, I16 = Int16, I32 = Int32, I64 = Int64, U8 = Uint8, U16 = Uint16, U32 = Uint32, U64 = Uint64,
    BOOL = Bool, C64 = Complex64, C128 = Complex128,
    Q1_0 = Q10, Q2_0 = Q20, Q4_0 = Q40, Q4_1 = Q41, Q5_0 = Q50, Q5_1 = Q51, Q8_0 = Q80, Q8_1 = Q81,
    Q2_K = Q2K, Q3_K = Q3K, Q4_K = Q4K, Q5_K = Q5K, Q6_K = Q6K, Q8_K = Q8K,
    IQ1_S = Iq1S, IQ1_M = Iq1M, IQ2_XXS = Iq2Xxs, IQ2_XS = Iq2Xs, IQ2_S = Iq2S, IQ3_XXS = Iq3Xxs, IQ3_S = Iq3S,
    IQ4_NL = Iq4Nl, IQ4_XS = Iq4Xs, TQ1_0 = Tq10, TQ2_0 = Tq20, MXFP4 = Mxfp4, NVFP4 = Nvfp4,
}

impl DType {
    /// Finds a dtype by its canonical name or an alias, in any case.
    ///
    /// # Errors
    /// [`ErrorKind::ValueError`] when there is no such name; the message names near ones.
    pub fn new(name: &str) -> Result<DType> {
        // As it stands is how it is mostly written.
        if let Some(row) = ROWS.iter().find(|row| row.name.as_str() == name) {
            return Ok(DType::Known(row.name));
        }
        let lower = name.trim().to_ascii_lowercase();
        let found = ROWS
            .iter()
            .find(|row| row.name.as_str() == lower || row.aliases.contains(&lower.as_str()));
        if let Some(row) = found {
            return Ok(DType::Known(row.name));
        }
        if let Some(id) = lower
            .strip_prefix("ggml_type_")
            .and_then(|id| id.parse().ok())
        {
            return Ok(DType::from_ggml_id(id));
        }
        let near = Error::missing_key("dtype", &lower, ROWS.iter().map(|row| row.name.as_str()));
        Err(Error::new(ErrorKind::ValueError, near.message()))
    }

    /// Other names that [`DType::new`] takes, beside [`DTypeName::as_str`].
    pub fn aliases(self) -> &'static [&'static str] {
        self.row().map_or(&[], |row| row.aliases)
    }

    /// The dtype of a GGML id; opaque when the table does not have it.
    pub fn from_ggml_id(id: u32) -> DType {
        match ROWS.iter().find(|row| row.ggml == Some(id)) {
            Some(row) => DType::Known(row.name),
            None => DType::Opaque(id),
        }
    }

    /// The dtype of a DLPack code and width in bits, of one lane.
    pub fn from_dlpack(code: u8, bits: u8) -> Option<DType> {
        ROWS.iter()
            .find(|row| row.dlpack == Some(code) && row.block_bytes * 8 == u32::from(bits))
            .map(|row| DType::Known(row.name))
    }

    /// Why an id of GGML is not in the table: the name it had before it was removed, if it was one.
    pub fn removed_name(id: u32) -> Option<&'static str> {
        REMOVED
            .iter()
            .find(|(removed, _)| *removed == id)
            .map(|(_, name)| *name)
    }

    fn row(self) -> Option<&'static Row> {
        match self {
            DType::Known(name) => Some(&ROWS[name as usize]),
            DType::Opaque(_) => None,
        }
    }

    /// The name in the table, unless the type is opaque.
    #[inline]
    pub fn known(self) -> Option<DTypeName> {
        match self {
            DType::Known(name) => Some(name),
            DType::Opaque(_) => None,
        }
    }

    /// Canonical name; `ggml_type_<id>` for an opaque type.
    pub fn name(self) -> String {
        self.to_string()
    }

    /// What the elements are.
    #[inline]
    pub fn class(self) -> Class {
        self.row().map_or(Class::Opaque, |row| row.class)
    }

    /// Elements that share one block; 1 for plain types.
    #[inline]
    pub fn block_len(self) -> u64 {
        self.row().map_or(1, |row| row.block_len.into())
    }

    /// Bytes of one block; 0 when unknown.
    #[inline]
    pub fn block_bytes(self) -> u64 {
        self.row().map_or(0, |row| row.block_bytes.into())
    }

    /// Average bits per element; 0 when unknown.
    pub fn bits_per_element(self) -> f64 {
        self.block_bytes() as f64 * 8.0 / self.block_len() as f64
    }

    /// Whether elements are stored in blocks.
    pub fn is_quantized(self) -> bool {
        self.class() == Class::Block
    }

    /// Whether this is a plain type of the table.
    #[inline]
    pub fn is_plain(self) -> bool {
        !matches!(self.class(), Class::Block | Class::Opaque)
    }

    /// Whether this is a type that only a file knows.
    pub fn is_opaque(self) -> bool {
        matches!(self, DType::Opaque(_))
    }

    /// Numeric id in GGML, if it has one there.
    pub fn ggml_id(self) -> Option<u32> {
        match self {
            DType::Opaque(id) => Some(id),
            DType::Known(name) => ROWS[name as usize].ggml,
        }
    }

    /// DLPack type code, if DLPack can name the type.
    pub fn dlpack_code(self) -> Option<u32> {
        self.row().and_then(|row| row.dlpack).map(u32::from)
    }

    /// Whether floats can be turned into this type.
    pub fn can_encode(self) -> bool {
        match self.class() {
            Class::Block => self
                .known()
                .and_then(crate::quant::codec)
                .is_some_and(|codec| codec.can_encode()),
            Class::Float => true,
            _ => false,
        }
    }

    /// Whether floats can be turned into this type only with importance weights.
    pub fn needs_importance(self) -> bool {
        self.known()
            .and_then(crate::quant::codec)
            .is_some_and(|codec| codec.needs_importance())
    }

    /// Whether this type can be turned into floats.
    pub fn can_decode(self) -> bool {
        match self.class() {
            Class::Block => self.known().and_then(crate::quant::codec).is_some(),
            Class::Complex | Class::Opaque => false,
            _ => true,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DType::Known(name) => f.write_str(name.as_str()),
            DType::Opaque(id) => write!(f, "ggml_type_{id}"),
        }
    }
}

/// Every dtype of the table, plain types first.
pub fn dtypes() -> Vec<DType> {
    DTypeName::ALL
        .iter()
        .map(|name| DType::Known(*name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_alias_finds_its_row_and_no_other() {
        let mut seen = std::collections::HashSet::new();
        for row in &ROWS {
            for name in row.aliases.iter().copied().chain([row.name.as_str()]) {
                assert!(seen.insert(name), "{name} stands twice");
                assert_eq!(DType::new(name).unwrap(), DType::Known(row.name));
                assert_eq!(
                    DType::new(&name.to_uppercase()).unwrap(),
                    DType::Known(row.name)
                );
            }
        }
    }

    #[test]
    fn ids_of_ggml_and_codes_of_dlpack_lead_back() {
        for dtype in dtypes() {
            if let Some(id) = dtype.ggml_id() {
                assert_eq!(DType::from_ggml_id(id), dtype);
            }
            if let Some(code) = dtype.dlpack_code() {
                assert_eq!(
                    DType::from_dlpack(code as u8, dtype.block_bytes() as u8 * 8),
                    Some(dtype)
                );
            }
        }
        assert_eq!(DType::from_ggml_id(43).name(), "ggml_type_43");
        assert_eq!(DType::new("ggml_type_43").unwrap(), DType::Opaque(43));
        assert_eq!(DType::new("ggml_type_12").unwrap(), DType::Q4_K);
    }

    #[test]
    fn there_are_27_block_types() {
        assert_eq!(dtypes().iter().filter(|d| d.is_quantized()).count(), 27);
    }

    #[test]
    fn an_unknown_name_is_a_value_error_with_a_hint() {
        let error = DType::new("flaot32").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ValueError);
        assert!(error.message().contains("`float32`"), "{error}");
    }
}
