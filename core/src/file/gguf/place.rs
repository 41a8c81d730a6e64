//! Where the tensors of a file are: offsets turned into places, and checked against each other.

use crate::dtype::DType;
use crate::error::Result;
use crate::file::contents::Entry;
use crate::file::cursor::fault;

/// A tensor whose offset still counts from the beginning of the data.
pub(super) struct Described {
    pub(super) entry: Entry,
    /// Where the offset stands in the file.
    pub(super) offset_at: u64,
}

/// Makes offsets count from the beginning of the file, gives opaque tensors their size, and checks that no two tensors
/// share bytes and all end inside the file.
pub(super) fn place(
    mut tensors: Vec<Described>,
    header_end: u64,
    alignment: u64,
    file_len: u64,
) -> Result<Vec<Entry>> {
    let data = header_end.next_multiple_of(alignment);
    for Described { entry, offset_at } in &mut tensors {
        if !entry.offset.is_multiple_of(alignment) {
            let message = format!(
                "tensor `{}` has offset {}, no multiple of the alignment {alignment}",
                entry.name, entry.offset
            );
            return Err(fault(*offset_at, message));
        }
        entry.offset = data.checked_add(entry.offset).ok_or_else(|| {
            fault(
                *offset_at,
                format!(
                    "tensor `{}` has offset {}, which no file reaches",
                    entry.name, entry.offset
                ),
            )
        })?;
    }
    let mut by_offset: Vec<usize> = (0..tensors.len()).collect();
    by_offset.sort_by_key(|i| (tensors[*i].entry.offset, tensors[*i].entry.nbytes));
    let (mut next, mut previous_end) = (file_len, 0);
    for (place, i) in by_offset.iter().enumerate().rev() {
        let entry = &mut tensors[*i].entry;
        if entry.dtype().is_some_and(DType::is_opaque) && !entry.shape.contains(&0) {
            entry.nbytes = next.saturating_sub(entry.offset);
        }
        let offset = entry.offset;
        if place > 0 && tensors[by_offset[place - 1]].entry.offset < offset {
            next = offset;
        }
    }
    for i in by_offset {
        let Described { entry, offset_at } = &mut tensors[i];
        if entry.nbytes == 0
            && !entry
                .dtype()
                .is_some_and(|dtype| dtype.is_opaque() && !entry.shape.contains(&0))
        {
            // No byte of it is ever read, so it may stand behind a last tensor that is not padded.
            entry.offset = entry.offset.min(file_len);
            continue;
        }
        let end = entry
            .offset
            .checked_add(entry.nbytes)
            .filter(|end| *end <= file_len && entry.nbytes > 0);
        let Some(end) = end else {
            let message = format!(
                "tensor `{}` takes {} bytes at byte {}, but the file ends at byte {file_len}",
                entry.name, entry.nbytes, entry.offset
            );
            return Err(fault(*offset_at, message));
        };
        if entry.offset < previous_end {
            let message = format!(
                "tensor `{}` begins at byte {}, inside of another",
                entry.name, entry.offset
            );
            return Err(fault(*offset_at, message));
        }
        previous_end = end;
    }
    Ok(tensors.into_iter().map(|tensor| tensor.entry).collect())
}
