//! Fields and methods of objects of any origin, by what the type table says of them.
#![allow(
    unsafe_code,
    reason = "getters and setters are functions of C that get the address of a field"
)]

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

use super::any::{Any, AnyView};
use super::failure;
use super::instance;
use super::kind::Kind;
use super::layout::{ObjectHeader, RawAny};
use super::object::ObjectRef;
use super::types::layout::FieldSetter;
use super::types::{self, FieldInfo, MethodInfo, TypeInfo, flag};
use crate::error::{Error, ErrorKind, Result};
use crate::function::Function;

/// A field with the type that it is of.
#[derive(Clone, Copy)]
pub struct Field {
    owner: &'static TypeInfo,
    info: &'static FieldInfo,
}

/// A method with the type that it is of.
#[derive(Clone, Copy)]
pub struct Method {
    owner: &'static TypeInfo,
    info: &'static MethodInfo,
}

/// The fields of a type, those of its ancestors first.
pub fn fields(info: &'static TypeInfo) -> impl Iterator<Item = Field> {
    let all = info.ancestors().iter().copied().chain([info]);
    all.flat_map(|owner| owner.fields().iter().map(move |info| Field { owner, info }))
}

/// The methods of a type, its own first.
pub fn methods(info: &'static TypeInfo) -> impl Iterator<Item = Method> {
    let all = [info]
        .into_iter()
        .chain(info.ancestors().iter().rev().copied());
    all.flat_map(|owner| {
        let own = owner.methods().iter();
        own.map(move |info| Method { owner, info })
    })
}

fn failed(code: c_int) -> Error {
    failure::take().unwrap_or_else(|| {
        let message = format!("the access to a field returned {code} without an error");
        Error::new(ErrorKind::InternalError, message)
    })
}

impl Field {
    /// What the table says of it.
    pub fn info(&self) -> &'static FieldInfo {
        self.info
    }

    /// The type that it is of.
    pub fn owner(&self) -> &'static TypeInfo {
        self.owner
    }

    /// The address of the field in an object, which is one of its type.
    #[inline]
    fn address(&self, object: &ObjectRef) -> Result<*mut c_void> {
        let owner = self.owner.type_index;
        let found = object.type_index();
        if found != owner && !types::is_a(found, owner) {
            let message = format!(
                "field `{}` is of `{}`, not of `{}`",
                self.info.name(),
                self.owner.key(),
                types::info_or_unknown(found).key()
            );
            return Err(Error::new(ErrorKind::TypeError, message));
        }
        let start = object.handle().as_ptr().cast::<u8>();
        Ok(start.wrapping_add(self.info.offset as usize).cast())
    }

    /// Reads the field.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] for an object of another type, or what the getter raises.
    #[inline]
    pub fn get(&self, object: &ObjectRef) -> Result<Any> {
        let address = self.address(object)?;
        let Some(getter) = self.info.getter else {
            return Err(Error::new(
                ErrorKind::AttributeError,
                "the field has no getter",
            ));
        };
        let mut result = Any::NONE.into_raw();
        // SAFETY: the type of the object says that the field stands there, and the slot is empty.
        let code = unsafe { getter(address, &raw mut result) };
        // SAFETY: the getter left an owned value, or the None that was there.
        let value = unsafe { Any::from_raw(result) };
        if code == 0 {
            Ok(value)
        } else {
            Err(failed(code))
        }
    }

    /// Reads a field of whole numbers, at its place where it is one of a type that is defined here.
    ///
    /// # Errors
    /// As [`Field::get`], and [`ErrorKind::TypeError`] for a field of something else.
    #[inline]
    pub fn int(&self, object: &ObjectRef) -> Result<i64> {
        if self.info.getter.is_some_and(instance::is_of_ints) {
            // SAFETY: the getter tells that such a number stands there.
            return Ok(unsafe { *self.address(object)?.cast::<i64>() });
        }
        match self.get(object)?.kind() {
            Kind::Int(number) => Ok(number),
            _ => {
                let message = format!("field `{}` is no whole number", self.info.name());
                Err(Error::new(ErrorKind::TypeError, message))
            }
        }
    }

    /// Writes the field, whether or not that is allowed to others.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] for an object of another type or a value of another kind, or what the setter raises.
    pub fn put(&self, object: &ObjectRef, value: AnyView<'_>) -> Result<()> {
        let address = self.address(object)?;
        let written = self.write(address, value);
        written.map_err(|error| {
            error.at(format_args!(
                "`{}` of `{}`",
                self.info.name(),
                self.owner.key()
            ))
        })
    }

    fn write(&self, address: *mut c_void, value: AnyView<'_>) -> Result<()> {
        let Some(setter) = NonNull::new(self.info.setter) else {
            let message = "it cannot be set";
            return Err(Error::new(ErrorKind::AttributeError, message));
        };
        if self.info.is(flag::SETTER_IS_FUNCTION) {
            // SAFETY: the flag says that this is a function object, which the table keeps.
            let function = unsafe { ObjectRef::from_borrowed(setter.cast::<ObjectHeader>()) };
            let place = Any::pointer(address as u64);
            return super::closure::call(&function, &[place.view(), value]).map(drop);
        }
        // SAFETY: without the flag this is such a function.
        let setter = unsafe { std::mem::transmute::<*mut c_void, FieldSetter>(setter.as_ptr()) };
        let raw: RawAny = value.raw();
        // SAFETY: the type of the object says that the field stands there, and the value lives during the call.
        let code = unsafe { setter(address, &raw const raw) };
        if code == 0 { Ok(()) } else { Err(failed(code)) }
    }

    /// What the field is at first, made anew where a function makes it.
    ///
    /// # Errors
    /// What that function raises.
    pub fn default(&self) -> Result<Option<Any>> {
        if !self.info.is(flag::HAS_DEFAULT) {
            return Ok(None);
        }
        // SAFETY: the table owns the value.
        let value = unsafe { AnyView::from_raw(self.info.default) };
        if !self.info.is(flag::DEFAULT_IS_FACTORY) {
            return Ok(Some(value.to_any()));
        }
        match value.object().and_then(Function::from_object) {
            Some(factory) => factory.call(&[]).map(Some),
            None => {
                let message = format!("what makes `{}` is no function", self.info.name());
                Err(Error::new(ErrorKind::TypeError, message))
            }
        }
    }
}

impl Method {
    /// What the table says of it.
    pub fn info(&self) -> &'static MethodInfo {
        self.info
    }

    /// The type that it is of.
    pub fn owner(&self) -> &'static TypeInfo {
        self.owner
    }

    /// The function behind it.
    pub fn function(&self) -> Option<Function> {
        // SAFETY: the table owns the function.
        let value = unsafe { AnyView::from_raw(self.info.method) };
        value.object().and_then(Function::from_object)
    }
}

/// An object whose fields are yet to be set, of the function that the type has for this.
///
/// # Errors
/// What that function raises.
pub fn created(info: &TypeInfo) -> Result<Option<ObjectRef>> {
    let Some(creator) = info.metadata().and_then(|metadata| metadata.creator) else {
        return Ok(None);
    };
    let mut handle = std::ptr::null_mut();
    // SAFETY: the table holds such functions.
    let code = unsafe { creator(&raw mut handle) };
    if code != 0 {
        return Err(failed(code));
    }
    // SAFETY: it made an object for the caller.
    Ok(NonNull::new(handle).map(|handle| unsafe { ObjectRef::from_owned(handle) }))
}
