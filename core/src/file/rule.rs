//! Rules: which tensor is quantized to which format.
//!
//! ```text
//! rules  =  rule { ";" rule }
//! rule   =  [ pattern "=" ] dtype { "," dtype }
//! ```
//! In a pattern `*` stands for any letters and `?` for one.

use super::gguf::write::check_dtype;
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::shape;

/// Rules in order; the first whose pattern fits a name counts.
#[derive(Debug)]
pub(crate) struct Rules(Vec<Rule>);

#[derive(Debug)]
struct Rule {
    /// Every name when there is none.
    pattern: Option<String>,
    /// In order of preference.
    dtypes: Vec<DType>,
}

impl Rules {
    /// Reads rules.
    ///
    /// # Errors
    /// [`ErrorKind::ValueError`] when a part is empty or a dtype unknown, [`ErrorKind::UnsupportedConversion`] when floats
    /// cannot be turned into a dtype, not even `by_importance` if that is given, or GGUF does not have it.
    pub(crate) fn parse(text: &str, by_importance: bool) -> Result<Rules> {
        text.split(';')
            .map(|rule| Rule::parse(rule, by_importance))
            .collect::<Result<_>>()
            .map(Rules)
            .map_err(|error| error.at(format_args!("rule {text:?}")))
    }

    /// The formats for a tensor, in order of preference, of which only those remain whose blocks fit its rows.
    pub(crate) fn choices<'a>(
        &'a self,
        name: &str,
        shape: &'a [u64],
    ) -> impl Iterator<Item = DType> + 'a {
        let fits = |rule: &&Rule| {
            rule.pattern
                .as_ref()
                .is_none_or(|pattern| matches(pattern.as_bytes(), name.as_bytes()))
        };
        let dtypes = self
            .0
            .iter()
            .find(fits)
            .map_or(&[][..], |rule| &rule.dtypes);
        dtypes
            .iter()
            .copied()
            .filter(|dtype| shape::check(*dtype, shape).is_ok())
    }
}

impl Rule {
    fn parse(text: &str, by_importance: bool) -> Result<Rule> {
        let (pattern, dtypes) = match text.rsplit_once('=') {
            Some((pattern, dtypes)) => (Some(pattern.trim().to_owned()), dtypes),
            None => (None, text),
        };
        if pattern.as_deref() == Some("") {
            return Err(Error::new(
                ErrorKind::ValueError,
                "there is no pattern before `=`",
            ));
        }
        Ok(Rule {
            pattern,
            dtypes: dtypes
                .split(',')
                .map(|name| dtype(name, by_importance))
                .collect::<Result<_>>()?,
        })
    }
}

fn dtype(name: &str, by_importance: bool) -> Result<DType> {
    if name.trim().is_empty() {
        return Err(Error::new(
            ErrorKind::ValueError,
            "a dtype is missing; write rules as `q4_k,q8_0` or `*embed*=q8_0;*=q4_k`",
        ));
    }
    let dtype = DType::new(name)?;
    let lacks_importance = dtype.needs_importance() && !by_importance;
    if !dtype.can_encode() || lacks_importance {
        let message = match lacks_importance {
            true => format!("floats cannot be turned into {dtype} without importance weights"),
            false => format!("floats cannot be turned into {dtype}"),
        };
        return Err(Error::new(ErrorKind::UnsupportedConversion, message));
    }
    if check_dtype("", dtype).is_err() {
        let message = format!("GGUF does not have {dtype}");
        return Err(Error::new(ErrorKind::UnsupportedConversion, message));
    }
    Ok(dtype)
}

/// Whether a pattern fits a whole name.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    // The last star, and how much of the name it stands for: on a mismatch it takes one more. Time is
    // bounded by the product of the lengths.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(b'?') => {
                p += 1;
                n += 1;
                // The rest of a letter of several bytes.
                while name.get(n).is_some_and(|byte| byte & 0xc0 == 0x80) {
                    n += 1;
                }
            }
            Some(byte) if *byte == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, taken)) = star else {
                    return false;
                };
                star = Some((at, taken + 1));
                (p, n) = (at + 1, taken + 1);
            }
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks_fit_as_in_file_names() {
        for (pattern, name, fits) in [
            ("*", "", true),
            ("", "", true),
            ("a*b*c", "a.b.b.c", true),
            ("a*b*c", "a.b.b.d", false),
            ("*embed*", "tok_embeddings.weight", true),
            ("blk.?.w", "blk.1.w", true),
            ("blk.?.w", "blk.12.w", false),
            ("?", "ä", true),
            ("??", "ä", false),
            ("*.weight", "weight", false),
            ("a", "ab", false),
        ] {
            assert_eq!(
                matches(pattern.as_bytes(), name.as_bytes()),
                fits,
                "{pattern} {name}"
            );
        }
    }

    #[test]
    fn the_first_rule_that_fits_a_name_counts_and_in_it_the_formats_that_fit_the_rows() {
        let rules = Rules::parse(" *embed*=q8_0 ; *=q4_k, q8_0 ", false).unwrap();
        let chosen = |name, shape: &[u64]| rules.choices(name, shape).next();
        assert_eq!(chosen("embed", &[2, 256]), Some(DType::Q8_0));
        assert_eq!(chosen("w", &[2, 256]), Some(DType::Q4_K));
        assert_eq!(chosen("w", &[2, 384]), Some(DType::Q8_0));
        assert_eq!(chosen("w", &[2, 40]), None);
        assert_eq!(
            Rules::parse("x=q8_0", false)
                .unwrap()
                .choices("y", &[2, 32])
                .next(),
            None
        );
    }

    #[test]
    fn broken_rules_say_what_is_wrong() {
        for (rule, kind, part) in [
            ("", ErrorKind::ValueError, "a dtype is missing"),
            ("q8_0;", ErrorKind::ValueError, "a dtype is missing"),
            ("=q8_0", ErrorKind::ValueError, "no pattern"),
            ("q8_1x", ErrorKind::ValueError, "did you mean"),
            (
                "int8",
                ErrorKind::UnsupportedConversion,
                "floats cannot be turned into int8",
            ),
            (
                "float8_e5m2",
                ErrorKind::UnsupportedConversion,
                "GGUF does not have float8_e5m2",
            ),
        ] {
            let error = Rules::parse(rule, false).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(
                error.message().contains(part) && error.message().contains(&format!("{rule:?}")),
                "{error}"
            );
        }
    }
}
