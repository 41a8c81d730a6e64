//! Doc comments of Rust.

use crate::docs::{Style, Target, is_member_name};
use crate::ir::{Attributes, Language, Name};
use crate::naming;

/// Links become intra-doc links, names of members snake case.
pub struct Rustdoc;

impl Style for Rustdoc {
    fn link(&self, target: Target<'_>, text: &str) -> String {
        let item = |path: String| format!("[`{path}`](crate::{path})");
        let data =
            |module: &str, path: String| format!("[`{path}`](crate::generated::{module}::{path})");
        let member = |class: &Name, member: &Name, attributes: &Attributes| {
            let path = format!("{}::{}", class.pascal(), member.snake());
            if in_core(attributes) {
                item(path)
            } else {
                format!("`{path}`")
            }
        };
        match target {
            Target::Interface(class) => item(class.name.pascal()),
            Target::Property(class, property) => {
                member(&class.name, &property.name, &property.attributes)
            }
            Target::Method(class, method) => member(&class.name, &method.name, &method.attributes),
            Target::Function(function) if in_core(&function.attributes) => {
                item(function.path_as("::", Name::snake, Name::snake))
            }
            Target::Function(function) => format!("`{}`", function.name.snake()),
            Target::Enum(choice) => data("enums", choice.name.pascal()),
            Target::EnumValue(choice, value) => data(
                "enums",
                format!(
                    "{}::{}",
                    choice.name.pascal(),
                    naming::variant(&value.value)
                ),
            ),
            Target::Dictionary(dictionary) => data("dictionaries", dictionary.name.pascal()),
            Target::Member(dictionary, member) => data(
                "dictionaries",
                format!("{}::{}", dictionary.name.pascal(), member.name.snake()),
            ),
            Target::Callback(callback) => data("dictionaries", callback.name.pascal()),
            Target::Alias(_) => format!("`{text}`"),
        }
    }

    fn code(&self, code: &str) -> String {
        if is_member_name(code) {
            format!("`{}`", Name(code.to_owned()).snake())
        } else {
            format!("`{code}`")
        }
    }
}

fn in_core(attributes: &Attributes) -> bool {
    !attributes.custom && attributes.is_printed(Language::Rust)
}
