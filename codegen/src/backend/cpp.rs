//! The C++ front: one header per concept, printed over the handwritten ones in `detail/`.
//!
//! `spec/tensor.webidl` becomes `<tenspan/tensor.hpp>`. Every method looks its entry up in the dispatch table once and
//! calls it with packed values; how a type is packed is written by hand, once per type.

use std::collections::BTreeMap;

use minijinja::context;

use super::{Backend, Error, Files, Support, header, template};
use crate::ir::{Api, Language};

mod classes;
mod data;
mod doxygen;
mod functions;
mod headers;
mod types;

/// Prints `bind-cpp/include/tenspan`.
pub struct Cpp;

const TEMPLATES: &[(&str, &str)] = &[
    (
        "concept",
        include_str!("../../templates/cpp/concept.hpp.j2"),
    ),
    ("class", include_str!("../../templates/cpp/class.hpp.j2")),
    (
        "members",
        include_str!("../../templates/cpp/members.hpp.j2"),
    ),
    ("errors", include_str!("../../templates/cpp/errors.hpp.j2")),
    ("all", include_str!("../../templates/cpp/all.hpp.j2")),
    (
        "version",
        include_str!("../../templates/cpp/version.hpp.j2"),
    ),
];

const FOLDER: &str = "bind-cpp/include/tenspan";

impl Backend for Cpp {
    fn name(&self) -> &str {
        "cpp"
    }

    fn supports(&self) -> Support {
        Support {
            custom: false,
            ..Support::all(Some(Language::Cpp))
        }
    }

    fn generate(&self, api: &Api) -> Result<Files, Error> {
        let engine = template::environment(TEMPLATES)?;
        let mut files = Files::new();
        let concepts = headers::concepts(api)?;
        for concept in &concepts {
            let view =
                context! { header => header(&concept.name), concept => template::view(concept) };
            let text = engine.get_template("concept")?.render(view)?;
            files.add(format!("{FOLDER}/{}.hpp", concept.name), text)?;
        }
        let names: Vec<String> = concepts.into_iter().map(|concept| concept.name).collect();
        let text = engine
            .get_template("all")?
            .render(context! { header => header("*"), names })?;
        files.add(format!("{FOLDER}/tenspan.hpp"), text)?;
        let text = engine
            .get_template("version")?
            .render(version(env!("CARGO_PKG_VERSION"))?)?;
        files.add(format!("{FOLDER}/version.hpp"), text)?;
        Ok(files)
    }
}

/// The parts of the version that the preprocessor and the namespace need.
fn version(text: &str) -> Result<minijinja::Value, Error> {
    let numbers: Vec<u32> = text
        .split(['.', '-', '+'])
        .map_while(|part| part.parse().ok())
        .collect();
    let [major, minor, patch, ..] = numbers[..] else {
        return Err(Error::Other(format!(
            "version `{text}` has no three numbers"
        )));
    };
    let number = major * 10_000 + minor * 100 + patch;
    Ok(context! { header => header("*"), text, major, minor, patch, number })
}

/// Declarations of one kind by the spec file they stand in.
fn by_file<'a, T>(
    all: impl IntoIterator<Item = &'a T>,
    file: impl Fn(&T) -> &str,
) -> BTreeMap<String, Vec<&'a T>> {
    let mut files: BTreeMap<String, Vec<&T>> = BTreeMap::new();
    for one in all {
        let name = file(one).trim_end_matches(".webidl").to_owned();
        files.entry(name).or_default().push(one);
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_becomes_one_number() {
        let view = version("1.2.3-rc.4").unwrap();
        assert_eq!(view.get_attr("number").unwrap().as_i64(), Some(10203));
        assert!(version("1.2").is_err());
    }
}
