//! Elements as Rust sees them: vectors and slices as tensors, and tensors as slices.
//!
//! | | copies | written through the tensor | keeps the elements alive |
//! | --- | --- | --- | --- |
//! | [`Tensor::from_vec`] | no | yes | the tensor and its views |
//! | [`Tensor::from_owner`] | no | refused | the tensor and its views hold the owner |
//! | [`Tensor::from_slice`] | yes | yes | the tensor and its views |
//! | [`Tensor::as_slice`] | no | | the borrowed tensor |
//! | [`Tensor::as_mut_slice`] | no | | the borrowed tensor, which must be the only one |
//! | [`Tensor::to_vec`] | yes | | the vector |
//!
//! Memory that no Rust type owns goes through [`from_memory`](crate::from_memory), which is unsafe.

use super::{Tensor, cast};
use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};
use crate::shape;
use crate::storage::Storage;

/// A Rust type that a dtype has elements of, whatever their bits.
///
/// Complex numbers are arrays of their two parts. `bool` is none: memory of others may hold other bytes than 0 and 1.
/// Floats of 16 and 8 bits have no type in the standard library; their bits are in [`Tensor::bytes`].
///
/// ```
/// use tenspan::{DType, zeros};
///
/// let t = zeros(&[4], DType::BF16)?;
/// let bits: &[u16] = bytemuck::cast_slice(t.bytes()?);
/// assert_eq!(bits, [0; 4]);
/// # Ok::<(), tenspan::Error>(())
/// ```
pub trait Element: bytemuck::Pod + Send + Sync {
    /// The dtype of such elements.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($of:ty = $dtype:ident),* $(,)?) => {
        $(impl Element for $of {
            const DTYPE: DType = DType::$dtype;
        })*
    };
}

elements! {
    f64 = F64, f32 = F32,
    i8 = I8, i16 = I16, i32 = I32, i64 = I64,
    u8 = U8, u16 = U16, u32 = U32, u64 = U64,
    [f32; 2] = C64, [f64; 2] = C128,
}

impl Tensor {
    /// A tensor that takes over a vector, without a copy.
    ///
    /// ```
    /// use tenspan::{DType, Tensor};
    ///
    /// let t = Tensor::from_vec(vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3])?;
    /// assert_eq!((t.dtype(), t.copied()), (DType::F32, false));
    /// assert_eq!(t.select(0, 1)?.as_slice::<f32>()?, [4.0, 5.0, 6.0]);
    /// # Ok::<(), tenspan::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::ShapeMismatch`] when the shape holds another number of elements.
    pub fn from_vec<T: Element>(values: Vec<T>, shape: &[u64]) -> Result<Tensor> {
        check_count::<T>(values.len(), shape)?;
        Tensor::new(Storage::from_vec(values), 0, T::DTYPE, shape, None)
    }

    /// A tensor that owns a copy of a slice.
    ///
    /// ```
    /// use tenspan::Tensor;
    ///
    /// let t = Tensor::from_slice(&[1i32, 2, 3], &[3])?;
    /// assert!(t.copied());
    /// # Ok::<(), tenspan::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tensor::from_vec`], and [`ErrorKind::MemoryError`].
    pub fn from_slice<T: Element>(values: &[T], shape: &[u64]) -> Result<Tensor> {
        check_count::<T>(values.len(), shape)?;
        super::build::from_bytes(bytemuck::cast_slice(values), shape, T::DTYPE)
    }

    /// A read-only tensor over the elements of something that owns them, without a copy: an `Arc<[f32]>`, a `&'static`
    /// slice, a map of a file. The owner is dropped with the last tensor over them, on whatever thread that is.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use tenspan::Tensor;
    ///
    /// let shared: Arc<[f32]> = Arc::from([1.0, 2.0]);
    /// let t = Tensor::from_owner::<f32, _>(Arc::clone(&shared), &[2])?;
    /// assert_eq!(t.data_ptr(), shared.as_ptr() as u64);
    /// assert!(t.readonly() && !t.copied());
    /// # Ok::<(), tenspan::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tensor::from_vec`].
    pub fn from_owner<T, O>(owner: O, shape: &[u64]) -> Result<Tensor>
    where
        T: Element,
        O: AsRef<[T]> + Send + Sync + 'static,
    {
        let storage = Storage::from_owner(owner);
        check_count::<T>(storage.len() / size_of::<T>(), shape)?;
        Tensor::new(storage, 0, T::DTYPE, shape, None)
    }

    /// The elements of a contiguous tensor, in row-major order. Nobody may write them while the slice is in use.
    ///
    /// # Errors
    /// [`ErrorKind::DTypeMismatch`] for elements of another type; [`ErrorKind::NotContiguous`];
    /// [`ErrorKind::BufferError`] when the tensor is only planned, or stands at an address that is no multiple of
    /// the size of an element.
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        self.check_element::<T>()?;
        bytemuck::try_cast_slice(self.bytes()?).map_err(|_| self.unaligned::<T>())
    }

    /// The elements of a contiguous tensor that nothing else looks at, to be written.
    ///
    /// ```
    /// use tenspan::{DType, ErrorKind, zeros};
    ///
    /// let mut t = zeros(&[3], DType::I32)?;
    /// t.as_mut_slice()?.copy_from_slice(&[1, 2, 3]);
    /// let view = t.slice(0, Some(1), None, 1)?;
    /// assert_eq!(view.as_slice::<i32>()?, [2, 3]);
    /// assert_eq!(t.as_mut_slice::<i32>().unwrap_err().kind(), ErrorKind::BufferError);
    /// # Ok::<(), tenspan::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Tensor::as_slice`] and [`Tensor::bytes_mut`].
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T]> {
        self.check_element::<T>()?;
        if !self.is_empty() && !self.data_ptr().is_multiple_of(align_of::<T>() as u64) {
            return Err(self.unaligned::<T>());
        }
        let bytes = self.bytes_mut()?;
        if bytes.is_empty() {
            return Ok(&mut []);
        }
        Ok(bytemuck::cast_slice_mut(bytes))
    }

    /// A copy of the elements in row-major order, converted or decoded to `T`, whatever the strides.
    ///
    /// ```
    /// use tenspan::Tensor;
    ///
    /// let t = Tensor::from_vec(vec![1i16, 2, 3, 4], &[2, 2])?.transpose()?;
    /// assert_eq!(t.to_vec::<f64>()?, [1.0, 3.0, 2.0, 4.0]);
    /// # Ok::<(), tenspan::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::UnsupportedConversion`], [`ErrorKind::BufferError`] when the tensor is only planned.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        Ok(cast::cast(self, T::DTYPE, None)?.as_slice::<T>()?.to_vec())
    }

    fn check_element<T: Element>(&self) -> Result<()> {
        if self.dtype() == T::DTYPE {
            return Ok(());
        }
        let message = format!("the elements are {}, not {}", self.dtype(), T::DTYPE);
        Err(Error::new(ErrorKind::DTypeMismatch, message))
    }

    fn unaligned<T>(&self) -> Error {
        let message = format!(
            "{} stands at address {:#x}, but its elements are read at multiples of {}; copy it, or read its bytes",
            self.describe(),
            self.data_ptr(),
            align_of::<T>()
        );
        Error::new(ErrorKind::BufferError, message)
    }
}

impl<T: Element> From<Vec<T>> for Tensor {
    /// A tensor of one dimension that takes over a vector.
    fn from(values: Vec<T>) -> Tensor {
        let shape = [values.len() as u64];
        Tensor::from_vec(values, &shape).expect("a vector has as many elements as it is long")
    }
}

fn check_count<T: Element>(given: usize, shape: &[u64]) -> Result<()> {
    shape::nbytes(T::DTYPE, shape)?;
    let wanted = shape::count(shape)?;
    if wanted == given as u64 {
        return Ok(());
    }
    let message = format!("shape {shape:?} holds {wanted} elements, but {given} were given");
    Err(Error::new(ErrorKind::ShapeMismatch, message))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::zeros;

    #[test]
    fn a_vector_is_taken_over_where_it_stands() {
        let values: Vec<u16> = (0..6).collect();
        let at = values.as_ptr() as u64;
        let t = Tensor::from_vec(values, &[2, 3]).unwrap();
        assert_eq!((t.data_ptr(), t.readonly(), t.copied()), (at, false, false));
        let view = t.slice(1, None, None, -2).unwrap();
        drop(t);
        assert_eq!(view.to_vec::<u16>().unwrap(), [2, 0, 5, 3]);
    }

    #[test]
    fn what_is_empty_or_of_another_length_is_told() {
        assert_eq!(Tensor::from(Vec::<f64>::new()).shape(), [0]);
        let empty = Tensor::from_vec(Vec::<f32>::new(), &[3, 0]).unwrap();
        assert!(empty.as_slice::<f32>().unwrap().is_empty());
        for shape in [&[2u64][..], &[2, 2], &[]] {
            let error = Tensor::from_vec(vec![0i8; 3], shape).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::ShapeMismatch, "{shape:?}");
            assert_eq!(
                Tensor::from_slice(&[0i8; 3], shape).unwrap_err().kind(),
                ErrorKind::ShapeMismatch
            );
        }
        let huge = Tensor::from_vec(vec![0i8; 3], &[1 << 40, 1 << 40]);
        assert_eq!(huge.unwrap_err().kind(), ErrorKind::OverflowError);
    }

    #[test]
    fn an_owner_lives_as_long_as_its_last_view() {
        let shared: Arc<[i64]> = Arc::from([5, 6, 7]);
        let t = Tensor::from_owner::<i64, _>(Arc::clone(&shared), &[3]).unwrap();
        let row = t.slice(0, Some(1), None, 1).unwrap();
        drop(t);
        assert_eq!(Arc::strong_count(&shared), 2);
        assert_eq!(row.as_slice::<i64>().unwrap(), [6, 7]);
        let refused = crate::copy(&zeros(&[2], DType::I64).unwrap(), &row, &Default::default());
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::ReadOnly);
        drop(row);
        assert_eq!(Arc::strong_count(&shared), 1);
        let refused = Tensor::from_owner::<i64, _>(Arc::clone(&shared), &[4]);
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::ShapeMismatch);
        assert_eq!(Arc::strong_count(&shared), 1);
    }

    #[test]
    fn a_slice_is_of_the_very_type_contiguous_and_aligned() {
        let mut t = zeros(&[2, 2], DType::F32).unwrap();
        assert_eq!(t.as_slice::<f32>().unwrap().len(), 4);
        assert_eq!(
            t.as_slice::<i32>().unwrap_err().kind(),
            ErrorKind::DTypeMismatch
        );
        t.as_mut_slice::<f32>().unwrap()[3] = 4.0;
        let turned = t.transpose().unwrap();
        let kind = |result: Result<&[f32]>| result.unwrap_err().kind();
        assert_eq!(kind(turned.as_slice()), ErrorKind::NotContiguous);
        assert_eq!(
            t.as_mut_slice::<f32>().unwrap_err().kind(),
            ErrorKind::BufferError
        );
        let bytes = Tensor::from_vec(vec![0u64; 2], &[2]).unwrap();
        let odd = Tensor::new(bytes.storage().clone(), 1, DType::F32, &[3], None).unwrap();
        assert_eq!(kind(odd.as_slice()), ErrorKind::BufferError);
        assert_eq!(odd.to_vec::<f32>().unwrap(), [0.0; 3]);
        drop(bytes);
        let mut odd = odd;
        assert_eq!(
            odd.as_mut_slice::<f32>().unwrap_err().kind(),
            ErrorKind::BufferError
        );
    }

    #[test]
    fn every_element_fills_its_dtype() {
        fn check<T: Element>() {
            assert_eq!(size_of::<T>() as u64, T::DTYPE.block_bytes());
        }
        check::<f64>();
        check::<f32>();
        check::<i8>();
        check::<i16>();
        check::<i32>();
        check::<i64>();
        check::<u8>();
        check::<u16>();
        check::<u32>();
        check::<u64>();
        check::<[f32; 2]>();
        check::<[f64; 2]>();
    }
}
