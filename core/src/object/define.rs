//! Definition of a type: its fields get their places, its methods their names, and the table holds it for all languages.

use super::create::FieldInit;
use super::{FieldType, ObjectType, compare};
use crate::abi::derived::Base;
use crate::abi::instance::{self, Layout, NewField, Stored};
use crate::abi::layout::index;
use crate::abi::types::{self, Request, flag};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;
use crate::value::{Any, IntoAny};

/// A field to be.
pub struct FieldSpec {
    name: String,
    doc: String,
    of: FieldType,
    flags: i64,
    default: Option<Any>,
}

impl FieldSpec {
    /// A field that can be written, and has to be given to the constructor.
    pub fn new(name: impl Into<String>, of: FieldType) -> Self {
        FieldSpec {
            name: name.into(),
            doc: String::new(),
            of,
            flags: flag::WRITABLE,
            default: None,
        }
    }

    /// Says what it is.
    pub fn doc(mut self, doc: impl Into<String>) -> Self {
        self.doc = doc.into();
        self
    }

    /// It cannot be written once the object is made.
    pub fn read_only(mut self) -> Self {
        self.flags &= !flag::WRITABLE;
        self
    }

    /// What it is when the constructor does not get it.
    pub fn default(mut self, value: Any) -> Self {
        self.flags |= flag::HAS_DEFAULT;
        self.default = Some(value);
        self
    }

    /// What makes it when the constructor does not get it.
    pub fn factory(self, make: &Function) -> Self {
        let mut spec = self.default(make.clone().into_any());
        spec.flags |= flag::DEFAULT_IS_FACTORY;
        spec
    }

    /// Sets bits of [`flag`]: [`flag::KW_ONLY`], [`flag::INIT_OFF`], [`flag::REPR_OFF`] and the like.
    pub fn with(mut self, flags: i64) -> Self {
        self.flags |= flags;
        self
    }
}

struct MethodSpec {
    name: String,
    doc: String,
    is_static: bool,
    function: Function,
}

/// A type to be.
pub struct Definition {
    key: String,
    parent: Option<ObjectType>,
    doc: String,
    fields: Vec<FieldSpec>,
    methods: Vec<MethodSpec>,
    init: Option<Function>,
    by_fields: bool,
}

impl Definition {
    pub(super) fn new(key: String) -> Self {
        Definition {
            key,
            parent: None,
            doc: String::new(),
            fields: Vec::new(),
            methods: Vec::new(),
            init: None,
            by_fields: false,
        }
    }

    /// It is derived from another type: one that is defined in this way, or a class of a compiled module whose objects begin with numbers,
    /// values and references to objects and nothing else.
    pub fn parent(mut self, parent: ObjectType) -> Self {
        self.parent = Some(parent);
        self
    }

    /// Says what it is.
    pub fn doc(mut self, doc: impl Into<String>) -> Self {
        self.doc = doc.into();
        self
    }

    /// Adds a field.
    pub fn field(mut self, field: FieldSpec) -> Self {
        self.fields.push(field);
        self
    }

    /// Adds a method, which gets the object first.
    pub fn method(self, name: &str, doc: &str, function: &Function) -> Self {
        self.with_method(name, doc, false, function)
    }

    /// Adds a method that needs no object.
    pub fn static_method(self, name: &str, doc: &str, function: &Function) -> Self {
        self.with_method(name, doc, true, function)
    }

    fn with_method(mut self, name: &str, doc: &str, is_static: bool, function: &Function) -> Self {
        self.methods.push(MethodSpec {
            name: name.to_owned(),
            doc: doc.to_owned(),
            is_static,
            function: function.clone(),
        });
        self
    }

    /// Sets the constructor. Without one, an object is made of its fields.
    pub fn init(mut self, init: &Function) -> Self {
        self.init = Some(init.clone());
        self
    }

    /// Objects are equal when their fields are, not only when they are the same.
    pub fn compared_by_fields(mut self) -> Self {
        self.by_fields = true;
        self
    }

    /// Puts the type in the table.
    ///
    /// # Errors
    /// [`ErrorKind::ValueError`] for a key that is taken, or a name that stands twice; [`ErrorKind::TypeError`] for a parent that is
    /// final or cannot be derived from for another reason, or a default of another kind.
    pub fn finish(self) -> Result<ObjectType> {
        let key = self.key.as_str();
        let wrong = |kind, why: &str| Error::new(kind, format!("type `{key}`: {why}"));
        if key.is_empty() {
            return Err(wrong(ErrorKind::ValueError, "it needs a key"));
        }
        if types::find(key).is_some() {
            return Err(wrong(ErrorKind::ValueError, "it is defined already"));
        }
        let parent_index = self.parent.map_or(index::OBJECT, ObjectType::index);
        let inherited = self.inherited()?;
        self.check_names()?;
        let defaults = self.fields.iter().map(FieldSpec::accepted_default);
        let defaults = defaults.collect::<Result<Vec<_>>>()?;
        let (layout, offsets) = self.place(inherited);
        let type_index = types::allocate(&Request::child_of(parent_index, key))?;
        instance::set_layout(type_index, layout, &self.doc)?;
        let parts = self.fields.into_iter().zip(defaults).zip(offsets);
        for ((field, default), offset) in parts {
            field.add(type_index, default, offset)?;
        }
        let object_type = ObjectType::from_index(type_index)
            .ok_or_else(|| Error::new(ErrorKind::InternalError, "a type was lost"))?;
        let init = self
            .init
            .unwrap_or_else(|| FieldInit::function(object_type));
        types::set_attribute(type_index, "__ffi_init__", init.clone().into_any())?;
        let empty = Function::new(move |_| object_type.empty_value());
        types::set_attribute(type_index, "__ffi_new__", empty.into_any())?;
        let copy = Function::new(|args| {
            let object = args.first().and_then(|value| value.object());
            let copied = object.map(|object| instance::copy(&object)).transpose()?;
            copied
                .flatten()
                .map(Any::object)
                .ok_or_else(|| Error::new(ErrorKind::TypeError, "an object to copy is wanted"))
        });
        types::set_attribute(type_index, "__ffi_shallow_copy__", copy.into_any())?;
        if self.by_fields {
            types::set_attribute(type_index, compare::COMPARE, Any::bool(true))?;
        }
        for method in self.methods {
            method.add(type_index)?;
        }
        Ok(object_type)
    }

    fn check_names(&self) -> Result<()> {
        let inherited = self.parent.into_iter().flat_map(ObjectType::fields);
        let mut seen: Vec<&str> = inherited.map(|field| field.info().name()).collect();
        for field in &self.fields {
            if seen.contains(&field.name.as_str()) {
                let message = format!(
                    "type `{}`: the field `{}` stands twice",
                    self.key, field.name
                );
                return Err(Error::new(ErrorKind::ValueError, message));
            }
            seen.push(&field.name);
        }
        Ok(())
    }

    /// The layout of the parent: that of a type defined in this way, or of a class of a compiled module.
    fn inherited(&self) -> Result<Layout> {
        let parent = self.parent.filter(|parent| parent.index() != index::OBJECT);
        let Some(parent) = parent else {
            return Ok(Layout {
                size: instance::FIRST,
                ..Layout::default()
            });
        };
        if let Some(known) = instance::layout(parent.index()) {
            return Ok(known.clone());
        }
        let base =
            Base::of(parent.0).map_err(|error| error.at(format_args!("type `{}`", self.key)))?;
        Ok(Layout {
            size: base.end(),
            base: Some(base),
            ..Layout::default()
        })
    }

    /// Where the fields stand, behind those of the parent.
    fn place(&self, inherited: Layout) -> (Layout, Vec<usize>) {
        let mut layout = inherited;
        let mut offsets = Vec::with_capacity(self.fields.len());
        for field in &self.fields {
            let stored = field.of.stored();
            let offset = layout.size.next_multiple_of(stored.alignment());
            if stored == Stored::Any {
                layout.values.push(offset);
            }
            offsets.push(offset);
            layout.size = offset + stored.size();
        }
        (layout, offsets)
    }
}

impl FieldSpec {
    /// The default as the field would hold it; what makes one is taken as it is.
    fn accepted_default(&self) -> Result<Option<Any>> {
        match &self.default {
            Some(value) if self.flags & flag::DEFAULT_IS_FACTORY == 0 => {
                let accepted = self.of.accept(value.view());
                let place = format!("the default of `{}`", self.name);
                accepted.map(Some).map_err(|error| error.at(place))
            }
            other => Ok(other.clone()),
        }
    }

    fn add(self, type_index: i32, default: Option<Any>, offset: usize) -> Result<()> {
        let schema = serde_json::json!({ "type": self.of.name() }).to_string();
        let metadata = serde_json::json!({ "type_schema": schema }).to_string();
        let (stored, checked) = (self.of.stored(), self.of.is_checked_by_setter());
        let of = self.of;
        let check: instance::Check = Box::new(move |value| of.accept(value));
        let field = NewField {
            name: &self.name,
            doc: &self.doc,
            metadata: &metadata,
            flags: self.flags,
            offset,
            stored,
            default,
            check: (!checked).then_some(check),
        };
        instance::add_field(type_index, field)
    }
}

impl MethodSpec {
    fn add(&self, type_index: i32) -> Result<()> {
        let flags = if self.is_static {
            flag::STATIC_METHOD
        } else {
            0
        };
        types::new_method(type_index, &self.name, &self.doc, flags, &self.function)
    }
}
