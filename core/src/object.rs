//! Objects of classes that any side may define: compiled modules by the reflection calls of the ABI, Rust and the languages by
//! [`ObjectType::define`]. All are seen alike: fields, methods, construction, ancestors.
//!
//! ```
//! use tenspan::object::{FieldSpec, FieldType, ObjectType};
//! use tenspan::value::{Any, Kind};
//!
//! let pair = ObjectType::define("doc.Pair")
//!     .field(FieldSpec::new("a", FieldType::Int))
//!     .field(FieldSpec::new("b", FieldType::Int).default(Any::int(7)))
//!     .finish()?;
//! let object = pair.create(&[Any::int(3).view()], &[])?;
//! assert!(matches!(object.get("b")?.kind(), Kind::Int(7)));
//! # Ok::<(), tenspan::Error>(())
//! ```

mod compare;
mod create;
mod define;
mod field_type;
pub mod hooks;
#[cfg(test)]
mod tests;

pub use compare::{by_fields, compared, hashed, shown};
pub(crate) use create::pairs;
pub use create::{is_keywords, keywords};
pub use define::{Definition, FieldSpec};
pub use field_type::FieldType;

pub use crate::abi::reflect::{Field, Method};

use crate::abi::layout::index;
use crate::abi::object::ObjectRef;
use crate::abi::reflect;
use crate::abi::types::{self, TypeInfo, flag};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::value::{Any, AnyView, FromAny, IntoAny};

/// A class of objects.
#[derive(Clone, Copy)]
pub struct ObjectType(&'static TypeInfo);

impl ObjectType {
    /// The type of a key.
    ///
    /// # Errors
    /// [`ErrorKind::ValueError`] when there is none.
    pub fn of(key: &str) -> Result<ObjectType> {
        types::find(key)
            .and_then(ObjectType::from_index)
            .ok_or_else(|| {
                let message = format!(
                    "there is no type of objects `{key}`; the module that defines it may not be loaded"
                );
                Error::new(ErrorKind::ValueError, message)
            })
    }

    /// The type of an index, if it is one of objects.
    pub fn from_index(type_index: i32) -> Option<ObjectType> {
        types::info(type_index)
            .filter(|info| info.type_index >= index::OBJECT)
            .map(ObjectType)
    }

    /// Begins the definition of a type.
    pub fn define(key: impl Into<String>) -> Definition {
        Definition::new(key.into())
    }

    /// Its key.
    pub fn key(self) -> &'static str {
        self.0.key()
    }

    /// Its index.
    pub fn index(self) -> i32 {
        self.0.type_index
    }

    /// What it is derived from; nothing for the type of all objects.
    pub fn parent(self) -> Option<ObjectType> {
        self.0.ancestors().last().map(|info| ObjectType(info))
    }

    /// Whether it is another type, or derived from it.
    pub fn is(self, other: ObjectType) -> bool {
        types::is_a(self.index(), other.index())
    }

    /// What it is, in words.
    pub fn doc(self) -> &'static str {
        self.0.metadata().map_or("", |metadata| metadata.doc())
    }

    /// Its fields, those of its ancestors first.
    pub fn fields(self) -> impl Iterator<Item = Field> {
        reflect::fields(self.0)
    }

    /// Its methods, its own first.
    pub fn methods(self) -> impl Iterator<Item = Method> {
        reflect::methods(self.0)
    }

    /// The field of a name; one of its own before one of an ancestor.
    pub fn field(self, name: &str) -> Option<Field> {
        let named = self.fields().filter(|field| field.info().name() == name);
        named.last()
    }

    /// The method of a name.
    pub fn method(self, name: &str) -> Option<Method> {
        self.methods().find(|method| method.info().name() == name)
    }

    /// An attribute that whoever defined the type gave it.
    pub fn attribute(self, name: &str) -> Option<AnyView<'static>> {
        types::attribute(self.index(), name)
    }

    /// The error of a field or a method that the type does not have.
    pub fn missing(self, what: &str, name: &str) -> Error {
        let fields = self.fields().map(|field| field.info().name());
        let methods = self.methods().map(|method| method.info().name());
        let all: Vec<&str> = fields.chain(methods).collect();
        let missing = Error::missing_key(what, name, all);
        Error::new(
            ErrorKind::AttributeError,
            format!("`{}`: {}", self.key(), missing.message()),
        )
    }
}

/// An object of any class.
#[derive(Clone)]
#[repr(transparent)]
pub struct Object(ObjectRef);

impl Object {
    /// Makes an object, by the constructor of its class or of its fields.
    ///
    /// # Errors
    /// [`ErrorKind::ValueError`] when there is no such class, or as [`ObjectType::create`].
    pub fn create(type_key: &str, args: &[Any], named: &[(String, Any)]) -> Result<Object> {
        let named: Vec<_> = named
            .iter()
            .map(|(name, value)| (name.as_str(), value.view()))
            .collect();
        ObjectType::of(type_key)?.create(AnyView::slice(args), &named)
    }

    /// The object as a class sees it.
    pub fn from_object(object: ObjectRef) -> Object {
        Object(object)
    }

    /// The object itself.
    pub fn object(&self) -> &ObjectRef {
        &self.0
    }

    /// Its class.
    pub fn object_type(&self) -> ObjectType {
        ObjectType(types::info_or_unknown(self.0.type_index()))
    }

    /// The key of its class.
    pub fn type_key(&self) -> &'static str {
        self.object_type().key()
    }

    /// A field.
    ///
    /// # Errors
    /// [`ErrorKind::AttributeError`] when there is none of this name, or what reading it raises.
    pub fn get(&self, name: &str) -> Result<Any> {
        match self.object_type().field(name) {
            Some(field) => field.get(&self.0),
            None => Err(self.object_type().missing("field", name)),
        }
    }

    /// Sets a field.
    ///
    /// # Errors
    /// [`ErrorKind::AttributeError`] when there is none of this name or it is read-only, [`ErrorKind::TypeError`] for a value of another kind.
    pub fn set(&self, name: &str, value: AnyView<'_>) -> Result<()> {
        let Some(field) = self.object_type().field(name) else {
            return Err(self.object_type().missing("field", name));
        };
        if !field.info().is(flag::WRITABLE) {
            let message = format!("`{name}` of `{}` is read-only", field.owner().key());
            return Err(Error::new(ErrorKind::AttributeError, message));
        }
        field.put(&self.0, value)
    }

    /// Calls a method.
    ///
    /// # Errors
    /// [`ErrorKind::AttributeError`] when there is none of this name, or what it raises.
    pub fn call(&self, name: &str, args: &[Any]) -> Result<Any> {
        self.call_views(name, AnyView::slice(args))
    }

    /// As [`Object::call`], with values that someone else owns.
    ///
    /// # Errors
    /// As [`Object::call`].
    pub fn call_views(&self, name: &str, args: &[AnyView<'_>]) -> Result<Any> {
        let found = self.object_type().method(name);
        let Some((method, function)) = found.and_then(|m| Some((m, m.function()?))) else {
            return Err(self.object_type().missing("method", name));
        };
        if method.info().is_static() {
            return function.call_views(args);
        }
        let this = self.clone().into_any();
        let mut all = Vec::with_capacity(args.len() + 1);
        all.push(this.view());
        all.extend_from_slice(args);
        function.call_views(&all)
    }

    /// Another object with the same fields.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] when its class does not say how.
    pub fn copy(&self) -> Result<Object> {
        if let Some(copy) = crate::abi::instance::copy(&self.0)? {
            return Ok(Object(copy));
        }
        let copies = self.object_type().attribute("__ffi_shallow_copy__");
        let Some(copies) = copies
            .and_then(AnyView::object)
            .and_then(Function::from_object)
        else {
            let message = format!("objects of `{}` cannot be copied", self.type_key());
            return Err(Error::new(ErrorKind::TypeError, message));
        };
        let this = self.clone().into_any();
        let copy = copies.call_views(&[this.view()])?;
        create::made(copy, self.object_type())
    }
}

impl IntoAny for Object {
    fn into_any(self) -> Any {
        Any::object(self.0)
    }
}

impl<'a> FromAny<'a> for Object {
    fn wanted() -> String {
        "an object".to_owned()
    }

    #[inline]
    fn held(value: &'a AnyView<'a>) -> Option<&'a Self> {
        value.held_object()
    }

    fn from_any(value: &'a AnyView<'a>) -> Result<Option<Self>> {
        Ok(value.object().map(Object))
    }
}
