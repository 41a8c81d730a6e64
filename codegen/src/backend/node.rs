//! The Node front: classes in JavaScript over the dispatch table, and their TypeScript declarations.
//!
//! Each concept of the spec becomes one CommonJS module; `index.cjs` gathers them and `index.mjs` gives the same
//! objects to `import`. What a call does beyond passing values on is decided in [`calls`], types in [`types`].

use std::collections::BTreeMap;

use minijinja::context;
use serde::Serialize;

use super::{Backend, Error, Files, Support, header, template};
use crate::ir::{Api, Language, Name, Position};

mod calls;
mod classes;
mod declarations;
mod signatures;
mod tsdoc;
mod types;

/// Prints `bind-node/js`.
pub struct Node;

const TEMPLATES: &[(&str, &str)] = &[
    ("module", include_str!("../../templates/node/module.cjs.j2")),
    (
        "generated/data.cjs",
        include_str!("../../templates/node/data.cjs.j2"),
    ),
    (
        "generated/kinds.cjs",
        include_str!("../../templates/node/kinds.cjs.j2"),
    ),
    (
        "index.cjs",
        include_str!("../../templates/node/index.cjs.j2"),
    ),
    (
        "index.mjs",
        include_str!("../../templates/node/index.mjs.j2"),
    ),
    (
        "index.d.cts",
        include_str!("../../templates/node/index.d.cts.j2"),
    ),
    (
        "index.d.mts",
        include_str!("../../templates/node/index.d.mts.j2"),
    ),
];

/// The classes and functions of one file of the spec.
#[derive(Default, Serialize)]
struct Module {
    concept: String,
    names: Vec<String>,
    /// The object that holds the functions, when it is not the module itself.
    namespace: Option<String>,
    classes: Vec<classes::Class>,
    /// Classes and functions that are written by hand, in the file of the concept.
    by_hand: Vec<String>,
    functions: Vec<calls::Function>,
    /// Whether a function takes or gives values that stay what they are.
    is_dynamic: bool,
}

impl Backend for Node {
    fn name(&self) -> &str {
        "node"
    }

    fn supports(&self) -> Support {
        Support::all(Some(Language::Node))
    }

    fn generate(&self, api: &Api) -> Result<Files, Error> {
        let engine = template::environment(TEMPLATES)?;
        let mut files = Files::new();
        let modules = modules(api);
        for module in modules.iter().filter(|module| module.is_printed()) {
            let view = context! {
                header => header(&module.concept),
                classes => template::view(&module.classes),
                functions => template::view(&module.functions),
                names => &module.names,
                is_dynamic => module.is_dynamic,
            };
            let text = engine.get_template("module")?.render(&view)?;
            files.add(
                format!("bind-node/js/generated/{}.cjs", module.concept),
                text,
            )?;
        }
        let view = context! {
            header => header("*"),
            modules => template::view(&modules),
            dictionaries => template::view(calls::readers(api)),
            kinds => kinds(api),
            errors => kinds(api)
                .into_iter()
                .filter(|kind| !BUILTIN.contains(&kind.as_str()))
                .collect::<Vec<_>>(),
        };
        for (name, _) in TEMPLATES
            .iter()
            .filter(|(name, _)| !matches!(*name, "module" | "index.d.cts"))
        {
            files.add(
                format!("bind-node/js/{name}"),
                engine.get_template(name)?.render(&view)?,
            )?;
        }
        let text = engine
            .get_template("index.d.cts")?
            .render(declarations::view(api))?;
        files.add("bind-node/js/index.d.cts", text)?;
        Ok(files)
    }
}

/// Kinds of errors that JavaScript has a class for, as in `js/error.cjs`.
const BUILTIN: &[&str] = &["TypeError", "IndexError", "OverflowError"];

/// All kinds of errors.
fn kinds(api: &Api) -> Vec<String> {
    let kinds = api
        .enums
        .iter()
        .find(|found| found.name.pascal() == "ErrorKind");
    let values = kinds.map_or(&[][..], |kinds| &kinds.values);
    values.iter().map(|value| value.value.clone()).collect()
}

impl Module {
    /// Whether there is anything to print, beyond what is written by hand.
    fn is_printed(&self) -> bool {
        !self.classes.is_empty() || !self.functions.is_empty()
    }
}

/// One module for each file of the spec that declares something callable.
fn modules(api: &Api) -> Vec<Module> {
    let support = Node.supports();
    let mut modules: BTreeMap<String, Module> = BTreeMap::new();
    for class in api
        .interfaces
        .iter()
        .filter(|class| support.has(&class.attributes))
    {
        let module = modules.entry(concept(&class.position)).or_default();
        if class.attributes.custom {
            let named = class.attributes.by_hand(Language::Node);
            let named = named.and_then(<[String]>::first).cloned();
            module
                .by_hand
                .push(named.unwrap_or_else(|| class.name.pascal()));
            continue;
        }
        module.names.push(class.name.pascal());
        module.classes.push(classes::class(class, api));
    }
    for function in api
        .functions
        .iter()
        .filter(|function| support.has(&function.attributes))
    {
        let module = modules.entry(concept(&function.position)).or_default();
        if function.attributes.by_hand(Language::Node).is_some() {
            module.by_hand.push(function.name.camel());
            continue;
        }
        module.namespace = function.namespace.as_ref().map(Name::camel);
        module.names.push(function.name.camel());
        module.is_dynamic |= calls::is_dynamic(function, api);
        module.functions.push(calls::function(function, api));
    }
    modules
        .into_iter()
        .map(|(concept, module)| Module { concept, ..module })
        .collect()
}

fn concept(position: &Position) -> String {
    position.file.trim_end_matches(".webidl").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPEC: &str = "
        /// A box. See [pack].
        interface Box {
          /// Makes one.
          /// @param size    How large.
          /// @param locked  Whether it is shut.
          [Throws] constructor(unsigned long long size, optional boolean locked = false);
          /// What is inside.
          readonly attribute DOMString label;
          /// Its memory.
          [Custom, Skip=(python, cpp, rust)] readonly attribute TypedArray data;
          /// Not here.
          [Skip=(node)] undefined hide();
          /// Puts bytes in.
          /// @param in    Where.
          /// @param data  What.
          [Throws] undefined put(long in, [Borrow] BufferSource data, optional PutOptions options = {});
          /// The lids, if any.
          sequence<Lid>? lids();
          /// By name.
          maplike<DOMString, any>;
        };
        /// A typed array.
        typedef object TypedArray;
        /// How to put.
        dictionary PutOptions {
          /// Told of each byte.
          Told? told = null;
          /// Wait.
          boolean wait = false;
        };
        /// Told.
        /// @param n  Which.
        callback Told = undefined (unsigned long long n);
        /// A lid.
        dictionary Lid {
          /// Its width.
          double width = 0;
        };
        /// All of it.
        namespace tenspan {
          /// Packs.
          /// @param boxes  By name.
          sequence<Lid> pack(record<DOMString, Box> boxes);
          /// What moves things.
          /// @param name  What it is called.
          Mover? mover(DOMString name);
          /// Whether both are the same.
          /// @param a  One.
          /// @param b  The other.
          boolean same(any a, any b);
        };
        /// What goes wrong.
        enum ErrorKind {
          /// A position.
          \"IndexError\",
          /// A lid is missing.
          \"NoLid\"
        };
        /// Something that moves.
        [Custom]
        interface Mover {
          /// Moves.
          undefined move();
        };
    ";

    fn printed() -> Files {
        let mut sources = crate::Sources::new();
        sources.add("box.webidl", SPEC.to_owned());
        let spec = crate::load_sources(sources).unwrap_or_else(|report| panic!("{report}"));
        Node.generate(&spec.api).unwrap()
    }

    #[track_caller]
    fn assert_has(path: &str, wanted: &str) {
        let files = printed();
        let text = files.get(path).unwrap();
        assert!(text.contains(wanted), "{wanted}\n  is not in\n{text}");
    }

    const MODULE: &str = "bind-node/js/generated/box.cjs";
    const TYPES: &str = "bind-node/js/index.d.cts";

    #[test]
    fn optional_arguments_and_members_of_dictionaries_are_options() {
        assert_has(
            MODULE,
            "const given = options === undefined ? args.NONE : args.options('Box.put', options, ['told', 'wait']);",
        );
        assert_has(
            MODULE,
            "const given = options === undefined ? args.NONE : args.options('new Box', options, ['locked']);",
        );
        assert_has(
            MODULE,
            "return host.adopt(Box, new.target, host.call2(BOX.new, size, given.locked));",
        );
    }

    #[test]
    fn bytes_are_marked_and_words_of_the_language_avoided() {
        let call = "host.call(BOX.put, [objects.own(this), in_, args.toBytes(data_), args.toListener(given.told), given.wait], 0b100);";
        assert_has(MODULE, call);
        assert_has(
            TYPES,
            "put(in_: number, data_: Bytes, options?: PutOptions): void;",
        );
    }

    #[test]
    fn what_the_spec_skips_is_absent() {
        assert!(!printed().get(MODULE).unwrap().contains("hide"));
        assert!(!printed().get(TYPES).unwrap().contains("hide"));
    }

    #[test]
    fn objects_of_the_language_are_made_once() {
        assert_has(
            MODULE,
            "return objects.keep(this, 'data', () => host.callOn(BOX.data, this));",
        );
        assert_has(
            MODULE,
            "host.register(Box, 'tenspan.Box', [\n  'label',\n]);",
        );
    }

    #[test]
    fn dictionaries_are_read_wherever_they_are_returned() {
        assert_has(
            MODULE,
            "return args.unlessNull(host.callOn(BOX.lids, this), (item) => item.map((item) => data.readLid(item)));",
        );
        assert_has(
            MODULE,
            "return host.call1(FUNCTIONS.pack, args.toNamed(boxes)).map((item) => data.readLid(item));",
        );
        assert_has(
            "bind-node/js/generated/data.cjs",
            "data.readLid = ([width]) => ({\n  width,\n});",
        );
        assert!(
            !printed()
                .get("bind-node/js/generated/data.cjs")
                .unwrap()
                .contains("PutOptions")
        );
    }

    #[test]
    fn declarations_have_docs_and_links() {
        assert_has(
            TYPES,
            "/** A box. See {@link pack}. */\nexport declare class Box<D extends DTypeName = DTypeName> {",
        );
        assert_has(
            TYPES,
            "   * @param size - How large.\n   * @throws {@link TenspanError}\n   */\n  constructor(size: number | bigint, options?: {\n    /** Whether it is shut. */\n    locked?: boolean | undefined;\n  });",
        );
        assert_has(
            TYPES,
            "export declare function pack(boxes: Named<Box>): Lid[];",
        );
        assert_has(
            TYPES,
            "export interface Lid {\n  /** Its width. */\n  width: number;\n}",
        );
        assert_has(TYPES, "  told?: Told | null | undefined;");
    }

    #[test]
    fn a_class_written_by_hand_is_only_gathered() {
        assert!(!printed().get(MODULE).unwrap().contains("class Mover"));
        assert!(!printed().get(TYPES).unwrap().contains("class Mover"));
        assert_has(
            "bind-node/js/index.cjs",
            "const { Mover } = require('./box.cjs');",
        );
        assert_has(
            MODULE,
            "return dynamic.call(FUNCTIONS.mover, [name], dynamic.WRAP);",
        );
        assert_has(MODULE, "return dynamic.call(FUNCTIONS.same, [a, b]);");
    }

    #[test]
    fn kinds_of_errors_are_classes_unless_javascript_has_one() {
        assert_has(TYPES, "export declare class NoLid extends TenspanError {}");
        assert!(
            !printed()
                .get(TYPES)
                .unwrap()
                .contains("declare class IndexError")
        );
        assert_has(
            "bind-node/js/generated/kinds.cjs",
            "  'IndexError',\n  'NoLid',\n",
        );
    }

    #[test]
    fn both_worlds_get_every_name() {
        for path in ["bind-node/js/index.cjs", "bind-node/js/index.mjs"] {
            for name in ["NoLid", "Box", "pack"] {
                assert_has(path, &format!("  {name},\n"));
            }
        }
    }
}
