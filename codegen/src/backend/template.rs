//! The template engine as every backend uses it: templates print and loop, nothing else.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, UndefinedBehavior, Value};
use serde::Serialize;

use super::Error;

/// An engine over named templates.
///
/// Block tags take their whole line, so that templates can be indented for reading. A name that the
/// view does not have is an error, not an empty text.
///
/// # Errors
/// When a template does not parse.
pub fn environment(
    templates: &'static [(&'static str, &'static str)],
) -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build()?;
    environment.set_syntax(syntax);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    for (name, text) in templates {
        environment.add_template(name, text)?;
    }
    Ok(environment)
}

/// A serializable view as a value that templates can read.
pub fn view(view: impl Serialize) -> Value {
    Value::from(Serde(view))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_tags_leave_no_empty_lines() {
        let engine =
            environment(&[("t", "a\n  {% for x in xs %}\n{{ x }}\n  {% endfor %}\nb\n")]).unwrap();
        let text = engine
            .get_template("t")
            .unwrap()
            .render(minijinja::context! { xs => [1, 2] })
            .unwrap();
        assert_eq!(text, "a\n1\n2\nb\n");
    }

    #[test]
    fn an_unknown_name_is_an_error() {
        let engine = environment(&[("t", "{{ missing }}")]).unwrap();
        assert!(
            engine
                .get_template("t")
                .unwrap()
                .render(minijinja::context! {})
                .is_err()
        );
    }

    #[test]
    fn nothing_is_escaped() {
        let engine = environment(&[("t.html", "{{ x }}")]).unwrap();
        let text = engine
            .get_template("t.html")
            .unwrap()
            .render(minijinja::context! { x => "Vec<u8>" })
            .unwrap();
        assert_eq!(text, "Vec<u8>");
    }
}
