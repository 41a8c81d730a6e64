//! Functions as values: closures of any language, called with packed values.

use std::fmt;
use std::panic::Location;

use crate::abi::closure;
pub use crate::abi::closure::{Body, Place, Signature};
use crate::abi::object::ObjectRef;
use crate::error::Result;
use crate::value::{Any, AnyView};

/// Something to call, counted; made from a closure here or by another language.
#[derive(Clone)]
#[repr(transparent)]
pub struct Function(ObjectRef);

impl Function {
    /// A function over a closure. A panic in it becomes an error of its caller.
    pub fn new(body: impl Fn(&[AnyView<'_>]) -> Result<Any> + Send + Sync + 'static) -> Self {
        Function(closure::new(Box::new(body), None))
    }

    /// A function with a name for messages and named parameters, so that it can be called by name. Tracebacks name the line of
    /// this call.
    #[track_caller]
    pub fn named(
        name: impl Into<String>,
        parameters: &[&str],
        body: impl Fn(&[AnyView<'_>]) -> Result<Any> + Send + Sync + 'static,
    ) -> Self {
        let parameters = parameters.iter().map(|name| (*name).to_owned()).collect();
        let place = Location::caller();
        let place = Place {
            file: place.file().into(),
            line: place.line(),
        };
        let signature = Signature {
            name: name.into(),
            parameters,
            place: Some(place),
        };
        Function::signed(signature, body)
    }

    /// A function that says all of this of itself.
    pub fn signed(
        signature: Signature,
        body: impl Fn(&[AnyView<'_>]) -> Result<Any> + Send + Sync + 'static,
    ) -> Self {
        Function(closure::new(Box::new(body), Some(signature)))
    }

    /// A function made of something by whose type it is known again, see [`Function::value`].
    pub fn of(signature: Option<Signature>, body: impl Body + 'static) -> Self {
        Function(closure::new(Box::new(body), signature))
    }

    /// What the function was made of by [`Function::of`], if that is a `T`.
    pub fn value<T: 'static>(&self) -> Option<&T> {
        closure::value(&self.0)?.downcast_ref()
    }

    /// What the function says of itself, if anything.
    pub fn signature(&self) -> Option<&Signature> {
        closure::signature(&self.0).map(|signature| &**signature)
    }

    /// What the function is called, when it says so.
    pub fn name(&self) -> Option<&str> {
        closure::signature(&self.0).map(|signature| signature.name.as_str())
    }

    /// The names of its parameters in order, when it says them.
    pub fn parameters(&self) -> Option<&[String]> {
        closure::signature(&self.0).map(|signature| signature.parameters.as_slice())
    }

    /// Calls the function.
    ///
    /// # Errors
    /// What the callee raises.
    pub fn call(&self, args: &[Any]) -> Result<Any> {
        let views: Vec<AnyView<'_>> = args.iter().map(Any::view).collect();
        closure::call(&self.0, &views)
    }

    /// Calls the function with values that someone else owns.
    ///
    /// # Errors
    /// What the callee raises.
    pub fn call_views(&self, args: &[AnyView<'_>]) -> Result<Any> {
        closure::call(&self.0, args)
    }

    /// The object itself.
    pub fn object(&self) -> &ObjectRef {
        &self.0
    }

    /// The function in an object of its type.
    pub fn from_object(object: ObjectRef) -> Option<Self> {
        (object.type_index() == crate::abi::layout::index::FUNCTION).then(|| Function(object))
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.signature() {
            Some(Signature {
                name, parameters, ..
            }) => {
                write!(f, "function {name}({})", parameters.join(", "))
            }
            None => f.write_str("function"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Error, ErrorKind};
    use crate::value::Kind;

    #[test]
    fn a_closure_gets_its_arguments_and_returns_its_result() {
        let add = Function::new(|args| match (args[0].kind(), args[1].kind()) {
            (Kind::Int(a), Kind::Int(b)) => Ok(Any::int((a + b).into())),
            _ => Err(Error::new(ErrorKind::TypeError, "integers wanted")),
        });
        assert!(matches!(
            add.call(&[Any::int(2), Any::int(3)]).unwrap().kind(),
            Kind::Int(5)
        ));
        let error = add.call(&[Any::NONE, Any::NONE]).unwrap_err();
        assert_eq!(
            (error.kind(), error.message()),
            (ErrorKind::TypeError, "integers wanted")
        );
    }

    #[test]
    fn a_function_is_known_again_by_what_it_was_made_of() {
        struct Adds(i64);
        impl Body for Adds {
            fn call(&self, args: &[AnyView<'_>]) -> Result<Any> {
                match args[0].kind() {
                    Kind::Int(n) => Ok(Any::int((n + self.0).into())),
                    _ => Err(Error::new(ErrorKind::TypeError, "an integer wanted")),
                }
            }

            fn value(&self) -> &(dyn std::any::Any + Send + Sync) {
                self
            }
        }
        let adds = Function::of(None, Adds(3));
        assert_eq!(adds.value::<Adds>().map(|adds| adds.0), Some(3));
        assert!(adds.value::<i64>().is_none());
        let sum = adds.call(&[Any::int(4)]).unwrap();
        assert!(matches!(sum.kind(), Kind::Int(7)));
        let again = Function::from_object(adds.object().clone()).unwrap();
        assert!(again.value::<Adds>().is_some());
        assert!(Function::from_object(crate::Array::new(&[]).object().clone()).is_none());
        assert!(Function::new(|_| Ok(Any::NONE)).value::<Adds>().is_none());
    }

    #[test]
    fn a_panic_becomes_an_error() {
        let bad = Function::new(|args| Ok(args[7].to_any()));
        let error = bad.call(&[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InternalError);
        assert!(error.message().contains("index out of bounds"), "{error}");
    }
}
