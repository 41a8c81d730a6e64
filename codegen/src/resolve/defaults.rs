//! Defaults: every optional value has one, and it fits its type.

use super::{Kind, Resolver};
use crate::diagnostic::Problem;
use crate::ir::{Literal, Type};
use crate::syntax::ast;

impl Resolver<'_> {
    pub(super) fn check_default(&mut self, argument: &ast::Argument, ty: &Type) {
        let name = &argument.name;
        match &argument.default {
            None if argument.optional => {
                let problem = Problem::new(name.span, format!("`{}` has no default", name.text));
                self.problem(problem.hint(
                    "what may be missing has a default: a value, or `null` for a type with `?`",
                ));
            }
            None => {}
            Some(default) => {
                if let Err(why) = self.fits(&default.value, ty) {
                    let problem = Problem::new(
                        default.span,
                        format!("this is no default for `{}`", name.text),
                    );
                    self.problem(match why {
                        Misfit::Wanted(wanted) => problem.hint(format!("expected {wanted}")),
                        Misfit::NoValue(value, values) => {
                            let known: Vec<&str> = values.iter().map(String::as_str).collect();
                            problem
                                .hint("not a value of the enum")
                                .did_you_mean(&value, known)
                        }
                    });
                }
            }
        }
    }

    fn fits(&self, literal: &Literal, ty: &Type) -> Result<(), Misfit> {
        match (ty, literal) {
            (Type::Alias { target, .. }, _) => self.fits(literal, target),
            (Type::Nullable(_), Literal::Null) | (Type::Any, _) => Ok(()),
            (Type::Nullable(inner), _) => self.fits(literal, inner),
            (Type::Union(members), _) => {
                let tried: Result<Vec<()>, Misfit> = members
                    .iter()
                    .map(|member| flip(self.fits(literal, member)))
                    .collect();
                match tried {
                    Ok(_) => Err(Misfit::Wanted(
                        "a value of one of the union's members".to_owned(),
                    )),
                    // A member took it.
                    Err(_) => Ok(()),
                }
            }
            (Type::Boolean, Literal::Boolean(_)) => Ok(()),
            (Type::Boolean, _) => Err(Misfit::wanted("`true` or `false`")),
            (Type::Integer { signed, bits }, Literal::Integer(value)) => {
                let (least, most) = bounds(*signed, *bits);
                let fits = (least..=most).contains(&i128::from(*value));
                if fits {
                    Ok(())
                } else {
                    Err(Misfit::Wanted(format!(
                        "a whole number from {least} to {most}"
                    )))
                }
            }
            (Type::Integer { .. }, _) => Err(Misfit::wanted("a whole number")),
            (Type::Double, Literal::Integer(_) | Literal::Double(_)) => Ok(()),
            (Type::Double, _) => Err(Misfit::wanted("a number")),
            (Type::String, Literal::String(_)) => Ok(()),
            (Type::String, _) => Err(Misfit::wanted("a text in quotes")),
            (Type::Enum(name), Literal::String(value)) => {
                let values = self
                    .names
                    .get(name)
                    .filter(|d| d.kind == Kind::Enum)
                    .map(|d| d.values.clone())
                    .unwrap_or_default();
                if values.contains(value) {
                    Ok(())
                } else {
                    Err(Misfit::NoValue(value.clone(), values))
                }
            }
            (Type::Enum(_), _) => Err(Misfit::wanted("a value of the enum in quotes")),
            (Type::Sequence(_), Literal::EmptySequence) => Ok(()),
            (Type::Sequence(_), _) => Err(Misfit::wanted("`[]`")),
            (Type::Dictionary(_), Literal::EmptyDictionary) => Ok(()),
            (Type::Dictionary(_), _) => Err(Misfit::wanted("`{}`")),
            _ => Err(Misfit::wanted(
                "a type with `?` and `null`: this type has no literals",
            )),
        }
    }
}

/// Why a literal does not fit.
enum Misfit {
    Wanted(String),
    NoValue(String, Vec<String>),
}

impl Misfit {
    fn wanted(what: &str) -> Misfit {
        Misfit::Wanted(what.to_owned())
    }
}

/// Makes the first success end an iteration.
fn flip(fit: Result<(), Misfit>) -> Result<(), Misfit> {
    match fit {
        Ok(()) => Err(Misfit::wanted("")),
        Err(_) => Ok(()),
    }
}

/// The least and the greatest value of an integer type.
fn bounds(signed: bool, bits: u8) -> (i128, i128) {
    if signed {
        (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    } else {
        (0, (1 << bits) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::bounds;

    #[test]
    fn bounds_are_those_of_the_rust_types() {
        assert_eq!(bounds(true, 64), (i64::MIN.into(), i64::MAX.into()));
        assert_eq!(bounds(false, 64), (0, u64::MAX.into()));
        assert_eq!(bounds(false, 8), (0, 255));
    }
}
