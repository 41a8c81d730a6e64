//! The body of each function: options unpacked, arguments in the order of the dispatch table, the result converted.

use serde::Serialize;

use crate::ir::{self, Api, Argument, Type};

/// A function or method as it is printed.
#[derive(Serialize)]
pub struct Function {
    /// Name in the dispatch table, if it has one.
    pub entry: Option<String>,
    /// The same as the key of a property.
    pub key: String,
    /// Name and parameters.
    pub head: String,
    /// The body.
    pub lines: Vec<String>,
}

/// Words that cannot name a parameter.
const RESERVED: &[&str] = &[
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
    // Names that the printed modules use themselves.
    "args",
    "host",
    "objects",
    "data",
    "dynamic",
    "options",
    "given",
];

/// A free function.
pub fn function(function: &ir::Function, api: &Api) -> Function {
    let name = function.name.camel();
    let call = Call::new(&name, "FUNCTIONS", function, api);
    let head = format!("{name}({})", call.parameters.join(", "));
    let lines = if is_dynamic(function, api) {
        call.dynamic_body(function, api)
    } else {
        call.body(&[], &function.returns, api)
    };
    let is_entry = !(function.attributes.custom && is_dynamic(function, api));
    Function {
        entry: is_entry.then(|| function.path()),
        key: key(&function.path()),
        head,
        lines,
    }
}

/// Whether a function takes or gives values that stay what they are: those of a class written by hand, or of any.
pub fn is_dynamic(function: &ir::Function, api: &Api) -> bool {
    let by_hand = |ty: &Type| by_hand(ty, api).is_some();
    let takes_all = !function.arguments.is_empty()
        && function
            .arguments
            .iter()
            .all(|argument| argument.ty == Type::Any);
    takes_all
        || by_hand(&function.returns)
        || function
            .arguments
            .iter()
            .any(|argument| by_hand(&argument.ty))
}

/// The class written by hand that a type is.
pub fn by_hand<'a>(ty: &Type, api: &'a Api) -> Option<&'a ir::Interface> {
    match ty.non_null().0.resolved() {
        Type::Interface(name) => api.interface(name).filter(|class| class.attributes.custom),
        _ => None,
    }
}

/// A call on its way from the parameters of JavaScript to the values of the table.
pub struct Call {
    /// Parameters of the JavaScript function.
    pub parameters: Vec<String>,
    entry: String,
    options: Option<String>,
    values: Vec<String>,
    /// Positions of `values` that are bytes.
    bytes: Vec<usize>,
    /// Whether a value is an object that goes as it is.
    has_foreign: bool,
    /// Whether the values are two rows and two options.
    has_rows: bool,
}

impl Call {
    /// `place` is what messages call the function, `table` the constant that holds the index of its entry.
    pub fn new(place: &str, table: &str, function: &ir::Function, api: &Api) -> Call {
        let mut call = Call {
            parameters: Vec::new(),
            entry: member(table, &function.path()),
            options: None,
            values: Vec::new(),
            bytes: Vec::new(),
            has_foreign: false,
            has_rows: function.attributes.rows,
        };
        let mut names = Vec::new();
        for argument in &function.arguments {
            match (dictionary(argument, api), argument.optional) {
                (Some(dictionary), _) => {
                    for option in &dictionary.members {
                        names.push(option.name.camel());
                        call.value(&format!("given.{}", option.name.camel()), &option.ty, api);
                    }
                }
                (None, true) => {
                    names.push(argument.name.camel());
                    call.value(
                        &format!("given.{}", argument.name.camel()),
                        &argument.ty,
                        api,
                    );
                }
                (None, false) => {
                    let name = parameter(argument);
                    call.value(&name, &argument.ty, api);
                    call.parameters.push(name);
                }
            }
        }
        if !names.is_empty() {
            call.parameters.push("options".to_owned());
            let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            call.options = Some(format!(
                "const given = options === undefined ? args.NONE : args.options('{place}', options, [{}]);",
                names.join(", ")
            ));
        }
        call
    }

    fn value(&mut self, expression: &str, ty: &Type, api: &Api) {
        if is_bytes(ty) {
            self.bytes.push(self.values.len());
        }
        self.has_foreign |= is_foreign(ty);
        self.values.push(to_native(expression, ty, api));
    }

    /// The lines of the function; `first` are values that stand before the arguments.
    pub fn body(&self, first: &[&str], returns: &Type, api: &Api) -> Vec<String> {
        let mut lines: Vec<String> = self.options.iter().cloned().collect();
        let call = self.expression(first);
        lines.push(match returns.resolved() {
            Type::Undefined => format!("{call};"),
            _ => format!("return {};", from_native(&call, returns, api)),
        });
        lines
    }

    /// The lines of a function whose values stay what they are.
    fn dynamic_body(&self, function: &ir::Function, api: &Api) -> Vec<String> {
        let mut lines: Vec<String> = self.options.iter().cloned().collect();
        let values = self.values.join(", ");
        if function.attributes.custom {
            lines.push(format!(
                "return dynamic.{}({values});",
                function.name.camel()
            ));
            return lines;
        }
        let mode = match by_hand(&function.returns, api) {
            Some(_) => ", dynamic.WRAP",
            None => "",
        };
        let call = format!("dynamic.call({}, [{values}]{mode})", self.entry);
        lines.push(match function.returns.resolved() {
            Type::Undefined => format!("{call};"),
            _ => format!("return {call};"),
        });
        lines
    }

    /// The lines before the call.
    pub fn preparation(&self) -> impl Iterator<Item = &String> {
        self.options.iter()
    }

    /// The call itself.
    pub fn expression(&self, first: &[&str]) -> String {
        let values: Vec<&str> = first
            .iter()
            .copied()
            .chain(self.values.iter().map(String::as_str))
            .collect();
        let mask: u32 = self
            .bytes
            .iter()
            .map(|position| 1 << (position + first.len()))
            .sum();
        if mask != 0 {
            return format!(
                "host.call({}, [{}], {mask:#b})",
                self.entry,
                values.join(", ")
            );
        }
        if self.has_foreign {
            return format!("host.call({}, [{}])", self.entry, values.join(", "));
        }
        if self.has_rows {
            return format!("host.callRows({}, {})", self.entry, values.join(", "));
        }
        call(&self.entry, &values)
    }
}

/// Most arguments for which there is a function of its own, which need not make an array of them.
const MOST: usize = 4;

/// The object that a method is called on, checked.
pub const THIS: &str = "objects.own(this)";

/// A call of an entry with values that may be packed.
pub fn call(entry: &str, values: &[&str]) -> String {
    let values_text = values.join(", ");
    match values.len() {
        1 if values[0] == THIS => format!("host.callOn({entry}, this)"),
        0 => format!("host.call0({entry})"),
        count if count <= MOST => format!("host.call{count}({entry}, {values_text})"),
        _ => format!("host.call({entry}, [{values_text}])"),
    }
}

/// A member of an object of JavaScript.
pub fn member(object: &str, name: &str) -> String {
    match is_word(name) {
        true => format!("{object}.{name}"),
        false => format!("{object}['{name}']"),
    }
}

/// A name as it stands in an object literal.
pub fn key(name: &str) -> String {
    match is_word(name) {
        true => name.to_owned(),
        false => format!("'{name}'"),
    }
}

fn is_word(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_alphanumeric())
}

/// The name of a parameter.
pub fn parameter(argument: &Argument) -> String {
    let name = argument.name.camel();
    if RESERVED.contains(&name.as_str()) {
        format!("{name}_")
    } else {
        name
    }
}

/// The dictionary that an argument is; its members are options of their own.
pub fn dictionary<'a>(argument: &Argument, api: &'a Api) -> Option<&'a ir::Dictionary> {
    match argument.ty.non_null().0.resolved() {
        Type::Dictionary(name) => api.dictionary(name),
        _ => None,
    }
}

fn is_bytes(ty: &Type) -> bool {
    matches!(ty.non_null().0.resolved(), Type::Bytes)
}

fn is_foreign(ty: &Type) -> bool {
    ty.non_null().0.alias() == Some("Foreign")
}

/// Whether a type is an object of ours, or named values that stand for one.
fn or_named(ty: &Type) -> bool {
    let unaliased = match ty.non_null().0 {
        Type::Alias { target, .. } => target,
        other => other,
    };
    let is_named = |member: &Type| matches!(member.resolved(), Type::Record(_));
    matches!(unaliased, Type::Union(members) if members.iter().any(is_named))
}

/// What the addon cannot know of an argument without the spec.
pub fn to_native(expression: &str, ty: &Type, api: &Api) -> String {
    if is_foreign(ty) {
        return format!("args.toRaw({expression})");
    }
    if or_named(ty) {
        return format!("args.toNamedOrOurs({expression})");
    }
    if ty.alias() == Some("Exports") {
        return format!("args.toExports({expression})");
    }
    match ty.non_null().0.resolved() {
        Type::Bytes => format!("args.toBytes({expression})"),
        Type::Record(_) => format!("args.toNamed({expression})"),
        Type::Callback(name)
            if api
                .callback(name)
                .is_some_and(|callback| callback.returns == Type::Undefined) =>
        {
            format!("args.toListener({expression})")
        }
        _ => expression.to_owned(),
    }
}

/// What the addon cannot know of a result without the spec.
pub fn from_native(expression: &str, ty: &Type, api: &Api) -> String {
    let (inner, nullable) = ty.non_null();
    let item = from_inner("item", inner, api);
    match (nullable, item) {
        (_, None) => expression.to_owned(),
        (true, Some(item)) => format!("args.unlessNull({expression}, (item) => {item})"),
        (false, Some(_)) => {
            from_inner(expression, inner, api).unwrap_or_else(|| expression.to_owned())
        }
    }
}

/// The conversion of a result that is there; none when it is as it should be.
fn from_inner(expression: &str, ty: &Type, api: &Api) -> Option<String> {
    if ty.alias() == Some("Address") {
        return Some(format!("BigInt({expression})"));
    }
    match ty.resolved() {
        Type::Dictionary(name) => api
            .dictionary(name)
            .map(|found| format!("data.{}({expression})", reader(found))),
        Type::Sequence(inner) => {
            let item = from_native("item", inner, api);
            (item != "item").then(|| format!("{expression}.map((item) => {item})"))
        }
        Type::Record(inner) => Some(match from_native("item", inner, api) {
            item if item == "item" => format!("args.fromNamed({expression})"),
            item => format!("args.fromNamed({expression}, (item) => {item})"),
        }),
        _ => None,
    }
}

/// A function that makes a dictionary of its members.
#[derive(Serialize)]
pub struct Reader {
    reader: String,
    members: Vec<String>,
    fields: Vec<String>,
}

/// One for each dictionary that is returned.
pub fn readers(api: &Api) -> Vec<Reader> {
    let reader = |dictionary: &ir::Dictionary| {
        let members: Vec<String> = dictionary.members.iter().map(parameter).collect();
        let field = |(member, bound): (&Argument, &String)| {
            let value = from_native(bound, &member.ty, api);
            let name = member.name.camel();
            if value == name {
                name
            } else {
                format!("{name}: {value}")
            }
        };
        let fields = dictionary.members.iter().zip(&members).map(field).collect();
        Reader {
            reader: self::reader(dictionary),
            members,
            fields,
        }
    };
    api.dictionaries
        .iter()
        .filter(|dictionary| is_returned(dictionary, api))
        .map(reader)
        .collect()
}

/// Whether a function returns such a dictionary.
pub fn is_returned(dictionary: &ir::Dictionary, api: &Api) -> bool {
    fn mentions(ty: &Type, name: &str) -> bool {
        match ty {
            Type::Dictionary(found) => found == name,
            Type::Nullable(inner) | Type::Sequence(inner) | Type::Record(inner) => {
                mentions(inner, name)
            }
            Type::Alias { target, .. } => mentions(target, name),
            _ => false,
        }
    }
    api.all_functions()
        .any(|function| mentions(&function.returns, dictionary.name.as_spec()))
}

fn reader(dictionary: &ir::Dictionary) -> String {
    format!("read{}", dictionary.name.pascal())
}
