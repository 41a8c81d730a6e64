//! The Python front: PyO3 glue in Rust, the package's `__init__`, its type aliases, and the stub of the native module.
//!
//! [`types`] says what each type is in glue, [`stub`] in Python; [`signature`] and [`function`] turn a declaration into
//! a method, [`class`] an interface into a class, [`docs`] docs into numpydoc; [`errors`] holds the class of each error kind,
//! [`by_hand`] what is written by hand. Templates only print.

use std::collections::BTreeSet;

use minijinja::context;

use super::{Backend, Error, Files, Support, header, template};
use crate::ir::{Api, Language};

mod by_hand;
mod class;
mod data;
mod docs;
mod errors;
mod function;
mod signature;
mod stub;
mod types;

/// Prints `bind-python/src/generated` and `bind-python/python/tenspan`.
pub struct Python;

const TEMPLATES: &[(&str, &str)] = &[
    ("mod.rs", include_str!("../../templates/python/mod.rs.j2")),
    (
        "class.rs",
        include_str!("../../templates/python/class.rs.j2"),
    ),
    (
        "method.rs",
        include_str!("../../templates/python/method.rs.j2"),
    ),
    (
        "iterable.rs",
        include_str!("../../templates/python/iterable.rs.j2"),
    ),
    (
        "maplike.rs",
        include_str!("../../templates/python/maplike.rs.j2"),
    ),
    (
        "functions.rs",
        include_str!("../../templates/python/functions.rs.j2"),
    ),
    (
        "dictionaries.rs",
        include_str!("../../templates/python/dictionaries.rs.j2"),
    ),
    (
        "errors.rs",
        include_str!("../../templates/python/errors.rs.j2"),
    ),
    (
        "__init__.py",
        include_str!("../../templates/python/__init__.py.j2"),
    ),
    (
        "namespace.py",
        include_str!("../../templates/python/namespace.py.j2"),
    ),
    (
        "typing.py",
        include_str!("../../templates/python/typing.py.j2"),
    ),
    (
        "function.pyi",
        include_str!("../../templates/python/function.pyi.j2"),
    ),
    (
        "__init__.pyi",
        include_str!("../../templates/python/__init__.pyi.j2"),
    ),
    (
        "_tenspan.pyi",
        include_str!("../../templates/python/_tenspan.pyi.j2"),
    ),
];

const RUST: &str = "bind-python/src/generated";
const PACKAGE: &str = "bind-python/python/tenspan";

impl Backend for Python {
    fn name(&self) -> &str {
        "python"
    }

    fn supports(&self) -> Support {
        Support::all(Some(Language::Python))
    }

    fn generate(&self, api: &Api) -> Result<Files, Error> {
        let engine = template::environment(TEMPLATES)?;
        let mut files = Files::new();
        let support = self.supports();
        let classes = api
            .interfaces
            .iter()
            .filter(|class| support.prints(&class.attributes));
        let classes = classes
            .map(|class| class::view(class, api))
            .collect::<Result<Vec<_>, _>>()?;
        let functions = api
            .functions
            .iter()
            .filter(|function| support.prints(&function.attributes));
        let functions = functions
            .map(|function| function::free(function, api))
            .collect::<Result<Vec<_>, _>>()?;
        let errors = errors::views(api)?;
        let mut names: Vec<String> = classes.iter().map(|class| class.name.clone()).collect();
        let free = functions
            .iter()
            .filter(|function| function.namespace.is_none());
        names.extend(free.map(|function| function.name.clone()));
        let by_hand = by_hand::functions(api)?;
        let hand_named = by_hand::classes(api);
        let native = by_hand.iter().filter(|function| function.module.is_none());
        names.extend(native.map(|function| function.name.clone()));
        let native = hand_named.iter().filter(|class| class.module.is_none());
        names.extend(native.map(|class| class.name.clone()));
        names.extend(
            errors
                .iter()
                .filter(|error| error.is_own)
                .map(|error| error.name.clone()),
        );
        names.sort();
        let scripts: BTreeSet<String> = by_hand
            .iter()
            .filter_map(|function| function.module.clone())
            .collect();
        let view = context! {
            header => header("*"),
            private => PRIVATE.lines().collect::<Vec<_>>(),
            by_hand => template::view(&by_hand),
            hand_named => template::view(&hand_named),
            scripts => scripts,
            docs => docs::plain(&api.docs, api),
            names => names,
            classes => template::view(&classes),
            functions => template::view(&functions),
            namespaces => api.namespaces.iter().map(|of| of.name.snake()).collect::<Vec<_>>(),
            dictionaries => template::view(data::dictionaries(api)?),
            callbacks => template::view(data::callbacks(api)?),
            enums => template::view(data::enums(api)),
            errors => template::view(&errors),
        };
        for (folder, name) in [
            (RUST, "mod.rs"),
            (RUST, "functions.rs"),
            (RUST, "dictionaries.rs"),
            (RUST, "errors.rs"),
            (PACKAGE, "__init__.py"),
            (PACKAGE, "__init__.pyi"),
            (PACKAGE, "typing.py"),
            (PACKAGE, "_tenspan.pyi"),
        ] {
            files.add(
                format!("{folder}/{name}"),
                engine.get_template(name)?.render(&view)?,
            )?;
        }
        for namespace in &api.namespaces {
            let name = namespace.name.snake();
            let inside = functions
                .iter()
                .filter(|function| function.namespace.as_ref() == Some(&name));
            let view = context! {
                header => header("*"),
                docs => docs::plain(&namespace.docs, api),
                namespace => &name,
                names => inside.map(|function| function.name.clone()).collect::<Vec<_>>(),
            };
            let text = engine.get_template("namespace.py")?.render(view)?;
            files.add(format!("{PACKAGE}/{name}.py"), text)?;
        }
        for class in classes.iter().filter(|class| !class.is_custom) {
            let view =
                context! { header => header(&class.concept), class => template::view(class) };
            files.add(
                format!("{RUST}/{}.rs", class.module),
                engine.get_template("class.rs")?.render(view)?,
            )?;
        }
        Ok(files)
    }
}

/// What the package asks of the native module for itself, as the stub shows it.
const PRIVATE: &str = include_str!("../../templates/python/manners/private.pyi");

/// What this backend says about a spec that asks for more than it prints.
fn unsupported<T>(what: &str, place: &str) -> Result<T, Error> {
    Err(Error::Other(format!(
        "{place}: {what} cannot be printed for Python yet"
    )))
}
