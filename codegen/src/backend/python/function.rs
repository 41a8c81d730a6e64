//! Views of methods, properties and free functions.

use serde::Serialize;

use super::signature::Signature;
use super::{docs, stub, types, unsupported};
use crate::backend::Error;
use crate::ir::{Api, Argument, Function, Interface, Name, Property, Type};

/// A function as it is printed in glue and in the stub.
#[derive(Serialize)]
pub struct View {
    /// Name in Python.
    pub name: String,
    /// Name in Rust.
    rust: String,
    /// The namespace inside of the library that a free function belongs to.
    pub namespace: Option<String>,
    /// Attributes before the function.
    attributes: Vec<String>,
    docs: Vec<String>,
    lifetime: &'static str,
    parameters: String,
    returns: String,
    body: Vec<String>,
    /// `self`, arguments and result, in the stub.
    stub: String,
    decorators: Vec<String>,
    /// Name of the metric, when rows are passed without making tensors of them.
    metric: Option<String>,
    /// How it is called quickly, if it is.
    quick: Option<Quick>,
}

/// A free function that reads its arguments where they lie.
#[derive(Serialize)]
struct Quick {
    /// Name of the type that stands for it.
    name: String,
    /// Names of the parameters, in their order.
    parameters: Vec<String>,
    /// What is passed to the ordinary function.
    passed: Vec<String>,
}

/// What kind of a function it is.
enum Place<'a> {
    Free,
    Constructor(&'a Interface),
    Static(&'a Interface),
    Method(&'a Interface),
}

/// A free function.
pub fn free(function: &Function, api: &Api) -> Result<View, Error> {
    view(function, Place::Free, api)
}

/// A constructor.
pub fn constructor(function: &Function, class: &Interface, api: &Api) -> Result<View, Error> {
    view(function, Place::Constructor(class), api)
}

/// A static.
pub fn fixed(function: &Function, class: &Interface, api: &Api) -> Result<View, Error> {
    view(function, Place::Static(class), api)
}

/// A method.
pub fn method(function: &Function, class: &Interface, api: &Api) -> Result<View, Error> {
    view(function, Place::Method(class), api)
}

fn view(function: &Function, place: Place<'_>, api: &Api) -> Result<View, Error> {
    let custom = function.attributes.custom;
    let is_method = matches!(place, Place::Method(_));
    let signature = Signature::new(function, is_method, api)?;
    let core = function
        .attributes
        .rename
        .clone()
        .unwrap_or_else(|| function.name.rust());
    let receiver = match place {
        Place::Method(class) if custom => {
            Some(format!("slf: &Bound<'py, {}>", class.name.pascal()))
        }
        Place::Method(_) => Some("&self".to_owned()),
        _ => None,
    };
    let call = match &place {
        Place::Free if custom => format!("crate::custom::{core}"),
        Place::Method(class) | Place::Static(class) if custom => {
            format!("crate::custom::{}_{core}", class.name.snake())
        }
        Place::Free => match &function.namespace {
            Some(of) => format!("tenspan::{}::{core}", of.snake()),
            None => format!("tenspan::{core}"),
        },
        Place::Constructor(class) | Place::Static(class) => {
            format!("tenspan::{}::{core}", class.name.pascal())
        }
        Place::Method(_) => format!("self.0.{core}"),
    };
    let mut passed = signature.passed.clone();
    if custom && receiver.is_some() {
        passed.insert(0, "slf".to_owned());
    }
    let call = format!("{call}({})", passed.join(", "));
    let returns = match &place {
        Place::Constructor(class) => Type::Interface(class.name.as_spec().to_owned()),
        _ => function.returns.clone(),
    };
    let output = types::output(&returns, false, function.name.as_spec(), api)?;
    let body = body(function, &signature, &call, &output);
    let uses_py = body
        .iter()
        .any(|line| line.contains("py.") || line.contains("(py,"));
    let returned = format!("PyResult<{}>", output.ty);
    let quick = match place {
        Place::Free if function.attributes.quick && !uses_py && is_read(function) => {
            Some(quick(function, &signature)?)
        }
        _ => None,
    };
    let mut parameters: Vec<String> = receiver.into_iter().collect();
    if uses_py {
        parameters.push("py: Python<'py>".to_owned());
    }
    parameters.extend(signature.parameters.iter().cloned());
    let mut parameters = parameters.join(", ");
    let lifetime = needed_lifetime(&mut parameters, &returned);
    let first = if is_method { "$self" } else { "" };
    let mut attributes = Vec::new();
    match place {
        Place::Free => attributes.push("pyfunction".to_owned()),
        Place::Constructor(_) => attributes.push("new".to_owned()),
        Place::Static(_) => attributes.push("staticmethod".to_owned()),
        Place::Method(_) => {}
    }
    let python = join(first, &signature.python);
    attributes.push(format!(
        "pyo3(signature = ({}), text_signature = \"({python})\")",
        signature.rust.join(", ")
    ));
    let name = function.name.snake();
    let namespace = function.namespace.as_ref().map(Name::snake);
    // In the native module the name of the namespace stands before it.
    let rust = match &namespace {
        Some(of) => format!("{of}_{name}"),
        None => function.name.rust(),
    };
    let (stub_name, stub_returns) = match place {
        Place::Constructor(_) => ("__new__".to_owned(), "Self".to_owned()),
        _ if namespace.is_some() => (format!("_{rust}"), stub::result(&returns, false)),
        _ => (name.clone(), stub::result(&returns, false)),
    };
    if namespace.is_some() {
        attributes.push(format!("pyo3(name = \"{name}\")"));
    }
    let stub_first = match place {
        Place::Constructor(_) => "cls",
        Place::Method(_) => "self",
        _ => "",
    };
    let decorators = if matches!(place, Place::Static(_)) {
        vec!["staticmethod".to_owned()]
    } else {
        Vec::new()
    };
    Ok(View {
        stub: format!(
            "def {stub_name}({}) -> {stub_returns}:",
            join(stub_first, &signature.stub)
        ),
        rust,
        namespace,
        attributes,
        docs: docs::function(function, &signature.arguments, api),
        lifetime,
        parameters,
        returns: returned,
        body,
        decorators,
        name,
        metric: function.attributes.rows.then(|| function.name.pascal()),
        quick,
    })
}

/// Whether each argument can be read off an object without a borrow: text lies in its object, and other values are converted.
fn is_read(function: &Function) -> bool {
    function.arguments.iter().all(|argument| {
        let (ty, _) = argument.ty.non_null();
        ty.alias().is_some() || !matches!(ty.resolved(), Type::String | Type::Any)
    })
}

/// The view of a function that is called quickly: each argument is read, or else its default taken.
fn quick(function: &Function, signature: &Signature<'_>) -> Result<Quick, Error> {
    let mut passed = Vec::new();
    for (position, argument) in signature.arguments.iter().enumerate() {
        passed.push(if argument.optional {
            format!("given.or({position}, {})?", types::rust_default(argument)?)
        } else {
            format!("given.at({position})?")
        });
    }
    let names = signature.arguments.iter();
    Ok(Quick {
        name: function.name.pascal(),
        parameters: names.map(|argument| argument.name.snake()).collect(),
        passed,
    })
}

/// The lines of a function: the call, then its result as an object. What can fail may take long unless the spec says that
/// it is quick, and runs without holding the interpreter.
fn body(
    function: &Function,
    signature: &Signature<'_>,
    call: &str,
    output: &types::Output,
) -> Vec<String> {
    if function.attributes.custom {
        return vec![call.to_owned()];
    }
    let mut lines = Vec::new();
    let has_key = signature.arguments.iter().any(|argument| {
        argument.name.as_spec() == "key" && *argument.ty.resolved() == Type::String
    });
    let raised = if has_key {
        "|error| crate::error::raised_for_key(error, key)"
    } else {
        "crate::error::raised"
    };
    let call = if signature.before.is_empty() {
        call.to_owned()
    } else {
        format!("{{ {} {call} }}", signature.before.join(" "))
    };
    let result = if function.attributes.throws && function.attributes.quick {
        format!("{call}.map_err({raised})?")
    } else if function.attributes.throws {
        // A function without arguments is passed by its name, as clippy wants it.
        match call
            .strip_suffix("()")
            .filter(|path| !path.contains(['(', '.', '{']))
        {
            Some(path) => format!("py.detach({path}).map_err({raised})?"),
            None => format!("py.detach(|| {call}).map_err({raised})?"),
        }
    } else {
        call
    };
    if *function.returns.resolved() == Type::Undefined && output.ty == "()" {
        lines.push(format!("{result};"));
        lines.push("Ok(())".to_owned());
    } else if output.convert == "Ok(result)" {
        lines.push(if output.ty == "String" {
            format!("Ok({result}.to_string())")
        } else {
            as_result(&result)
        });
    } else {
        lines.push(format!("let result = {result};"));
        lines.push(output.convert.clone());
    }
    lines
}

/// An expression as the result of a function: one that ends in `?` is a result without it.
fn as_result(expression: &str) -> String {
    match expression.strip_suffix('?') {
        Some(fallible) => fallible.to_owned(),
        None => format!("Ok({expression})"),
    }
}

/// A property: its getter and, when it can be set, its setter.
pub fn property(property: &Property, class: &Interface, api: &Api) -> Result<Vec<View>, Error> {
    let place = property.name.as_spec();
    if property.attributes.custom {
        return custom_property(property, class, api);
    }
    let output = types::output(&property.ty, true, place, api)?;
    let name = property.name.snake();
    let core = property
        .attributes
        .rename
        .clone()
        .unwrap_or_else(|| property.name.rust());
    let raised = if property.attributes.throws {
        ".map_err(crate::error::raised)?"
    } else {
        ""
    };
    let call = format!("self.0.{core}(){raised}");
    let is_text = matches!(property.ty.non_null().0.resolved(), Type::String);
    let nullable = property.ty.non_null().1;
    // Core gives text owned or borrowed, whichever it has.
    let (ty, body) = match (is_text, nullable) {
        (true, false) => (
            "Bound<'py, pyo3::types::PyString>".to_owned(),
            vec![format!("Ok(crate::value::text(py, {call}))")],
        ),
        (true, true) => (
            "Option<Bound<'py, pyo3::types::PyString>>".to_owned(),
            vec![format!(
                "Ok({call}.map(|text| crate::value::text(py, text)))"
            )],
        ),
        _ if output.convert == "Ok(result)" => (output.ty, vec![as_result(&call)]),
        _ => (
            output.ty,
            vec![format!("let result = {call};"), output.convert],
        ),
    };
    let returns = format!("PyResult<{ty}>");
    let uses_py = body.iter().any(|line| line.contains("(py,"));
    let mut parameters = format!("&self{}", if uses_py { ", py: Python<'py>" } else { "" });
    let lifetime = needed_lifetime(&mut parameters, &returns);
    let stub = format!("def {name}(self) -> {}:", stub::result(&property.ty, true));
    let mut views = vec![View {
        name: name.clone(),
        rust: property.name.rust(),
        namespace: None,
        attributes: vec!["getter".to_owned()],
        docs: docs::plain(&property.docs, api),
        lifetime,
        parameters,
        returns,
        body,
        stub,
        decorators: vec!["property".to_owned()],
        metric: None,
        quick: None,
    }];
    if !property.readonly {
        views.push(setter(property, &name, api)?);
    }
    Ok(views)
}

/// A property that the front gives by hand.
fn custom_property(property: &Property, class: &Interface, api: &Api) -> Result<Vec<View>, Error> {
    let name = property.name.snake();
    if !property.readonly {
        return unsupported(
            "a `[Custom]` attribute that can be set",
            property.name.as_spec(),
        );
    }
    let call = format!("crate::custom::{}_{name}(slf)", class.name.snake());
    Ok(vec![View {
        name: name.clone(),
        rust: property.name.rust(),
        namespace: None,
        attributes: vec!["getter".to_owned()],
        docs: docs::plain(&property.docs, api),
        lifetime: "<'py>",
        parameters: format!("slf: &Bound<'py, {}>", class.name.pascal()),
        returns: "PyResult<Bound<'py, PyAny>>".to_owned(),
        body: vec![call],
        stub: format!("def {name}(self) -> {}:", stub::result(&property.ty, true)),
        decorators: vec!["property".to_owned()],
        metric: None,
        quick: None,
    }])
}

fn setter(property: &Property, name: &str, api: &Api) -> Result<View, Error> {
    let value = Argument {
        name: Name("value".to_owned()),
        docs: Default::default(),
        attributes: Default::default(),
        ty: property.ty.clone(),
        optional: false,
        default: None,
        borrow: false,
        position: property.position.clone(),
    };
    let parameter = types::parameter(&value, api)?;
    let call = format!("self.0.set_{name}({})", parameter.pass);
    let body = if property.attributes.throws {
        vec![format!("{call}.map_err(crate::error::raised)")]
    } else {
        vec![format!("{call};"), "Ok(())".to_owned()]
    };
    let mut parameters = format!("&self, value: {}", parameter.ty);
    let lifetime = needed_lifetime(&mut parameters, "");
    Ok(View {
        name: name.to_owned(),
        rust: format!("set_{name}"),
        namespace: None,
        attributes: vec![format!("setter({name})")],
        docs: Vec::new(),
        lifetime,
        parameters,
        returns: "PyResult<()>".to_owned(),
        body,
        stub: format!(
            "def {name}(self, value: {}) -> None:",
            stub::argument(&value, api)
        ),
        decorators: vec![format!("{name}.setter")],
        metric: None,
        quick: None,
    })
}

/// `<'py>` when the lifetime is named in more than one place; otherwise it is left to the compiler.
fn needed_lifetime(parameters: &mut String, returns: &str) -> &'static str {
    let uses = parameters.matches("'py").count();
    if returns.contains("'py") || uses > 1 {
        return "<'py>";
    }
    *parameters = parameters.replace("'py", "'_");
    ""
}

fn join(first: &str, rest: &[String]) -> String {
    let parts: Vec<&str> = std::iter::once(first)
        .filter(|first| !first.is_empty())
        .chain(rest.iter().map(String::as_str))
        .collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Sources, load_sources};

    fn printed(function: &str) -> View {
        let mut sources = Sources::new();
        let text = format!(
            "/// A.\ninterface Tensor {{ }};\n/// O.\ndictionary Options {{\n/// M.\nboolean loudMode = false; }};\n/// N.\nnamespace tenspan {{\n/// F.\n{function} }};\n"
        );
        sources.add("a.webidl", text);
        let api = load_sources(sources)
            .unwrap_or_else(|report| panic!("{report}"))
            .api;
        free(&api.functions[0], &api).unwrap()
    }

    #[test]
    fn members_of_a_dictionary_are_keywords() {
        let view = printed(
            "/// @param x  X.\n[Throws] undefined f(DOMString x, optional Options options = {});",
        );
        assert_eq!(
            view.stub,
            "def f(x: str, *, loud_mode: bool = False) -> None:"
        );
        assert_eq!(view.parameters, "py: Python<'_>, x: &str, loud_mode: bool");
        assert!(
            view.body[0].contains("Options { loud_mode }"),
            "{:?}",
            view.body
        );
    }

    #[test]
    fn what_cannot_fail_keeps_the_interpreter() {
        assert!(printed("[Throws] unsigned long f();").body[0].contains("py.detach"));
        assert_eq!(printed("unsigned long f();").body, ["Ok(tenspan::f())"]);
        assert_eq!(
            printed("[Throws, Quick] unsigned long f();").body,
            ["tenspan::f().map_err(crate::error::raised)"]
        );
    }

    #[test]
    fn what_is_quick_reads_its_arguments_itself() {
        let view = printed(
            "/// @param a    A.\n/// @param bIs  B.\n[Throws, Quick] Tensor f(unsigned long long a, optional boolean bIs = false);",
        );
        let quick = view.quick.unwrap();
        assert_eq!(quick.parameters, ["a", "b_is"]);
        assert_eq!(quick.passed, ["given.at(0)?", "given.or(1, false)?"]);
        assert!(printed("[Throws] unsigned long f();").quick.is_none());
    }

    #[test]
    fn what_is_written_may_not_be_a_list() {
        let view = printed(
            "/// @param src  S.\n/// @param dst  D.\n[Throws] undefined f(Tensor src, Tensor dst);",
        );
        assert!(
            view.parameters
                .contains("src: crate::value::arguments::TensorArg"),
            "{}",
            view.parameters
        );
        assert!(
            view.parameters
                .contains("dst: crate::value::arguments::TensorOut"),
            "{}",
            view.parameters
        );
    }
}
