//! Names in the cases of each language, from the one spelling of the spec.
//!
//! A name is split into words once; every case is a way of joining them. Words that the usual
//! rules would tear apart (`DType` is one word) stand in a table.

use crate::ir::Name;

/// Words written with inner capitals: as the spec has them, in lower case, in PascalCase.
const WHOLE_WORDS: &[(&str, &str)] = &[
    ("DType", "dtype"),
    ("Dtype", "dtype"),
    ("DLPack", "dlpack"),
    ("Dlpack", "dlpack"),
    ("NumPy", "numpy"),
    ("TypedArray", "typedarray"),
    ("NDArray", "ndarray"),
];

/// Words of the table whose PascalCase is not their lower case with one capital.
const PASCAL_WORDS: &[(&str, &str)] = &[
    ("dtype", "DType"),
    ("dlpack", "Dlpack"),
    ("typedarray", "TypedArray"),
    ("ndarray", "NDArray"),
];

/// Words of Rust that cannot name a field or an argument as they are.
const RUST_KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

impl Name {
    /// The name as the spec writes it.
    pub fn as_spec(&self) -> &str {
        &self.0
    }

    /// `blockLen` and `BlockLen` become `block_len`.
    pub fn snake(&self) -> String {
        words(&self.0).join("_")
    }

    /// `BlockLen` and `block_len` become `blockLen`; `DType` becomes `dtype`.
    pub fn camel(&self) -> String {
        let mut words = words(&self.0).into_iter();
        let first = words.next().unwrap_or_default();
        first + &words.map(|word| capitalized(&word)).collect::<String>()
    }

    /// `blockLen` and `block_len` become `BlockLen`; a name that is PascalCase already is kept.
    pub fn pascal(&self) -> String {
        let starts_upper = self.0.starts_with(|c: char| c.is_ascii_uppercase());
        if starts_upper && self.0.chars().all(|c| c.is_ascii_alphanumeric()) {
            return self.0.clone();
        }
        words(&self.0)
            .iter()
            .map(|word| capitalized(word))
            .collect()
    }

    /// `blockLen` becomes `BLOCK_LEN`.
    pub fn screaming(&self) -> String {
        self.snake().to_ascii_uppercase()
    }

    /// [`Name::snake`], as a raw identifier when the word is a keyword of Rust.
    pub fn rust(&self) -> String {
        let snake = self.snake();
        if RUST_KEYWORDS.contains(&snake.as_str()) {
            format!("r#{snake}")
        } else {
            snake
        }
    }
}

/// The name of an enumeration's variant: `q4_k` becomes `Q4K`, `ShapeMismatch` stays.
pub fn variant(value: &str) -> String {
    Name(value.to_owned()).pascal()
}

/// Splits a name of any case into words in lower case.
fn words(name: &str) -> Vec<String> {
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
        .flat_map(humps)
        .collect()
}

/// Splits camelCase and PascalCase; digits stay with the word before them.
fn humps(part: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = part;
    while !rest.is_empty() {
        let (taken, word) = first_hump(rest);
        words.push(word);
        rest = &rest[taken..];
    }
    words
}

/// The first word of `rest` and the bytes it takes there.
fn first_hump(rest: &str) -> (usize, String) {
    if let Some((written, word)) = WHOLE_WORDS
        .iter()
        .find(|(written, _)| begins_with_word(rest, written))
    {
        return (written.len(), (*word).to_owned());
    }
    let bytes = rest.as_bytes();
    let capitals = bytes.iter().take_while(|b| b.is_ascii_uppercase()).count();
    // In a run of capitals the last one begins the next word: `OSError` is `os`, `error`.
    let head = if capitals > 1 && bytes.get(capitals).is_some_and(u8::is_ascii_lowercase) {
        capitals - 1
    } else {
        let from = capitals.max(1);
        from + bytes[from..]
            .iter()
            .take_while(|b| !b.is_ascii_uppercase())
            .count()
    };
    (head, rest[..head].to_ascii_lowercase())
}

fn begins_with_word(rest: &str, word: &str) -> bool {
    rest.strip_prefix(word)
        .is_some_and(|after| !after.starts_with(|c: char| c.is_ascii_lowercase()))
}

fn capitalized(word: &str) -> String {
    if let Some((_, pascal)) = PASCAL_WORDS.iter().find(|(lower, _)| *lower == word) {
        return (*pascal).to_owned();
    }
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_ascii_uppercase().to_string() + chars.as_str()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Name {
        Name(text.to_owned())
    }

    #[test]
    fn snake_case_splits_at_humps() {
        for (spec, snake) in [
            ("blockLen", "block_len"),
            ("Tensor", "tensor"),
            ("ndim", "ndim"),
            ("fromNumpy", "from_numpy"),
            ("QuantizeFileOptions", "quantize_file_options"),
            ("ggmlId", "ggml_id"),
            ("asReadonly", "as_readonly"),
        ] {
            assert_eq!(name(spec).snake(), snake);
        }
    }

    #[test]
    fn dtype_is_one_word() {
        assert_eq!(name("DType").snake(), "dtype");
        assert_eq!(name("DTypeName").snake(), "dtype_name");
        assert_eq!(name("DTypeLike").camel(), "dtypeLike");
        assert_eq!(name("dtype").pascal(), "DType");
        assert_eq!(name("fromDLPack").snake(), "from_dlpack");
    }

    #[test]
    fn runs_of_capitals_are_one_word() {
        assert_eq!(name("OSError").snake(), "os_error");
        assert_eq!(name("OSError").pascal(), "OSError");
        assert_eq!(name("NDArray").snake(), "ndarray");
        assert_eq!(name("readGGUF").snake(), "read_gguf");
    }

    #[test]
    fn whole_words_do_not_swallow_longer_ones() {
        assert_eq!(name("DTypewriter").snake(), "d_typewriter");
    }

    #[test]
    fn camel_case_comes_from_any_case() {
        assert_eq!(name("block_len").camel(), "blockLen");
        assert_eq!(name("BlockLen").camel(), "blockLen");
        assert_eq!(name("DType").camel(), "dtype");
    }

    #[test]
    fn screaming_case_is_snake_case_in_capitals() {
        assert_eq!(name("blockLen").screaming(), "BLOCK_LEN");
    }

    #[test]
    fn variants_come_from_strings() {
        for (value, expected) in [
            ("q4_k", "Q4K"),
            ("iq2_xxs", "Iq2Xxs"),
            ("float8_e4m3fn", "Float8E4m3fn"),
            ("ShapeMismatch", "ShapeMismatch"),
            ("TypeError", "TypeError"),
            ("bool", "Bool"),
            ("little-endian", "LittleEndian"),
        ] {
            assert_eq!(variant(value), expected);
        }
    }

    #[test]
    fn keywords_become_raw_identifiers() {
        assert_eq!(name("type").rust(), "r#type");
        assert_eq!(name("typeOf").rust(), "type_of");
    }
}
