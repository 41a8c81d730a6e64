//! The runs of elements that a copy moves: whole pieces where both sides are packed, single rows elsewhere.

use std::borrow::Cow;
use std::ops::Range;

use super::Tensor;
use super::parts::{Part, Parts};
use crate::error::{Error, ErrorKind, Result};
use crate::shape;

/// Elements that are visited at a time in packed memory: whole blocks of every format.
const PIECE: u64 = 1 << 16;

/// Calls `work` with the bytes of each run of `src` and the room for it in `dst`, in parallel. Both have the same
/// shape, and do not overlap. `work` sees whole blocks of both, and costs `cost` moves of an element for each.
///
/// # Errors
/// The first that `work` reports; [`ErrorKind::BufferError`] when elements of `dst` share memory.
pub fn for_each(
    src: &Tensor,
    dst: &Tensor,
    cost: u64,
    work: impl Fn(&[u8], &mut [u8]) -> Result<()> + Sync,
) -> Result<()> {
    check_target(dst)?;
    if src.is_empty() {
        return Ok(());
    }
    let rows = |t| match src.is_contiguous() && dst.is_contiguous() {
        true => Rows::whole(t),
        false => Rows::new(t),
    };
    let (from, to) = (rows(src), rows(dst));
    let parts = Parts::by_cost(from.count, from.elements, cost);
    let convert = |_: &mut (), _: Part, bytes: &[u8], room: &mut [u8]| work(bytes, room);
    parts.convert(&from, |row| row, &to, || (), convert)
}

/// Checks that threads may write the elements of a tensor side by side.
pub fn check_target(dst: &Tensor) -> Result<()> {
    dst.check_writable()?;
    if shape::may_overlap(dst.dtype(), dst.shape(), dst.strides()) {
        let message = format!(
            "elements of {} share memory: its strides are {:?}",
            dst.describe(),
            dst.strides()
        );
        return Err(Error::new(ErrorKind::BufferError, message));
    }
    Ok(())
}

/// Calls `work` with the bytes of each run of a tensor and the number of its first element, in order.
pub fn visit(src: &Tensor, mut work: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
    if src.is_empty() {
        return Ok(());
    }
    if src.is_contiguous() {
        return (0..src.size().div_ceil(PIECE)).try_for_each(|i| {
            let piece = piece(i, src.size());
            work(piece.start, packed_bytes(src, &piece)?)
        });
    }
    let rows = Rows::new(src);
    let mut scratch = Vec::new();
    (0..rows.count).try_for_each(|row| {
        let bytes = rows.read(row, &mut scratch)?;
        work(row * rows.elements, &bytes)
    })
}

/// One of the pieces that so many packed elements are cut into.
fn piece(i: u64, size: u64) -> Range<u64> {
    i * PIECE..((i + 1) * PIECE).min(size)
}

fn packed_bytes<'t>(t: &'t Tensor, piece: &Range<u64>) -> Result<&'t [u8]> {
    let (offset, len) = byte_range(t, piece);
    t.storage().bytes(t.parts().offset + offset, len)
}

/// Where a range of elements stands among packed bytes. Pieces are whole blocks, since rows are.
fn byte_range(t: &Tensor, piece: &Range<u64>) -> (u64, u64) {
    let (len, bytes) = (t.dtype().block_len(), t.dtype().block_bytes());
    (
        piece.start / len * bytes,
        (piece.end - piece.start) / len * bytes,
    )
}

/// The rows of a tensor: runs along its innermost dimension.
pub(crate) struct Rows<'t> {
    tensor: &'t Tensor,
    /// Number of rows.
    pub count: u64,
    /// Elements in each.
    pub elements: u64,
    /// Dimensions that count rows; the others lie inside.
    outer: usize,
    block_len: u64,
    item_bytes: u64,
    stride: i64,
}

impl<'t> Rows<'t> {
    /// Runs along the innermost dimension; a scalar is one row of one element.
    pub fn new(tensor: &'t Tensor) -> Self {
        let (shape, strides) = (tensor.shape(), tensor.strides());
        let elements = shape.last().copied().unwrap_or(1);
        Rows {
            tensor,
            count: tensor.size() / elements.max(1),
            elements,
            outer: shape.len().saturating_sub(1),
            block_len: tensor.dtype().block_len(),
            item_bytes: tensor.dtype().block_bytes(),
            stride: strides.last().copied().unwrap_or(0),
        }
    }

    /// All elements of a contiguous tensor as one row.
    pub fn whole(tensor: &'t Tensor) -> Self {
        Rows {
            count: 1,
            elements: tensor.size(),
            outer: 0,
            stride: tensor.dtype().block_bytes() as i64,
            ..Rows::new(tensor)
        }
    }

    /// Each element of a plain tensor as a row.
    pub fn single(tensor: &'t Tensor) -> Self {
        Rows {
            count: tensor.size(),
            elements: 1,
            outer: tensor.shape().len(),
            ..Rows::new(tensor)
        }
    }

    /// Elements in each row.
    pub fn elements(&self) -> u64 {
        self.elements
    }

    /// First byte of a row in the storage.
    fn start(&self, row: u64) -> i64 {
        let (shape, strides) = (self.tensor.shape(), self.tensor.strides());
        let mut rest = row;
        let mut offset = self.tensor.parts().offset as i64;
        for axis in (0..self.outer).rev() {
            offset += (rest % shape[axis]) as i64 * strides[axis];
            rest /= shape[axis];
        }
        offset
    }

    fn is_packed(&self) -> bool {
        self.elements <= self.block_len || self.stride == self.item_bytes as i64
    }

    /// Elements or blocks of a range of elements.
    fn items(&self, range: &Range<u64>) -> Range<u64> {
        range.start / self.block_len..range.end / self.block_len
    }

    fn item(&self, start: i64, i: u64) -> u64 {
        (start + i as i64 * self.stride) as u64
    }

    /// The bytes of a row; collected in `scratch` unless they are packed.
    pub fn read<'s>(&self, row: u64, scratch: &'s mut Vec<u8>) -> Result<Cow<'s, [u8]>>
    where
        't: 's,
    {
        self.part(row, 0..self.elements, scratch)
    }

    /// Whether each row ends where the next begins.
    pub fn are_packed(&self) -> bool {
        let strides = self.tensor.strides();
        let row_bytes = self.elements / self.block_len * self.item_bytes;
        let follow = self.outer == 1 && strides.first() == Some(&(row_bytes as i64));
        self.is_packed() && (follow || self.count <= 1 || self.tensor.is_contiguous())
    }

    /// The bytes of rows that are packed.
    pub fn several(&self, rows: Range<u64>) -> Result<&'t [u8]> {
        let row_bytes = self.elements / self.block_len * self.item_bytes;
        let len = (rows.end - rows.start) * row_bytes;
        self.tensor
            .storage()
            .bytes(self.start(rows.start) as u64, len)
    }

    /// As [`Rows::read`], of a range of the elements, which is whole blocks.
    pub fn part<'s>(
        &self,
        row: u64,
        range: Range<u64>,
        scratch: &'s mut Vec<u8>,
    ) -> Result<Cow<'s, [u8]>>
    where
        't: 's,
    {
        let (start, items) = (self.start(row), self.items(&range));
        let storage = self.tensor.storage();
        if self.is_packed() {
            let len = (items.end - items.start) * self.item_bytes;
            return Ok(Cow::Borrowed(
                storage.bytes(self.item(start, items.start), len)?,
            ));
        }
        scratch.clear();
        for i in items {
            scratch.extend_from_slice(storage.bytes(self.item(start, i), self.item_bytes)?);
        }
        Ok(Cow::Borrowed(scratch))
    }

    /// Lets `fill` write the bytes of a range of a row, which is whole blocks. Nobody else may write that range.
    pub fn write(
        &self,
        row: u64,
        range: Range<u64>,
        scratch: &mut Vec<u8>,
        fill: impl FnOnce(&mut [u8]) -> Result<()>,
    ) -> Result<()> {
        let (start, items) = (self.start(row), self.items(&range));
        let storage = self.tensor.storage();
        let len = (items.end - items.start) * self.item_bytes;
        if self.is_packed() {
            return fill(storage.bytes_mut(self.item(start, items.start), len)?);
        }
        scratch.resize(len as usize, 0);
        fill(scratch)?;
        // Item by item: rows may interleave, and another thread may be writing between these.
        for (i, item) in items.zip(scratch.chunks_exact(self.item_bytes as usize)) {
            storage
                .bytes_mut(self.item(start, i), self.item_bytes)?
                .copy_from_slice(item);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DType;

    #[test]
    fn work_outside_of_the_pool_stays_on_the_thread() {
        // Too little to be worth spreading, for packed memory and for rows.
        let t = crate::zeros(&[8, 64], DType::F32).unwrap();
        let half = crate::zeros(&[8, 128], DType::F32).unwrap();
        let half = half.slice(1, Some(0), Some(64), 1).unwrap();
        let here = std::thread::current().id();
        for dst in [crate::zeros(&[8, 64], DType::F32).unwrap(), half] {
            for_each(&t, &dst, 1, |_, _| {
                assert_eq!(std::thread::current().id(), here);
                Ok(())
            })
            .unwrap();
        }
    }
}
