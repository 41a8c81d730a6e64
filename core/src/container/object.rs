//! What all containers have in common: they are objects of one static type.

/// Makes a struct of one [`ObjectRef`](crate::abi::object::ObjectRef) a value of the type with this index.
macro_rules! container {
    ($name:ident, $index:expr, $wanted:literal) => {
        impl $name {
            /// The object itself.
            pub fn object(&self) -> &crate::abi::object::ObjectRef {
                &self.0
            }

            /// The container in an object of its type.
            pub fn from_object(object: crate::abi::object::ObjectRef) -> Option<Self> {
                (object.type_index() == $index).then(|| $name(object))
            }

            /// Whether both are the same container.
            pub fn is(&self, other: &Self) -> bool {
                self.0.handle() == other.0.handle()
            }
        }

        impl crate::value::IntoAny for $name {
            fn into_any(self) -> crate::value::Any {
                crate::value::Any::object(self.0)
            }
        }

        impl<'a> crate::value::FromAny<'a> for $name {
            fn wanted() -> String {
                $wanted.to_owned()
            }

            fn from_any(
                value: &'a crate::value::AnyView<'a>,
            ) -> crate::error::Result<Option<Self>> {
                Ok(value.object().and_then($name::from_object))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(&crate::value::IntoAny::into_any(self.clone()), f)
            }
        }
    };
}

pub(crate) use container;
