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
            namespaces: false,
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
        let docs = doxygen::lines(&api.docs, api);
        let text = engine
            .get_template("all")?
            .render(context! { header => header("*"), docs, names })?;
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
    use std::path::Path;

    use super::*;

    fn printed(path: &str) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/everything");
        let spec = crate::load_spec(&folder).unwrap_or_else(|error| panic!("{error}"));
        let files = Cpp.generate(&spec.api).unwrap();
        files.get(&format!("{FOLDER}/{path}")).unwrap().to_owned()
    }

    #[track_caller]
    fn assert_holds(text: &str, parts: &[&str]) {
        for part in parts {
            assert!(text.contains(part), "`{part}` is missing in\n{text}");
        }
    }

    #[test]
    fn functions_look_their_entry_up_once_and_pass_members_one_by_one() {
        let text = printed("everything.hpp");
        assert_holds(
            &text,
            &[
                "[[nodiscard]] inline double sum(const Sequence<double>& numbers, double start = 1.5) {",
                "static const std::int32_t method_ = detail::method(\"sum\");",
                "const BytesView& bytes, const Any& value, const Record<ThingLike>& things",
                "options.decide, options.loud, options.often, options.way, options.which);",
                "Colour colour = Colour::SeaGreen",
            ],
        );
        assert!(!text.contains("show("), "what C++ skips is printed");
    }

    #[test]
    fn classes_have_properties_collections_and_statics() {
        assert_holds(
            &printed("everything.hpp"),
            &[
                "explicit Thing(std::string_view name);",
                "static Thing red();",
                "void set_name(std::string_view value);",
                "detail::method(\"Thing.name=\")",
                "using iterator = detail::IndexIterator<Thing, Thing>;",
                "void set(std::string_view key, const Thing& value);",
                "using ThingLike = detail::Like<Thing>;",
                "using Decide = std::function<bool(Thing thing, std::vector<std::int32_t> values, std::optional<Point> place)>;",
            ],
        );
    }

    #[test]
    fn docs_are_those_of_doxygen() {
        assert_holds(
            &printed("everything.hpp"),
            &[
                "/// Sums numbers, see Thing::scale() and Colour::Green.",
                "/// \\param start Where `start_value` begins.\n///   Goes on here.",
                "/// \\throws Error  Its kind() tells what went wrong.",
                "/// \\since 0.2",
                "/// \\deprecated use another thing",
            ],
        );
    }

    #[test]
    fn every_entry_is_in_the_dispatch_table() {
        let table = {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/everything");
            let spec = crate::load_spec(&folder).unwrap_or_else(|error| panic!("{error}"));
            let files = crate::backend::core::Core.generate(&spec.api).unwrap();
            files
                .get("core/src/generated/dispatch.rs")
                .unwrap()
                .to_owned()
        };
        let text = printed("everything.hpp");
        let entries: Vec<&str> = text
            .split("detail::method(\"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
            .collect();
        assert!(entries.len() > 20);
        for entry in entries {
            assert!(
                table.contains(&format!("(\"{entry}\", ")),
                "`{entry}` is not in the table"
            );
        }
    }

    #[test]
    fn a_version_becomes_one_number() {
        let view = version("1.2.3-rc.4").unwrap();
        assert_eq!(view.get_attr("number").unwrap().as_i64(), Some(10203));
        assert!(version("1.2").is_err());
    }
}
