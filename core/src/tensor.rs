//! Elements of one dtype in memory, reached by a shape and by strides in bytes.
//!
//! The main type is [`Tensor`], a counted handle. Views share storage and keep it alive. What tensors
//! are made from is in [`build`], [`list`] and [`typed`]; how elements move between them in [`copy`](mod@copy) and [`cast`](mod@cast), into
//! blocks and out of them in [`quantize`](mod@quantize) and [`dequantize`](mod@dequantize); what is wrong with them in
//! [`compare`] and [`validate`](mod@validate).

pub mod build;
pub mod cast;
pub mod compare;
mod convert;
pub mod copy;
pub mod dequantize;
mod equals;
pub mod list;
mod parts;
pub mod quantize;
pub(crate) mod rows;
mod strict;
mod tolist;
pub mod typed;
pub mod validate;
mod view;

use std::fmt;
use std::sync::Arc;

use crate::abi::layout::DLTensor;
use crate::abi::object::ObjectRef;
use crate::abi::tensor::{self as object, Parts, TensorValue};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::shape;
use crate::storage::Storage;

/// A tensor. Cloning counts a reference; the elements are shared.
#[derive(Clone)]
#[repr(transparent)]
pub struct Tensor(ObjectRef);

impl Tensor {
    /// A tensor over part of a storage, starting `offset` bytes into it; packed when no strides are given.
    ///
    /// # Errors
    /// Kinds of [`shape::nbytes`], [`ErrorKind::ValueError`] when shape and strides differ in length,
    /// [`ErrorKind::BufferError`] when an element lies outside the storage.
    pub fn new(
        storage: Storage,
        offset: u64,
        dtype: DType,
        shape: &[u64],
        strides: Option<&[i64]>,
    ) -> Result<Tensor> {
        if strides.is_none()
            && let Some(nbytes) = shape::plain_nbytes(dtype, shape)
            && offset
                .checked_add(nbytes)
                .is_some_and(|end| end <= storage.len() as u64)
        {
            let parts = Parts {
                dtype,
                storage,
                offset,
                nbytes,
                readonly: false,
                copied: false,
                packed: true,
                name: None,
            };
            return Ok(Tensor(object::new(parts, shape, None)));
        }
        let nbytes = shape::nbytes(dtype, shape)?;
        let packed;
        let strides = match strides {
            Some(strides) => strides,
            None => {
                packed = shape::packed_strides(dtype, shape);
                &packed[..]
            }
        };
        if strides.len() != shape.len() {
            let message = format!(
                "shape {shape:?} has {} dimensions, strides {strides:?} have {}",
                shape.len(),
                strides.len()
            );
            return Err(Error::new(ErrorKind::ValueError, message));
        }
        let (low, high) = shape::extent(dtype, shape, strides)?;
        let inside = i64::try_from(offset).ok().is_some_and(|offset| {
            offset.checked_add(low).is_some_and(|first| first >= 0)
                && offset
                    .checked_add(high)
                    .is_some_and(|end| end as u64 <= storage.len() as u64)
        });
        if !inside && !storage.is_absent() {
            let message = format!(
                "shape {shape:?} of {dtype} with strides {strides:?} at byte {offset} is not inside {} bytes",
                storage.len()
            );
            return Err(Error::new(ErrorKind::BufferError, message));
        }
        let packed = shape::is_packed(dtype, shape, strides);
        let parts = Parts {
            dtype,
            storage,
            offset,
            nbytes,
            readonly: false,
            copied: false,
            packed,
            name: None,
        };
        Ok(Tensor(object::new(parts, shape, Some(strides))))
    }

    /// A tensor of a type that only a file knows: `nbytes` bytes that can be moved, not read as numbers.
    pub fn opaque(
        storage: Storage,
        offset: u64,
        ggml_id: u32,
        shape: &[u64],
        nbytes: u64,
    ) -> Result<Tensor> {
        shape::count(shape)?;
        storage.bytes(offset, nbytes)?;
        let parts = Parts {
            dtype: DType::Opaque(ggml_id),
            storage,
            offset,
            nbytes,
            readonly: false,
            copied: false,
            packed: true,
            name: None,
        };
        Ok(Tensor(object::new(
            parts,
            shape,
            Some(&vec![0; shape.len()]),
        )))
    }

    /// A tensor of an object that was made as one of ours.
    pub(crate) fn of(object: ObjectRef) -> Tensor {
        debug_assert!(object::value(&object).is_some());
        Tensor(object)
    }

    /// A tensor from its object. One that others made is wrapped; `None` when it is not in memory that the CPU
    /// reads, or of a dtype that tenspan does not have.
    pub fn from_object(object: ObjectRef) -> Option<Tensor> {
        if object::value(&object).is_some() {
            return Some(Tensor(object));
        }
        object::adopt(object)
    }

    /// The object, with its count.
    pub fn into_object(self) -> ObjectRef {
        self.0
    }

    /// The object.
    pub fn object(&self) -> &ObjectRef {
        &self.0
    }

    #[inline]
    fn value(&self) -> &TensorValue {
        object::value(&self.0).expect("every constructor makes or checks such an object")
    }

    #[inline]
    pub(crate) fn parts(&self) -> &Parts {
        self.value().parts()
    }

    /// The description that other libraries read. Block types are shown as their bytes.
    #[inline]
    pub fn dl(&self) -> &DLTensor {
        self.value().dl()
    }

    /// Elements along each dimension, outermost first.
    #[inline]
    pub fn shape(&self) -> &[u64] {
        self.value().shape()
    }

    /// Bytes from one position to the next along each dimension.
    #[inline]
    pub fn strides(&self) -> &[i64] {
        self.value().strides()
    }

    /// Type of the elements.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.parts().dtype
    }

    /// Number of dimensions; 0 for a scalar.
    #[inline]
    pub fn ndim(&self) -> u32 {
        self.shape().len() as u32
    }

    /// Number of elements.
    pub fn size(&self) -> u64 {
        self.shape().iter().product()
    }

    /// Bytes that the elements take when packed.
    pub fn nbytes(&self) -> u64 {
        self.parts().nbytes
    }

    /// Address of the first element; 0 when the tensor is only planned.
    pub fn data_ptr(&self) -> u64 {
        self.dl().data as u64
    }

    /// Whether writing is refused.
    pub fn readonly(&self) -> bool {
        let parts = self.parts();
        parts.readonly || parts.storage.is_readonly()
    }

    /// Whether making this tensor copied the memory it was made from.
    pub fn copied(&self) -> bool {
        self.parts().copied
    }

    /// The same tensor, said to be a copy of what it was made from.
    pub fn as_copied(&self) -> Tensor {
        self.with(|parts| parts.copied = true)
    }

    /// Whether the elements lie in memory in row-major order without gaps.
    pub fn is_contiguous(&self) -> bool {
        self.parts().packed
    }

    /// Name given by a file or a context.
    pub fn name(&self) -> Option<&str> {
        self.parts().name.as_deref()
    }

    /// The bytes that the tensor looks at, with those of other tensors.
    pub fn storage(&self) -> &Storage {
        &self.parts().storage
    }

    /// Number of positions along the outermost dimension.
    pub fn len(&self) -> u64 {
        self.shape().first().copied().unwrap_or(0)
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.size() == 0
    }

    /// The bytes of a contiguous tensor. Nobody may write them while the slice is in use.
    ///
    /// # Errors
    /// [`ErrorKind::NotContiguous`], or [`ErrorKind::BufferError`] when the tensor is only planned.
    pub fn bytes(&self) -> Result<&[u8]> {
        if !self.is_contiguous() {
            return Err(self.not_contiguous());
        }
        self.parts()
            .storage
            .bytes(self.parts().offset, self.nbytes())
    }

    /// The bytes of a contiguous tensor that nothing else looks at.
    ///
    /// # Errors
    /// [`ErrorKind::ReadOnly`], [`ErrorKind::NotContiguous`], or [`ErrorKind::BufferError`] when the memory is shared.
    pub fn bytes_mut(&mut self) -> Result<&mut [u8]> {
        if !self.0.is_unique() || !self.parts().storage.is_unique() {
            return Err(Error::new(
                ErrorKind::BufferError,
                "the memory is shared with other tensors; write with `copy`",
            ));
        }
        self.fresh_bytes()
    }

    /// As [`Tensor::bytes_mut`], for memory that core has just made and not yet given away.
    pub(crate) fn fresh_bytes(&self) -> Result<&mut [u8]> {
        self.check_writable()?;
        if !self.is_contiguous() {
            return Err(self.not_contiguous());
        }
        self.parts()
            .storage
            .bytes_mut(self.parts().offset, self.nbytes())
    }

    pub(crate) fn check_writable(&self) -> Result<()> {
        if self.readonly() {
            return Err(Error::new(
                ErrorKind::ReadOnly,
                format!("{} is read-only", self.describe()),
            ));
        }
        Ok(())
    }

    pub(crate) fn not_contiguous(&self) -> Error {
        let message = format!(
            "{} is not contiguous: its strides are {:?}",
            self.describe(),
            self.strides()
        );
        Error::new(ErrorKind::NotContiguous, message)
    }

    /// The same tensor with its parts changed.
    pub(crate) fn with(&self, change: impl FnOnce(&mut Parts)) -> Tensor {
        let mut parts = self.parts().clone();
        change(&mut parts);
        Tensor(object::new(parts, self.shape(), Some(self.strides())))
    }

    pub(crate) fn with_name(&self, name: &str) -> Tensor {
        self.with(|parts| parts.name = Some(Arc::from(name)))
    }

    /// The tensor in a message: name if it has one, dtype and shape.
    pub(crate) fn describe(&self) -> String {
        let name = self
            .name()
            .map_or(String::new(), |name| format!(" `{name}`"));
        format!("tensor{name} of {} {:?}", self.dtype(), self.shape())
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor(shape={:?}, dtype={}", self.shape(), self.dtype())?;
        if self.readonly() {
            f.write_str(", readonly")?;
        }
        if let Some(name) = self.name() {
            write!(f, ", name={name:?}")?;
        }
        f.write_str(")")
    }
}
