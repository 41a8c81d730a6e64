//! A row of numbers somewhere in memory, as products read it.

use crate::dtype::DType;
use crate::error::{Error, ErrorKind, Result};

/// Numbers of one plain dtype, some bytes apart. It borrows the memory and owns nothing: an array that is no tensor
/// makes one as cheaply as a tensor does.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    dtype: DType,
    bytes: &'a [u8],
    first: usize,
    stride: isize,
    len: usize,
}

impl<'a> Row<'a> {
    /// The numbers that stand one after another in `bytes`.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] for a dtype that is not plain, [`ErrorKind::BufferError`] when the bytes end within a
    /// number.
    #[inline(always)]
    pub fn packed(dtype: DType, bytes: &'a [u8]) -> Result<Self> {
        let size = size(dtype)?;
        if bytes.len() & (size - 1) != 0 {
            return Err(outside(dtype, bytes.len(), 0, size as i64, None));
        }
        Ok(Row {
            dtype,
            bytes,
            first: 0,
            stride: size as isize,
            len: bytes.len() >> size.trailing_zeros(),
        })
    }

    /// `len` numbers, the first at the byte `first` and each `stride` bytes after the one before. Strides may be
    /// negative, 0, and no multiple of the size of a number; nothing need be aligned.
    ///
    /// # Errors
    /// [`ErrorKind::TypeError`] for a dtype that is not plain, [`ErrorKind::BufferError`] when a number lies outside of
    /// `bytes`.
    #[inline(always)]
    pub fn strided(
        dtype: DType,
        bytes: &'a [u8],
        first: u64,
        stride: i64,
        len: u64,
    ) -> Result<Self> {
        let size = size(dtype)?;
        let row = || {
            let first = i64::try_from(first).ok()?;
            let reach = i64::try_from(len.max(1) - 1).ok()?.checked_mul(stride)?;
            let low = usize::try_from(first.checked_add(reach.min(0))?).ok()?;
            let end = usize::try_from(first.checked_add(reach.max(0))?).ok()?;
            let (inside, len) = (low <= end, usize::try_from(len).ok()?);
            (inside && (len == 0 || end.checked_add(size)? <= bytes.len())).then_some(Row {
                dtype,
                bytes,
                first: first as usize,
                stride: isize::try_from(stride).ok()?,
                len,
            })
        };
        row().ok_or_else(|| outside(dtype, bytes.len(), first, stride, Some(len)))
    }

    /// As many numbers as `bytes` hold whole, one after another; none of a dtype that is not plain.
    #[inline(always)]
    pub fn within(dtype: DType, bytes: &'a [u8]) -> Self {
        let (size, len) = match dtype.is_plain() {
            true => {
                let size = dtype.block_bytes() as usize;
                (size, bytes.len() >> size.trailing_zeros())
            }
            false => (usize::MAX, 0),
        };
        Row {
            dtype,
            bytes,
            first: 0,
            stride: size as isize,
            len,
        }
    }

    /// Type of the numbers.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether they stand one after another.
    #[inline]
    pub(super) fn is_packed(&self, size: usize) -> bool {
        self.stride == size as isize || self.len <= 1
    }

    /// The bytes of the numbers from `start` to `end` of a packed row, of so many bytes each.
    #[inline]
    pub(super) fn range(&self, start: usize, end: usize, size: usize) -> &'a [u8] {
        if start >= end {
            return &[];
        }
        &self.bytes[self.first + start * size..self.first + end * size]
    }

    /// Collects the numbers from `start` on, of `SIZE` bytes each, as many as there is room for.
    pub(super) fn gather<const SIZE: usize>(&self, start: usize, room: &mut [u8]) {
        let mut at = self.first as isize + start as isize * self.stride;
        for place in room.as_chunks_mut::<SIZE>().0 {
            place.copy_from_slice(&self.bytes[at as usize..][..SIZE]);
            at += self.stride;
        }
    }
}

/// Bytes of a number, a power of two.
#[inline(always)]
fn size(dtype: DType) -> Result<usize> {
    match dtype.is_plain() {
        true => Ok(dtype.block_bytes() as usize),
        false => Err(Error::new(
            ErrorKind::TypeError,
            format!("a row holds numbers one by one, found {dtype}"),
        )),
    }
}

#[cold]
fn outside(dtype: DType, bytes: usize, first: u64, stride: i64, len: Option<u64>) -> Error {
    let row = match len {
        Some(len) => {
            format!("{len} numbers of {dtype} from byte {first} on, {stride} bytes apart,")
        }
        None => format!("whole numbers of {stride} bytes of {dtype}"),
    };
    let message = format!("{row} are not what {bytes} bytes hold");
    Error::new(ErrorKind::BufferError, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reaches_outside_is_refused() {
        let bytes = [0u8; 24];
        let fits = |first, stride, len| Row::strided(DType::F32, &bytes, first, stride, len);
        assert!(fits(0, 4, 6).is_ok() && fits(20, -4, 6).is_ok() && fits(20, 0, 1 << 40).is_ok());
        assert!(fits(3, 7, 3).is_ok() && fits(24, 4, 0).is_ok());
        for (first, stride, len) in [
            (0, 4, 7),
            (1, 4, 6),
            (20, -4, 7),
            (16, -5, 5),
            (21, 0, 1),
            (u64::MAX, 4, 1),
            (0, i64::MAX, 3),
            (0, i64::MIN, 3),
            (0, 1, u64::MAX),
        ] {
            let error = fits(first, stride, len).unwrap_err();
            assert_eq!(
                error.kind(),
                ErrorKind::BufferError,
                "{first} {stride} {len}"
            );
        }
        assert!(Row::packed(DType::F32, &bytes[..23]).is_err());
        assert_eq!(
            Row::packed(DType::Q4_0, &bytes).unwrap_err().kind(),
            ErrorKind::TypeError
        );
    }

    #[test]
    fn numbers_are_collected_in_the_order_of_the_row() {
        let bytes: Vec<u8> = (0..16).collect();
        let mut room = [0; 6];
        let row = Row::strided(DType::I16, &bytes, 13, -3, 5).unwrap();
        row.gather::<2>(1, &mut room);
        assert_eq!(room, [10, 11, 7, 8, 4, 5]);
    }
}
