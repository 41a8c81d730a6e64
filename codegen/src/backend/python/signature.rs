//! Arguments in all their forms: glue, core, PyO3, `help()`, stub.

use super::{stub, types, unsupported};
use crate::backend::Error;
use crate::ir::{Api, Argument, Dictionary, Function, Type};

/// The arguments of a function in all their forms; dictionaries are taken apart into keywords.
pub struct Signature<'a> {
    /// Arguments as a caller sees them.
    pub arguments: Vec<&'a Argument>,
    /// Parameters in glue.
    pub parameters: Vec<String>,
    /// What is passed to core.
    pub passed: Vec<String>,
    /// Statements that make what is passed.
    pub before: Vec<String>,
    /// Names and defaults for PyO3.
    pub rust: Vec<String>,
    /// Names and defaults for `help()`.
    pub python: Vec<String>,
    /// Names, types and defaults for the stub.
    pub stub: Vec<String>,
}

impl<'a> Signature<'a> {
    /// The arguments of a function.
    ///
    /// # Errors
    /// When one of them cannot be printed.
    pub fn new(function: &'a Function, is_method: bool, api: &'a Api) -> Result<Self, Error> {
        let (arguments, parameters, passed, before) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut signature = Signature {
            arguments,
            parameters,
            passed,
            before,
            rust: Vec::new(),
            python: Vec::new(),
            stub: Vec::new(),
        };
        if is_method
            && let [row] = function.arguments.as_slice()
            && types::is_spread(row)
        {
            signature.spread(row, api)?;
            return Ok(signature);
        }
        for argument in &function.arguments {
            if let Type::Dictionary(name) = argument.ty.resolved() {
                let Some(dictionary) = api.dictionary(name) else {
                    return unsupported("a dictionary that is not there", name);
                };
                signature.flatten(dictionary, api)?;
                continue;
            }
            let parameter = types::parameter(argument, api)?;
            signature.add(argument, &parameter.ty, api)?;
            signature.passed.push(
                if types::is_object(argument.ty.non_null().0) && !argument.ty.non_null().1 {
                    format!("&{}", parameter.pass)
                } else {
                    parameter.pass
                },
            );
        }
        Ok(signature)
    }

    /// A row of numbers that is all a method takes: `reshape(2, 3)` as well as `reshape((2, 3))`.
    fn spread(&mut self, row: &'a Argument, api: &Api) -> Result<(), Error> {
        let parameter = types::parameter(row, api)?;
        let (rust, python) = (row.name.rust(), row.name.snake());
        self.parameters.push(format!(
            "{rust}: {}",
            parameter.ty.replace("Integers", "Spread")
        ));
        self.passed.push(parameter.pass);
        self.rust.push(format!("*{rust}"));
        self.stub
            .push(format!("*{python}: {}", stub::argument(row, api)));
        self.python.push(format!("*{python}"));
        self.arguments.push(row);
        Ok(())
    }

    fn add(&mut self, argument: &'a Argument, ty: &str, api: &Api) -> Result<(), Error> {
        let (rust, python) = (argument.name.rust(), argument.name.snake());
        self.parameters.push(format!("{rust}: {ty}"));
        let stub = stub::argument(argument, api);
        if argument.optional {
            self.rust
                .push(format!("{rust}={}", types::rust_default(argument)?));
            self.python.push(format!(
                "{python}={}",
                stub::python_default(&argument.default)
            ));
            self.stub.push(format!(
                "{python}: {stub} = {}",
                stub::python_default(&argument.default)
            ));
        } else {
            self.rust.push(rust);
            self.stub.push(format!("{python}: {stub}"));
            self.python.push(python);
        }
        self.arguments.push(argument);
        Ok(())
    }

    /// Members of a dictionary become keywords, and the dictionary is made of them.
    fn flatten(&mut self, dictionary: &'a Dictionary, api: &Api) -> Result<(), Error> {
        for forms in [&mut self.rust, &mut self.python, &mut self.stub] {
            forms.push("*".to_owned());
        }
        let mut fields = Vec::new();
        for member in &dictionary.members {
            let name = member.name.rust();
            let (ty, _) = member.ty.non_null();
            let (rust, field) = match ty.resolved() {
                Type::Boolean | Type::Integer { .. } | Type::Double => {
                    (types::parameter(member, api)?.ty, name.clone())
                }
                Type::String if ty.alias() == Some("Path") => (
                    types::parameter(member, api)?.ty,
                    format!("{name}: {name}.map(|path| path.as_str().to_owned())"),
                ),
                Type::String => (
                    types::parameter(member, api)?.ty.replace("&str", "String"),
                    name.clone(),
                ),
                Type::Callback(callback) => {
                    self.before.push(callback_closure(&name, callback, api)?);
                    (
                        "Option<crate::callback::Callback>".to_owned(),
                        format!("{name}: Some(&{name})"),
                    )
                }
                Type::Sequence(_) if types::is_union(ty) => (
                    types::parameter(member, api)?.ty,
                    format!("{name}: {name}.0"),
                ),
                // Core owns what a dictionary holds.
                Type::Interface(_) | Type::Sequence(_) | Type::Record(_)
                    if is_wrapped(ty) && member.ty.non_null().1 =>
                {
                    let owned = match ty.resolved() {
                        Type::Sequence(_) => ".to_vec()",
                        _ => "",
                    };
                    (
                        types::parameter(member, api)?.ty,
                        format!("{name}: {name}.map(|{name}| {name}.0{owned})"),
                    )
                }
                _ => return unsupported("a dictionary member of this type", member.name.as_spec()),
            };
            // A member of the dictionary is optional whether the spec says so or not: it has a default.
            self.member(member, &rust, api)?;
            fields.push(field);
        }
        let name = dictionary.name.pascal();
        self.before.push(format!(
            "let options = tenspan::generated::dictionaries::{name} {{ {} }};",
            fields.join(", ")
        ));
        self.passed.push("&options".to_owned());
        Ok(())
    }

    fn member(&mut self, member: &'a Argument, ty: &str, api: &Api) -> Result<(), Error> {
        let (rust, python) = (member.name.rust(), member.name.snake());
        self.parameters.push(format!("{rust}: {ty}"));
        let default = stub::python_default(&member.default);
        self.rust
            .push(format!("{rust}={}", types::rust_default(member)?));
        self.python.push(format!("{python}={default}"));
        self.stub.push(format!(
            "{python}: {} = {default}",
            stub::argument(member, api)
        ));
        self.arguments.push(member);
        Ok(())
    }
}

/// Whether glue takes a value in a wrapper around what core owns.
fn is_wrapped(ty: &Type) -> bool {
    match ty.resolved() {
        Type::Sequence(item) => matches!(item.resolved(), Type::Integer { .. }),
        Type::Record(item) => types::is_class(item, "Tensor"),
        Type::Interface(class) => class == "Tensor" || class == "DType",
        _ => false,
    }
}

/// A closure for core that calls a function of Python, if one was given, and looks after signals.
fn callback_closure(name: &str, callback: &str, api: &Api) -> Result<String, Error> {
    let Some(callback) = api.callback(callback) else {
        return unsupported("a callback that is not there", callback);
    };
    if *callback.returns.resolved() != Type::Undefined {
        return unsupported("a callback that returns a value", callback.name.as_spec());
    }
    let mut parameters = Vec::new();
    let mut passed = String::new();
    for argument in &callback.arguments {
        parameters.push(format!(
            "{}: {}",
            argument.name.rust(),
            types::parameter(argument, api)?.ty
        ));
        passed += &format!("{}, ", argument.name.rust());
    }
    Ok(format!(
        "let {name} = |{}| crate::callback::call({name}.as_ref(), ({passed}));",
        parameters.join(", ")
    ))
}
