//! Construction: the constructor that a class has, or one that takes its fields.

use std::sync::{LazyLock, OnceLock};

use super::{Field, Object, ObjectType};
use crate::abi::types::flag;
use crate::abi::types::layout::TypeAttrColumn;
use crate::abi::{instance, reflect, types};
use crate::error::{Error, ErrorKind, Result};
use crate::function::{Body, Function};
use crate::value::{Any, AnyView, IntoAny, Opaque, args};

/// The attribute that holds the constructor of a type.
const INIT: &str = "__ffi_init__";
/// The attribute that holds what makes an object whose fields are yet to be set.
const NEW: &str = "__ffi_new__";

/// The constructor of a type that takes its fields, in order or by name.
pub(super) struct FieldInit(pub ObjectType);

impl FieldInit {
    /// The function that compiled modules call: fields in order, then [`keywords`] and names and values in turn.
    pub fn function(of: ObjectType) -> Function {
        Function::of(None, FieldInit(of))
    }
}

impl Body for FieldInit {
    fn call(&self, args: &[AnyView<'_>]) -> Result<Any> {
        let positional = args.iter().position(is_keywords).unwrap_or(args.len());
        let named = args.get(positional + 1..).unwrap_or_default();
        let object = self.0.from_fields(&args[..positional], &pairs(named)?)?;
        Ok(object.into_any())
    }

    fn value(&self) -> &(dyn std::any::Any + Send + Sync) {
        self
    }
}

/// What stands before names and values among the arguments of a constructor.
pub fn keywords() -> &'static Any {
    static KEYWORDS: LazyLock<Any> =
        LazyLock::new(|| Opaque::new(0, Box::new("keywords")).into_any());
    &KEYWORDS
}

/// Whether a value is [`keywords`].
pub fn is_keywords(value: &AnyView<'_>) -> bool {
    let (value, known) = (value.raw(), keywords().view().raw());
    (value.type_index, value.payload) == (known.type_index, known.payload)
}

/// Names and values in turn.
pub(crate) fn pairs<'a>(values: &'a [AnyView<'a>]) -> Result<Vec<(&'a str, AnyView<'a>)>> {
    let pairs = values.chunks(2).map(|pair| match pair {
        [name, value] => match name.kind() {
            crate::value::Kind::Str(name) => Ok((name, *value)),
            _ => Err(Error::new(
                ErrorKind::TypeError,
                format!("the name of a field is wanted, found {}", name.type_name()),
            )),
        },
        _ => Err(Error::new(
            ErrorKind::TypeError,
            "names and values in turn are wanted, the last name has no value",
        )),
    });
    pairs.collect()
}

/// Checks that a constructor made an object of its type.
pub(super) fn made(value: Any, wanted: ObjectType) -> Result<Object> {
    let found = value.view().type_index();
    match value.into_object() {
        Some(object) if types::is_a(found, wanted.index()) => Ok(Object(object)),
        _ => {
            let message = format!(
                "the constructor of `{}` returned {}",
                wanted.key(),
                types::key(found)
            );
            Err(Error::new(ErrorKind::TypeError, message))
        }
    }
}

/// The column of constructors, kept because it is asked for each object that is made.
static INITS: OnceLock<&'static TypeAttrColumn> = OnceLock::new();

impl ObjectType {
    /// The constructor of the type itself.
    fn init(self) -> Option<Function> {
        let column = match INITS.get() {
            Some(column) => column,
            None => {
                let column = types::column(INIT)?;
                INITS.get_or_init(|| column)
            }
        };
        column
            .value(self.index())?
            .object()
            .and_then(Function::from_object)
    }

    /// Whether objects can be made.
    pub fn is_constructible(self) -> bool {
        self.init().is_some()
            || self.attribute(NEW).is_some()
            || self
                .0
                .metadata()
                .is_some_and(|known| known.creator.is_some())
    }

    /// Makes an object: by the constructor of the type, or else of its fields, in order or by name.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] for a type without a constructor, for arguments that do not fit, or what the constructor raises.
    pub fn create(self, args: &[AnyView<'_>], named: &[(&str, AnyView<'_>)]) -> Result<Object> {
        let Some(init) = self.init() else {
            return self.from_fields(args, named);
        };
        if init.value::<FieldInit>().is_some() {
            return self.from_fields(args, named);
        }
        if named.is_empty() {
            return made(init.call_views(args)?, self);
        }
        let parameters = init.parameters().unwrap_or_default();
        let mut all = args.to_vec();
        for parameter in parameters.iter().skip(args.len()) {
            let given = named.iter().find(|(name, _)| name == parameter);
            let Some((_, value)) = given else { break };
            all.push(*value);
        }
        if all.len() != args.len() + named.len() {
            let (name, _) = named[0];
            let message = if parameters.is_empty() {
                format!(
                    "the constructor of `{}` takes arguments by their order only, found `{name}`",
                    self.key()
                )
            } else {
                format!(
                    "the constructor of `{}` takes {}, and they do not fit `{name}`",
                    self.key(),
                    parameters.join(", ")
                )
            };
            return Err(Error::new(ErrorKind::TypeError, message));
        }
        made(init.call_views(&all)?, self)
    }

    /// An object whose fields are yet to be set.
    fn empty(self) -> Result<Object> {
        if let Some(layout) = instance::layout(self.index()) {
            return instance::new(self.index(), layout).map(Object);
        }
        if let Some(object) = reflect::created(self.0)? {
            return Ok(Object(object));
        }
        let new = self.attribute(NEW).and_then(AnyView::object);
        match new.and_then(Function::from_object) {
            Some(new) => made(new.call_views(&[])?, self),
            None => {
                let message = format!("`{}` has no constructor", self.key());
                Err(Error::new(ErrorKind::TypeError, message))
            }
        }
    }

    /// As [`ObjectType::empty`], as a value.
    pub(super) fn empty_value(self) -> Result<Any> {
        self.empty().map(IntoAny::into_any)
    }

    /// Lets compiled modules and others make objects of a type of theirs by its fields.
    ///
    /// # Errors
    /// As [`types::set_attribute`].
    pub(crate) fn register_field_init(self) -> Result<()> {
        let init = FieldInit::function(self);
        types::new_method(self.index(), INIT, "", flag::STATIC_METHOD, &init)?;
        types::set_attribute(self.index(), INIT, init.into_any())
    }

    /// Makes an object of its fields, in order or by name.
    ///
    /// # Errors
    /// As [`ObjectType::create`].
    pub fn from_fields(
        self,
        args: &[AnyView<'_>],
        named: &[(&str, AnyView<'_>)],
    ) -> Result<Object> {
        let object = self.empty()?;
        let mut positional = args.iter();
        let mut used = 0;
        for field in self.fields() {
            let info = field.info();
            let name = info.name();
            let mut given = None;
            if !info.is(flag::INIT_OFF) {
                given = named.iter().find(|(known, _)| *known == name);
                used += usize::from(given.is_some());
                if !info.is(flag::KW_ONLY)
                    && let Some(value) = positional.next()
                {
                    if given.is_some() {
                        return Err(self.wrong(format!("got `{name}` twice")));
                    }
                    field.put(&object.0, *value)?;
                    continue;
                }
            }
            match given {
                Some((_, value)) => field.put(&object.0, *value)?,
                None => self.put_default(&field, &object)?,
            }
        }
        if positional.len() > 0 || used != named.len() {
            return Err(self.surplus(args.len(), named));
        }
        Ok(object)
    }

    fn put_default(self, field: &Field, object: &Object) -> Result<()> {
        match field.default()? {
            Some(default) => field.put(&object.0, default.view()),
            None if field.info().is(flag::INIT_OFF) => Ok(()),
            None => Err(self.wrong(format!("wants `{}`", field.info().name()))),
        }
    }

    fn wrong(self, why: String) -> Error {
        Error::new(
            ErrorKind::TypeError,
            format!("the constructor of `{}` {why}", self.key()),
        )
    }

    #[cold]
    fn surplus(self, given: usize, named: &[(&str, AnyView<'_>)]) -> Error {
        let taken: Vec<_> = self
            .fields()
            .filter(|field| !field.info().is(flag::INIT_OFF))
            .collect();
        let unknown = named
            .iter()
            .find(|(name, _)| !taken.iter().any(|field| field.info().name() == *name));
        if let Some((name, _)) = unknown {
            let names = taken.iter().map(|field| field.info().name());
            let missing = Error::missing_key("field", name, names);
            return self.wrong(format!("does not take `{name}`: {}", missing.message()));
        }
        let most = taken
            .iter()
            .filter(|field| !field.info().is(flag::KW_ONLY))
            .count();
        self.wrong(args::takes((most, most), " in order", given))
    }
}
