//! Who keeps the memory that a tensor looks at, when that is something of Python.

use std::mem::ManuallyDrop;

use pyo3::prelude::*;
use tenspan::abi::dlpack::Managed;

use super::Buffer;

/// Keeps memory of Python's objects alive for the tensors over it.
///
/// The last tensor may go on any thread, inside a call of another library or not: what is kept is let go attached to the
/// interpreter, at once. When there is none any more it is not let go at all, and ends with the process.
pub struct Owner(Option<Kept>);

struct Kept {
    object: Option<Py<PyAny>>,
    #[allow(dead_code, reason = "held for its destructor")]
    held: Held,
}

/// What keeps the memory where it is, beside the reference to the object.
#[allow(dead_code, reason = "held for their destructors")]
enum Held {
    /// The object never moves its memory.
    Nothing,
    /// An export: the object may not move or free its memory while there is one.
    Export(Buffer),
    /// What was handed over by DLPack. Its maker may take it for granted that it is given back by a thread of Python.
    Managed(Managed),
    /// The description of the memory, which may hold it.
    Description(Py<PyAny>),
}

impl Owner {
    /// An object that never moves its memory.
    pub fn object(object: &Bound<'_, PyAny>) -> Owner {
        Owner::new(Some(object), Held::Nothing)
    }

    /// An object and an export of its memory.
    pub(super) fn export(object: &Bound<'_, PyAny>, buffer: Buffer) -> Owner {
        Owner::new(Some(object), Held::Export(buffer))
    }

    /// What was handed over by DLPack, and the object it came from.
    pub fn managed(object: Option<&Bound<'_, PyAny>>, managed: Managed) -> Owner {
        Owner::new(object, Held::Managed(managed))
    }

    /// An object and its description of its memory.
    pub fn described(object: &Bound<'_, PyAny>, description: &Bound<'_, PyAny>) -> Owner {
        Owner::new(
            Some(object),
            Held::Description(description.clone().unbind()),
        )
    }

    fn new(object: Option<&Bound<'_, PyAny>>, held: Held) -> Owner {
        Owner(Some(Kept {
            object: object.map(|object| object.clone().unbind()),
            held,
        }))
    }

    /// Gives the object back, when nothing but it is kept.
    pub fn give_back(&mut self) -> Option<Py<PyAny>> {
        let only_object = matches!(self.0.as_ref()?.held, Held::Nothing);
        self.0.take_if(|_| only_object)?.object
    }

    /// The object that a tensor was made from; `None` for memory of tenspan's own.
    pub fn of<'py>(py: Python<'py>, tensor: &tenspan::Tensor) -> Option<Bound<'py, PyAny>> {
        tensor.storage().keeper::<Owner>()?.kept(py)
    }

    /// The object that is kept.
    pub fn kept<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyAny>> {
        let object = self.0.as_ref()?.object.as_ref()?;
        Some(object.bind(py).clone())
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        if self.0.is_none() {
            return;
        }
        let mut kept = ManuallyDrop::new(self.0.take());
        Python::try_attach(|_| drop(kept.take()));
    }
}
