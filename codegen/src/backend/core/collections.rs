//! Entries of classes that are collections: what `iterable` and `maplike` bring.

use super::dispatch::{Entry, argument, finish};
use super::unpack::Unpacked;
use crate::ir::{Api, Interface, Maplike, Name, Type};

/// The entries of one class; none when it is no collection.
pub fn entries(class: &Interface, core: &str, api: &Api) -> Vec<Entry> {
    let of = Collection { class, core, api };
    let mut entries = Vec::new();
    if class.iterable.is_some() {
        entries.extend(of.iterable());
    }
    if let Some(map) = &class.maplike {
        entries.extend(of.maplike(map));
    }
    entries
}

struct Collection<'a> {
    class: &'a Interface,
    core: &'a str,
    api: &'a Api,
}

impl Collection<'_> {
    fn iterable(&self) -> [Entry; 2] {
        let index = Type::Integer {
            signed: false,
            bits: 64,
        };
        [
            self.entry("len", &[], |_| "Ok(this.len().into_any())".to_owned()),
            self.entry("at", &[("index", index)], |_| {
                "Ok(this.at(index)?.into_any())".to_owned()
            }),
        ]
    }

    fn maplike(&self, map: &Maplike) -> Vec<Entry> {
        let key = || ("key", Type::String);
        let what = match map.value.resolved() {
            Type::Interface(class) => Name(class.clone()).snake(),
            _ => format!("{} key", self.class.name.snake()),
        };
        let missing =
            format!("Error::missing_key(\"{what}\", key, this.keys().iter().map(String::as_str))");
        let get = format!(
            "match this.get(key)? {{ Some(value) => Ok(value.into_any()), None => Err({missing}) }}"
        );
        let mut entries = vec![
            self.entry("len", &[], |_| "Ok(this.len().into_any())".to_owned()),
            self.entry("keys", &[], |_| "Ok(this.keys().into_any())".to_owned()),
            self.entry("get", &[key()], |_| get),
            self.entry("has", &[key()], |_| {
                "Ok(this.has(key).into_any())".to_owned()
            }),
        ];
        if !map.readonly {
            let value = ("value", map.value.clone());
            entries.push(self.entry("set", &[key(), value], |passed| {
                format!("this.set({passed})?; Ok(Any::NONE)")
            }));
            entries.push(self.entry("remove", &[key()], |_| {
                "Ok(this.remove(key).into_any())".to_owned()
            }));
            entries.push(self.entry("clear", &[], |_| "this.clear(); Ok(Any::NONE)".to_owned()));
        }
        entries
    }

    /// An entry over the object; `body` is told how the arguments are passed.
    fn entry(
        &self,
        name: &str,
        arguments: &[(&str, Type)],
        body: impl FnOnce(&str) -> String,
    ) -> Entry {
        let mut unpacked = Unpacked::this(self.core, self.class.is_value);
        for (name, ty) in arguments {
            unpacked.argument(&argument(name, ty.clone()), self.api);
        }
        let body = body(&unpacked.passed.join(", "));
        unpacked.lines.push(body);
        // `entry_` keeps these apart from methods of the same name.
        let function = format!("{}_entry_{name}", self.class.name.snake());
        finish(
            format!("{}.@{name}", self.class.name.as_spec()),
            function,
            unpacked,
        )
    }
}
