//! Classes in JavaScript: properties as getters, the protocols of arrays and maps.

use serde::Serialize;

use super::calls::{Call, THIS, call, from_native, key, member, to_native};
use super::{Backend as _, Node};
use crate::ir::{Api, Function, Interface, Maplike, Property};

/// A class as it is printed.
#[derive(Serialize)]
pub struct Class {
    name: String,
    base: &'static str,
    /// Constant that holds the indices of its entries.
    table: String,
    entries: Vec<Entry>,
    members: Vec<Member>,
    /// Properties in its summary.
    shown: Vec<String>,
    /// Whether what it maps names to are also its members: functions are.
    gives_members: bool,
}

/// An entry of the dispatch table that a class calls.
#[derive(Serialize)]
struct Entry {
    /// Name in the constant, in quotes where the language asks for them.
    key: String,
    /// Name in the dispatch table.
    name: String,
}

#[derive(Serialize)]
struct Member {
    head: String,
    lines: Vec<String>,
}

/// Prints a class.
pub fn class(class: &Interface, api: &Api) -> Class {
    let mut printer = Printer {
        class,
        api,
        table: class.name.screaming(),
        entries: Vec::new(),
        members: Vec::new(),
    };
    printer.everything();
    let Printer {
        table,
        entries,
        members,
        ..
    } = printer;
    let base = if class.is_value {
        "NamedValue"
    } else {
        "DisposableObject"
    };
    let shown = properties(class)
        .filter(|property| is_shown(property))
        .map(|property| property.name.camel());
    let entry = |entry: &String| Entry {
        key: key(entry),
        name: format!("{}.{entry}", class.name.as_spec()),
    };
    Class {
        name: class.name.pascal(),
        base,
        table,
        entries: entries.iter().map(entry).collect(),
        members,
        shown: shown.collect(),
        gives_members: class.gives_members(),
    }
}

/// The properties that JavaScript has.
pub fn properties(class: &Interface) -> impl Iterator<Item = &Property> {
    let support = Node.supports();
    class
        .properties
        .iter()
        .filter(move |property| support.has(&property.attributes))
}

/// The functions that JavaScript has.
pub fn present(functions: &[Function]) -> impl Iterator<Item = &Function> {
    let support = Node.supports();
    functions
        .iter()
        .filter(move |function| support.has(&function.attributes))
}

/// Elements and addresses mean nothing in a summary.
fn is_shown(property: &Property) -> bool {
    !property.attributes.custom && property.ty.alias() != Some("Address")
}

struct Printer<'a> {
    class: &'a Interface,
    api: &'a Api,
    table: String,
    entries: Vec<String>,
    members: Vec<Member>,
}

impl Printer<'_> {
    fn everything(&mut self) {
        let class = self.class;
        if let Some(constructor) = &class.constructor {
            self.constructor(constructor);
        }
        for function in present(&class.statics) {
            self.function("static ", function, &[]);
        }
        for property in properties(class) {
            self.property(property);
        }
        for function in present(&class.methods) {
            self.function("", function, &[THIS]);
        }
        if class.iterable.is_some() {
            self.iterable();
        }
        if let Some(map) = &class.maplike {
            self.maplike(map);
        }
    }

    fn member(&mut self, head: impl Into<String>, lines: &[&str]) {
        let lines = lines.iter().map(|line| (*line).to_owned()).collect();
        self.members.push(Member {
            head: head.into(),
            lines,
        });
    }

    /// Notes an entry, and calls it.
    fn call(&mut self, entry: &str, values: &[&str]) -> String {
        self.entries.push(entry.to_owned());
        let all: Vec<&str> = [THIS].into_iter().chain(values.iter().copied()).collect();
        call(&member(&self.table, entry), &all)
    }

    fn constructor(&mut self, constructor: &Function) {
        let name = self.class.name.pascal();
        self.entries.push(constructor.name.as_spec().to_owned());
        let call = Call::new(&format!("new {name}"), &self.table, constructor, self.api);
        let mut lines = vec![
            "if (arguments[0] === objects.TOKEN) {".to_owned(),
            "  super(arguments[0], arguments[1], arguments[2]);".to_owned(),
            "  return;".to_owned(),
            "}".to_owned(),
        ];
        lines.extend(call.preparation().cloned());
        lines.push(format!(
            "return host.adopt({name}, new.target, {});",
            call.expression(&[])
        ));
        self.members.push(Member {
            head: format!("constructor({})", call.parameters.join(", ")),
            lines,
        });
    }

    fn function(&mut self, prefix: &str, function: &Function, first: &[&str]) {
        let name = function.name.camel();
        self.entries.push(function.name.as_spec().to_owned());
        let call = Call::new(
            &format!("{}.{name}", self.class.name.pascal()),
            &self.table,
            function,
            self.api,
        );
        let head = format!("{prefix}{name}({})", call.parameters.join(", "));
        let lines = call.body(first, &function.returns, self.api);
        self.members.push(Member { head, lines });
    }

    fn property(&mut self, property: &Property) {
        let name = property.name.camel();
        let spec = property.name.as_spec();
        let call = self.call(spec, &[]);
        // What a front makes itself is an object of the language, made once.
        let line = if property.attributes.custom {
            format!("return objects.keep(this, '{name}', () => {call});")
        } else {
            format!("return {};", from_native(&call, &property.ty, self.api))
        };
        self.member(format!("get {name}()"), &[&line]);
        if !property.readonly {
            let value = to_native("value", &property.ty, self.api);
            let line = format!("{};", self.call(&format!("{spec}="), &[&value]));
            self.member(format!("set {name}(value)"), &[&line]);
        }
    }

    fn iterable(&mut self) {
        let length = format!("return {};", self.call("@len", &[]));
        self.member("get length()", &[&length]);
        let at = format!(
            "return {};",
            self.call("@at", &["args.position(index, this.length)"])
        );
        self.member("at(index)", &[&at]);
        let body = [
            "const { length } = this;",
            "for (let i = 0; i < length; i++) yield this.at(i);",
        ];
        self.member("*[Symbol.iterator]()", &body);
    }

    fn maplike(&mut self, map: &Maplike) {
        let size = format!("return {};", self.call("@len", &[]));
        self.member("get size()", &[&size]);
        let has = format!("return {};", self.call("@has", &["String(key)"]));
        self.member("has(key)", &[&has]);
        let get = from_native(&self.call("@get", &["String(key)"]), &map.value, self.api);
        self.member(
            "get(key)",
            &[&format!("return this.has(key) ? {get} : undefined;")],
        );
        let keys = format!("return {}.values();", self.call("@keys", &[]));
        self.member("keys()", &[&keys]);
        self.member(
            "*values()",
            &["for (const key of this.keys()) yield this.get(key);"],
        );
        self.member(
            "*entries()",
            &["for (const key of this.keys()) yield [key, this.get(key)];"],
        );
        self.member("[Symbol.iterator]()", &["return this.entries();"]);
        let each =
            "for (const [key, value] of this.entries()) work.call(receiver, value, key, this);";
        self.member("forEach(work, receiver)", &[each]);
        if map.readonly {
            return;
        }
        let value = to_native("value", &map.value, self.api);
        let set = format!("{};", self.call("@set", &["String(key)", &value]));
        self.member("set(key, value)", &[&set, "return this;"]);
        let delete = format!("return {};", self.call("@remove", &["String(key)"]));
        self.member("delete(key)", &[&delete]);
        let clear = format!("{};", self.call("@clear", &[]));
        self.member("clear()", &[&clear]);
    }
}
