//! Doc comments of TypeScript.

use crate::docs::{self, Style, Target};
use crate::ir::{Api, Argument, Attributes, Docs, Language};

/// Links become `{@link …}`; values of enumerations are code.
pub struct TsDoc;

impl Style for TsDoc {
    fn link(&self, target: Target<'_>, text: &str) -> String {
        match target {
            Target::EnumValue(_, value) => format!("`{}`", value.value),
            Target::Alias(alias) if alias.name.as_spec() == "NDArray" => "`NDArray`".to_owned(),
            _ => format!("{{@link {text}}}"),
        }
    }

    fn text(&self, text: &str) -> String {
        text.replace("*/", "*\u{200b}/").replace('@', "\\@")
    }
}

/// The text of docs, line by line.
pub fn text(docs: &Docs, api: &Api) -> Vec<String> {
    docs::render(docs, api, &TsDoc)
}

/// A comment of a declaration without parameters.
pub fn comment(docs: &Docs, attributes: &Attributes, api: &Api) -> Vec<String> {
    let mut lines = text(docs, api);
    lines.extend(examples(docs));
    block(with_tags(lines, attributes))
}

/// A comment of a function: its docs, parameters, and that it throws.
pub fn function(
    docs: &Docs,
    parameters: &[&Argument],
    attributes: &Attributes,
    api: &Api,
) -> Vec<String> {
    let mut lines = text(docs, api);
    let described = parameters
        .iter()
        .filter(|parameter| !parameter.docs.lines.is_empty());
    let described: Vec<String> = described
        .flat_map(|parameter| param(parameter, api))
        .collect();
    if (!described.is_empty() || attributes.throws) && !lines.is_empty() {
        lines.push(String::new());
    }
    lines.extend(described);
    if attributes.throws {
        lines.push("@throws {@link TenspanError}".to_owned());
    }
    lines.extend(examples(docs));
    block(with_tags(lines, attributes))
}

/// The programs of JavaScript.
fn examples(docs: &Docs) -> Vec<String> {
    let of_here = docs
        .examples
        .iter()
        .filter(|example| example.language == Language::Node);
    let shown = of_here.flat_map(|example| {
        let fence = |text: &str| text.to_owned();
        let lines = example
            .lines
            .iter()
            .map(|line| line.replace("*/", "*\u{200b}/"));
        ["@example".to_owned(), fence("```js")]
            .into_iter()
            .chain(lines)
            .chain([fence("```")])
    });
    shown.collect()
}

fn param(parameter: &Argument, api: &Api) -> Vec<String> {
    let mut lines = text(&parameter.docs, api);
    if let Some(first) = lines.first_mut() {
        *first = format!("@param {} - {first}", super::calls::parameter(parameter));
    }
    lines
}

fn with_tags(mut lines: Vec<String>, attributes: &Attributes) -> Vec<String> {
    if let Some(version) = &attributes.since {
        lines.push(format!("@since {version}"));
    }
    if let Some(reason) = &attributes.deprecated {
        lines.push(format!("@deprecated {reason}"));
    }
    lines
}

/// The lines between the marks of a comment; none for nothing to say.
pub fn block(lines: Vec<String>) -> Vec<String> {
    match lines.as_slice() {
        [] => Vec::new(),
        [line] => vec![format!("/** {line} */")],
        _ => {
            let inner = lines
                .iter()
                .map(|line| format!(" * {line}").trim_end().to_owned());
            ["/**".to_owned()]
                .into_iter()
                .chain(inner)
                .chain([" */".to_owned()])
                .collect()
        }
    }
}
