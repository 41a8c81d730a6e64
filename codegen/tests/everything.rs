//! A spec that uses every construct: what it means, and what is printed from it.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

use std::path::Path;

use tenspan_codegen::backend::{Backend, Support, core::Core, markdown::Markdown};
use tenspan_codegen::generate::{self, generate};
use tenspan_codegen::ir::{Language, Literal, Type};
use tenspan_codegen::{Sources, Spec, backend, ir, load_spec};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/everything")
}

fn spec() -> Spec {
    load_spec(&folder()).unwrap_or_else(|error| panic!("{error}"))
}

fn printed(path: &str) -> String {
    let backends: Vec<Box<dyn Backend>> = vec![Box::new(Core), Box::new(Markdown)];
    let files = generate(&folder(), spec(), &backends).unwrap_or_else(|error| panic!("{error}"));
    files
        .get(path)
        .unwrap_or_else(|| panic!("{path} is not printed"))
        .to_owned()
}

/// Fails unless every line of `wanted` stands in `text`, in this order; indentation aside.
#[track_caller]
fn assert_lines(text: &str, wanted: &str) {
    let mut lines = text.lines().map(str::trim);
    for line in wanted
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        assert!(
            lines.any(|found| found == line),
            "`{line}` is missing, or not in this order, in\n{text}"
        );
    }
}

#[test]
fn functions_of_an_inner_namespace_have_its_name() {
    let api = spec().api;
    assert_eq!(api.namespaces[0].name.as_spec(), "cpp");
    assert_eq!(api.namespaces[0].docs.lines, ["Tools for it."]);
    assert!(
        api.functions
            .iter()
            .any(|function| function.path() == "cpp.make")
    );
    let text = printed("core/src/generated/dispatch.rs");
    assert_lines(
        &text,
        r#"
        ("cpp.make", cpp_make),
        fn cpp_make(args: Args<'_>) -> Result<Any> {
        let words = args.get::<crate::value::Texts>(0, "words")?.0;
        Ok(crate::cpp::make(&words, &more)?.into_any())
        "#,
    );
    let text = printed("docs/reference/everything.md");
    assert!(text.contains("tenspan.cpp.make(words, more=[])"), "{text}");
    assert!(text.contains("tenspan::cpp::words()"), "{text}");
}

#[test]
fn docs_are_split_into_parts() {
    let api = spec().api;
    let sum = &api.functions[0];
    assert_eq!(
        sum.docs.lines,
        ["Sums numbers, see [Thing.scale] and [Colour.green]."]
    );
    assert_eq!(
        sum.arguments[1].docs.lines,
        ["Where `startValue` begins.", "Goes on here."]
    );
    assert_eq!(
        sum.arguments[1].default,
        Some(Literal::Double("1.5".to_owned()))
    );
}

#[test]
fn attributes_are_read() {
    let api = spec().api;
    assert_eq!(api.functions[0].attributes.since.as_deref(), Some("0.2"));
    let thing = api.interface("Thing").unwrap();
    assert_eq!(
        thing.attributes.deprecated.as_deref(),
        Some("use another thing")
    );
    assert_eq!(
        thing.methods[0].attributes.rename.as_deref(),
        Some("scaled")
    );
    let show = api
        .functions
        .iter()
        .find(|function| function.name.as_spec() == "show")
        .unwrap();
    assert!(show.attributes.custom && show.attributes.skip.contains(&Language::Rust));
    assert!(api.interface("Point").unwrap().is_value);
}

#[test]
fn partial_members_come_last() {
    let names: Vec<String> = spec()
        .api
        .interface("Thing")
        .unwrap()
        .methods
        .iter()
        .map(|m| m.name.0.clone())
        .collect();
    assert_eq!(names, ["scale", "report", "copied"]);
}

#[test]
fn a_union_resolves_to_its_first_member() {
    let take = spec().api.functions[2].clone();
    let thing = &take.arguments[6].ty;
    assert_eq!(thing.alias(), Some("ThingLike"));
    assert_eq!(
        thing.non_null().0.resolved(),
        &Type::Interface("Thing".to_owned())
    );
}

#[test]
fn positions_are_those_of_the_names() {
    let api = spec().api;
    let position = &api.functions[1].position;
    assert_eq!(
        (position.file.as_str(), position.line, position.column),
        ("everything.webidl", 10, 20)
    );
}

#[test]
fn defaults_of_dictionaries_are_printed() {
    assert_lines(
        &printed("core/src/generated/dictionaries.rs"),
        r#"pub type Decide<'a> = dyn Fn(&crate::Thing, &[i32], Option<crate::Point>) -> Result<bool> + 'a;
           #[derive(Clone)]
           pub struct Options<'a> {
           pub decide: Option<&'a Decide<'a>>,
           pub often: Option<u32>,
           impl Default for Options<'_> {
           decide: None,
           loud: -3,
           often: Some(2),
           way: "left".to_owned(),
           which: super::enums::Colour::Green,
           #[derive(Debug, Clone, PartialEq)]
           pub struct Report {
           weight: 1.0,"#,
    );
}

#[test]
fn the_table_has_every_entry_of_core_and_no_other() {
    let text = printed("core/src/generated/dispatch.rs");
    assert_lines(
        &text,
        r#"("Thing.new", thing_new),
           ("Thing.red", thing_red),
           ("Thing.name", thing_name),
           ("Thing.name=", thing_set_name),
           ("Thing.place=", thing_set_place),
           ("Thing.scale", thing_scale),
           ("Thing.@len", thing_entry_len),
           ("Thing.@at", thing_entry_at),
           ("Shelf.@set", shelf_entry_set),
           ("Shelf.@remove", shelf_entry_remove),
           ("Shelf.@clear", shelf_entry_clear),
           ("sum", sum),"#,
    );
    assert!(!text.contains("\"show\""));
}

#[test]
fn entries_call_core_by_its_names() {
    let text = printed("core/src/generated/dispatch.rs");
    assert_lines(
        &text,
        "Ok(crate::Thing::red().into_any())
         this.set_name(value);
         this.set_place(value)?;
         Ok(this.kind().into_any())
         Ok(this.scaled(factor).into_any())
         let index = args.get::<u64>(1, \"index\")?;
         Ok(this.at(index)?.into_any())
         let numbers = args.get::<Vec<f64>>(0, \"numbers\")?;
         let start = args.optional::<f64>(1, \"start\")?.unwrap_or(1.5);
         Ok(crate::sum(&numbers, start)?.into_any())",
    );
}

#[test]
fn arguments_of_every_type_are_unpacked() {
    assert_lines(
        &printed("core/src/generated/dispatch.rs"),
        r#"fn take(args: Args<'_>) -> Result<Any> {
           args.count(7, 14)?;
           let flag = args.get::<bool>(0, "flag")?;
           let count = args.get::<u8>(1, "count")?;
           let text = args.get::<&str>(2, "text")?;
           let bytes = args.get::<&[u8]>(3, "bytes")?;
           let value = args.get::<AnyView<'_>>(4, "value")?;
           let things = args.get::<Vec<(String, crate::Thing)>>(5, "things")?;
           let thing = args.optional::<Cow<'_, crate::Thing>>(6, "thing")?;
           .unwrap_or(super::enums::Colour::SeaGreen);
           let names = args.optional::<Vec<String>>(8, "names")?;
           let options_decide = args.optional::<Function>(9, "decide")?;
           decide: options_decide.as_ref().map(|f| f as _),
           often: args.optional::<u32>(11, "often")?.or(Some(2)),"#,
    );
}

#[test]
fn a_callback_is_a_closure_over_the_function() {
    assert_lines(
        &printed("core/src/generated/dispatch.rs"),
        r#"let function = args.get::<Function>(0, "decide")?;
           let decide =
           move |thing: &crate::Thing, values: &[i32], place: Option<crate::Point>| -> Result<bool> {
           Args::new("Decide", &view).get::<bool>(0, "result")
           Ok(crate::ask(&decide)?.into_any())
           fn ask_again(args: Args<'_>) -> Result<Any> {
           args.count(0, 1)?;
           crate::ask_again(decide.as_ref().map(|f| f as _));"#,
    );
}

#[test]
fn docs_of_core_speak_rust() {
    let text = printed("core/src/generated/enums.rs");
    assert_lines(
        &text,
        "/// Like the sea.\nSeaGreen,\nSelf::SeaGreen => \"sea_green\",\n\"sea_green\" => Self::SeaGreen,",
    );
}

#[test]
fn the_reference_shows_each_language_its_way() {
    let page = printed("docs/reference/everything.md");
    assert_lines(
        &page,
        r#"| Python | `Thing(name)` |
           | Node.js | `new Thing(name)` |
           | Rust | `Thing::new(name: &str) -> Result<Thing>` |
           Can be set.
           Sums numbers, see [`Thing.scale`](#thingscale) and [`Colour.green`](#colour).
           Since 0.2.
           | Python | `tenspan.sum(numbers, start=1.5)` |
           | Node.js | `sum(numbers, { start })` |
           | `start` | double | 1.5 | Where `startValue` begins. Goes on here. |
           Not in Rust, Node.js, C++.
           | Python | `tenspan.show(picture)` |"#,
    );
}

/// A backend that can do nothing.
struct Poor;

impl Backend for Poor {
    fn name(&self) -> &str {
        "poor"
    }

    fn supports(&self) -> Support {
        Support {
            callbacks: false,
            any: false,
            bytes: false,
            dictionaries: false,
            iterable: false,
            maplike: false,
            writable_maplike: false,
            records: false,
            statics: false,
            unions: false,
            writable_properties: false,
            custom: false,
            ..Support::all(Some(Language::Node))
        }
    }

    fn generate(&self, _: &ir::Api) -> Result<backend::Files, backend::Error> {
        panic!("nothing may be printed")
    }
}

#[test]
fn what_a_backend_cannot_express_is_refused_with_a_position() {
    let Err(generate::Error::Unsupported(report)) = generate(&folder(), spec(), &[Box::new(Poor)])
    else {
        panic!("refused");
    };
    let text = report.to_string();
    for what in [
        "callbacks",
        "`any`",
        "bytes",
        "dictionaries",
        "iterable classes",
        "maplike classes",
        "writable maplike classes",
        "records",
        "static operations",
        "unions",
        "writable attributes",
    ] {
        assert!(
            text.contains(&format!("the backend `poor` cannot express {what}\n")),
            "{what}\n{text}"
        );
    }
    assert!(
        text.contains("spec/everything.webidl:40:16") && text.contains("[Skip=(node)]"),
        "{text}"
    );
    // `show` is left out of Node, where `[Custom]` would not be supported.
    assert!(!text.contains("[Custom]"), "{text}");
}

#[test]
fn a_mistake_in_one_file_is_shown_beside_those_of_another() {
    let mut sources = Sources::new();
    sources.add(
        "a.webidl",
        "/// L.\nnamespace tenspan { long a(); };".to_owned(),
    );
    sources.add(
        "b.webidl",
        "/// T.\ninterface T { /// B.\n Tt b(); };".to_owned(),
    );
    let text = tenspan_codegen::load_sources(sources)
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("spec/a.webidl:2:26") && text.contains("spec/b.webidl:3:2"),
        "{text}"
    );
}
