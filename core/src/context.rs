//! An arena of tensors with a budget.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::shape;
use crate::storage::{ALIGNMENT, Storage};
use crate::tensor::Tensor;

/// One allocation that tensors are made in, freed when the context and all of them are gone.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

crate::class!(Context, "tenspan.Context");

struct Inner {
    storage: Storage,
    capacity: u64,
    no_alloc: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    used: u64,
    named: Vec<(String, Tensor)>,
}

impl Context {
    /// Reserves `mem_size` bytes, or only counts against them when `no_alloc` is set: tensors then have a shape and no memory.
    ///
    /// # Errors
    /// [`ErrorKind::MemoryError`].
    pub fn new(mem_size: u64, no_alloc: bool) -> Result<Context> {
        let storage = if no_alloc {
            Storage::absent()
        } else {
            Storage::zeroed(mem_size)?
        };
        Ok(Context(Arc::new(Inner {
            storage,
            capacity: mem_size,
            no_alloc,
            state: Mutex::default(),
        })))
    }

    /// A new tensor in the arena, filled with zeros.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfBudget`] when there is no room, [`ErrorKind::ValueError`] when the name is taken.
    pub fn tensor(&self, shape: &[u64], dtype: DType, name: Option<&str>) -> Result<Tensor> {
        let wanted = shape::nbytes(dtype, shape)?;
        if dtype.is_opaque() {
            return Err(Error::new(
                ErrorKind::DTypeMismatch,
                format!("the size of {dtype} is unknown"),
            ));
        }
        let mut state = self.state();
        if let Some(name) = name
            && state.named.iter().any(|(taken, _)| taken == name)
        {
            return Err(Error::new(
                ErrorKind::ValueError,
                format!("the context already has a tensor `{name}`"),
            ));
        }
        let start = state.used;
        let end = wanted
            .checked_next_multiple_of(ALIGNMENT as u64)
            .and_then(|padded| start.checked_add(padded))
            .filter(|end| *end <= self.0.capacity);
        let Some(end) = end else {
            let message = format!(
                "a tensor of {dtype} {shape:?} takes {wanted} bytes, rounded up to {ALIGNMENT}, but {} of {} are left",
                self.0.capacity - start,
                self.0.capacity
            );
            return Err(Error::new(ErrorKind::OutOfBudget, message));
        };
        let mut tensor = Tensor::new(self.0.storage.clone(), start, dtype, shape, None)?;
        if let Some(name) = name {
            tensor = tensor.with_name(name);
            state.named.push((name.to_owned(), tensor.clone()));
        }
        state.used = end;
        Ok(tensor)
    }

    /// Bytes taken by tensors so far.
    pub fn used(&self) -> u64 {
        self.state().used
    }

    /// The budget in bytes.
    pub fn capacity(&self) -> u64 {
        self.0.capacity
    }

    /// Whether tensors are made without memory.
    pub fn no_alloc(&self) -> bool {
        self.0.no_alloc
    }

    /// Number of named tensors.
    pub fn len(&self) -> u64 {
        self.state().named.len() as u64
    }

    /// Whether no tensor has a name.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Names in the order of their making.
    pub fn keys(&self) -> Vec<String> {
        self.state()
            .named
            .iter()
            .map(|(name, _)| name.clone())
            .collect()
    }

    /// Whether a tensor has that name.
    pub fn has(&self, name: &str) -> bool {
        self.state().named.iter().any(|(known, _)| known == name)
    }

    /// The tensor of a name.
    ///
    /// # Errors
    /// None today.
    pub fn get(&self, name: &str) -> Result<Option<Tensor>> {
        Ok(self
            .state()
            .named
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, tensor)| tensor.clone()))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_kept_to_the_byte() {
        let context = Context::new(256, false).unwrap();
        let a = context.tensor(&[3], DType::F32, Some("a")).unwrap();
        assert_eq!((context.used(), a.data_ptr() % 64), (64, 0));
        context.tensor(&[32, 2], DType::Q8_0, None).unwrap_err();
        context.tensor(&[48], DType::F32, None).unwrap();
        assert_eq!(context.used(), 256);
        let error = context.tensor(&[1], DType::U8, None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfBudget);
        assert!(error.message().contains("0 of 256"), "{error}");
        context.tensor(&[0], DType::U8, None).unwrap();
        assert_eq!(
            context
                .tensor(&[0], DType::U8, Some("a"))
                .unwrap_err()
                .kind(),
            ErrorKind::ValueError
        );
    }

    #[test]
    fn tensors_outlive_their_context() {
        let context = Context::new(1 << 20, false).unwrap();
        let tensor = context.tensor(&[16], DType::U8, Some("t")).unwrap();
        drop(context);
        assert_eq!(tensor.bytes().unwrap(), [0; 16]);
    }

    #[test]
    fn planned_tensors_have_a_size_and_no_memory() {
        let context = Context::new(u64::MAX, true).unwrap();
        let tensor = context.tensor(&[1 << 40], DType::F32, None).unwrap();
        assert_eq!(
            (context.used(), tensor.data_ptr(), tensor.nbytes()),
            (1 << 42, 0, 1 << 42)
        );
        assert_eq!(tensor.bytes().unwrap_err().kind(), ErrorKind::BufferError);
        assert!(tensor.rows(1, 2).unwrap().tolist().is_err());
    }
}
