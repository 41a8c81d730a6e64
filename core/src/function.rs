//! Functions as values: closures of any language, called with packed values.

use crate::abi::closure;
use crate::abi::object::ObjectRef;
use crate::error::Result;
use crate::value::{Any, AnyView};

/// Something to call, counted; made from a closure here or by another language.
#[derive(Clone)]
pub struct Function(ObjectRef);

impl Function {
    /// A function over a closure. A panic in it becomes an error of its caller.
    pub fn new(body: impl Fn(&[AnyView<'_>]) -> Result<Any> + Send + Sync + 'static) -> Self {
        Function(closure::new(Box::new(body)))
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

    /// A function from its object, which must be one.
    pub(crate) fn from_object(object: ObjectRef) -> Self {
        debug_assert_eq!(object.type_index(), crate::abi::layout::index::FUNCTION);
        Function(object)
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
    fn a_panic_becomes_an_error() {
        let bad = Function::new(|args| Ok(args[7].to_any()));
        let error = bad.call(&[]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InternalError);
        assert!(error.message().contains("index out of bounds"), "{error}");
    }
}
