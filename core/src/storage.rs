//! Bytes that tensors look at: owned, mapped from a file, or owned by somebody else.
//!
//! A [`Storage`] is a counted handle; the bytes go when the last tensor over them goes. Tensors of all
//! languages share it, so the borrow checker cannot know who writes: a slice handed out here is a promise of
//! the caller that nobody writes meanwhile, as it is with a mapped file.
#![allow(
    unsafe_code,
    reason = "typed access to memory that several languages share"
)]

use std::any::{Any as StdAny, TypeId};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};

use bytemuck::Pod;
use memmap2::{MmapMut, MmapOptions};

use crate::error::{Error, ErrorKind, Result};

/// Alignment of owned memory: a cache line, and the widest vector register.
pub const ALIGNMENT: usize = 64;

/// From this size on memory comes as whole pages, which the system zeroes when they are first touched.
const PAGES_FROM: usize = 1 << 20;

/// A huge page, as the processors that have them agree. What fills none of its own is made of small ones.
const HUGE_PAGE: usize = 2 << 20;

/// A counted handle on a range of bytes.
#[derive(Clone)]
pub struct Storage(Handle);

#[derive(Clone)]
enum Handle {
    Counted(Arc<Inner<dyn StdAny + Send + Sync>>),
    /// Bytes that nobody here keeps: there is nothing to count.
    Lent(Lent),
}

#[derive(Clone, Copy)]
struct Lent {
    start: NonNull<u8>,
    len: usize,
    readonly: bool,
}

// SAFETY: `foreign` asks of bytes that they can be reached from any thread.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

/// The range, and behind it, in the same allocation, what holds the bytes.
struct Inner<K: ?Sized> {
    start: NonNull<u8>,
    len: usize,
    readonly: bool,
    kind: Kind,
    keeper: K,
}

/// Whose the bytes are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Own,
    Foreign,
    Absent,
}

// SAFETY: the bytes stay where they are and are freed once, by the last handle, from any thread: heap and maps
// allow that, and `foreign` asks it of its keeper. Races on the bytes are the business of those who write.
unsafe impl<K: Send + Sync + ?Sized> Send for Inner<K> {}
// SAFETY: as above.
unsafe impl<K: Send + Sync + ?Sized> Sync for Inner<K> {}

struct Heap {
    start: NonNull<u8>,
    layout: std::alloc::Layout,
}

// SAFETY: it is only freed through, which any thread may do.
unsafe impl Send for Heap {}
// SAFETY: nothing is reached through a shared reference.
unsafe impl Sync for Heap {}

impl Drop for Heap {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, freed once.
        unsafe { std::alloc::dealloc(self.start.as_ptr(), self.layout) }
    }
}

impl Storage {
    /// New memory, all zero, aligned to [`ALIGNMENT`].
    ///
    /// # Errors
    /// [`ErrorKind::MemoryError`] when the system refuses.
    pub fn zeroed(len: u64) -> Result<Storage> {
        let refused = || {
            Error::new(
                ErrorKind::MemoryError,
                format!("the system refused {len} bytes"),
            )
        };
        let len = usize::try_from(len).map_err(|_| refused())?;
        if len >= PAGES_FROM {
            let (pages, start) = pages(len).ok_or_else(refused)?;
            return Ok(Storage::new(start, len, false, Kind::Own, pages));
        }
        let layout =
            std::alloc::Layout::from_size_align(len.max(1), ALIGNMENT).map_err(|_| refused())?;
        // SAFETY: the layout has a size of at least 1.
        let start =
            NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) }).ok_or_else(refused)?;
        Ok(Storage::new(
            start,
            len,
            false,
            Kind::Own,
            Heap { start, layout },
        ))
    }

    /// The bytes of a file. Tensors over them are read-only.
    ///
    /// The pages are private copies on write: a language that cannot protect memory may show them as a writable array
    /// without a copy, and a stray write there changes this process's view of the file, never the file, and
    /// never ends the process. Until then the pages are those of the file's cache, as with a shared map.
    ///
    /// # Errors
    /// [`ErrorKind::OSError`] when the file cannot be mapped.
    pub fn mapped(file: &std::fs::File) -> Result<Storage> {
        let failed = |error: std::io::Error| {
            Error::new(ErrorKind::OSError, format!("cannot map the file: {error}"))
        };
        if file.metadata().map_err(failed)?.len() == 0 {
            return Storage::zeroed(0);
        }
        // Without reserved swap, so that a file larger than the memory can be mapped as it can for reading.
        let mut options = MmapOptions::new();
        options.no_reserve_swap();
        // SAFETY: core only ever reads the map. Another process that shortens the file takes the pages away, which no
        // reader of maps can prevent; what is read is checked as untrusted in any case.
        let mut map = unsafe { options.map_copy(file) }.map_err(failed)?;
        let start = NonNull::new(map.as_mut_ptr()).unwrap_or(NonNull::dangling());
        Ok(Storage::new(start, map.len(), true, Kind::Own, map))
    }

    /// Memory that somebody else owns; `keeper` is dropped when the last tensor over it goes. With `()` it is not even
    /// known how many tensors there are.
    ///
    /// # Safety
    /// `len` bytes at `start` can be read, and written unless `readonly`, from any thread until `keeper` is dropped,
    /// which may happen on any thread.
    #[inline]
    pub unsafe fn foreign<K: StdAny + Send + Sync>(
        start: *mut u8,
        len: usize,
        readonly: bool,
        keeper: K,
    ) -> Storage {
        let start = NonNull::new(start).unwrap_or(NonNull::dangling());
        if TypeId::of::<K>() == TypeId::of::<()>() {
            return Storage(Handle::Lent(Lent {
                start,
                len,
                readonly,
            }));
        }
        Storage::new(start, len, readonly, Kind::Foreign, keeper)
    }

    /// The elements of a vector, which is taken over.
    pub fn from_vec<T: Pod + Send + Sync>(mut values: Vec<T>) -> Storage {
        let len = size_of_val(values.as_slice());
        let start = values.as_mut_ptr().cast();
        // SAFETY: the elements of a vector stay where they are when it moves, any bytes are such elements, and nobody
        // reaches them through the keeper.
        unsafe { Storage::foreign(start, len, false, Box::new(values)) }
    }

    /// The elements of something that owns them and lets them only be read.
    pub fn from_owner<T: Pod, O: AsRef<[T]> + Send + Sync + 'static>(owner: O) -> Storage {
        let owner = Box::new(owner);
        let values: &[T] = (*owner).as_ref();
        let (start, len) = (values.as_ptr(), size_of_val(values));
        // SAFETY: the slice is borrowed from the box, which stays as it is until the storage drops it; nobody reaches it
        // before. It is read from any thread, which `Sync` allows, and not written.
        unsafe { Storage::foreign(start.cast_mut().cast(), len, true, owner) }
    }

    /// No bytes at all: for tensors that are only planned.
    pub fn absent() -> Storage {
        Storage::new(NonNull::dangling(), 0, false, Kind::Absent, ())
    }

    fn new(
        start: NonNull<u8>,
        len: usize,
        readonly: bool,
        kind: Kind,
        keeper: impl StdAny + Send + Sync,
    ) -> Storage {
        Storage(Handle::Counted(Arc::new(Inner {
            start,
            len,
            readonly,
            kind,
            keeper,
        })))
    }

    /// Address of the first byte.
    #[inline]
    pub fn start(&self) -> NonNull<u8> {
        match &self.0 {
            Handle::Counted(inner) => inner.start,
            Handle::Lent(lent) => lent.start,
        }
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        match &self.0 {
            Handle::Counted(inner) => inner.len,
            Handle::Lent(lent) => lent.len,
        }
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the bytes cannot be written.
    pub fn is_readonly(&self) -> bool {
        match &self.0 {
            Handle::Counted(inner) => inner.readonly,
            Handle::Lent(lent) => lent.readonly,
        }
    }

    /// Whether a write through a bare pointer may end the process; a front then shows a copy where its
    /// language cannot refuse writes.
    pub fn is_protected(&self) -> bool {
        // Nobody says what a foreign owner means by read-only; everything else here can take a write.
        self.is_readonly() && self.kind() == Kind::Foreign
    }

    /// Whether the bytes are only planned.
    #[inline]
    pub fn is_absent(&self) -> bool {
        self.kind() == Kind::Absent
    }

    #[inline]
    fn kind(&self) -> Kind {
        match &self.0 {
            Handle::Counted(inner) => inner.kind,
            Handle::Lent(_) => Kind::Foreign,
        }
    }

    /// What keeps foreign bytes alive, if it is a `T`.
    pub fn keeper<T: 'static>(&self) -> Option<&T> {
        match &self.0 {
            Handle::Counted(inner) if inner.kind == Kind::Foreign => inner.keeper.downcast_ref(),
            _ => None,
        }
    }

    /// Makes the storage one over other foreign bytes, with another keeper in the place of the old one, which is dropped. The keeper is
    /// given back when the storage is shared, or its keeper is no `T`.
    ///
    /// # Safety
    /// As [`Storage::foreign`].
    ///
    /// # Errors
    /// The keeper; the storage is then as before.
    pub unsafe fn renew<T: 'static>(
        &mut self,
        start: *mut u8,
        len: usize,
        readonly: bool,
        keeper: T,
    ) -> std::result::Result<(), T> {
        let Some(inner) = self.sole() else {
            return Err(keeper);
        };
        match inner.keeper.downcast_mut::<T>() {
            Some(place) => *place = keeper,
            None => return Err(keeper),
        }
        inner.start = NonNull::new(start).unwrap_or(NonNull::dangling());
        inner.len = len;
        inner.readonly = readonly;
        Ok(())
    }

    /// What keeps foreign bytes alive, if it is a `T` and nobody else has the storage.
    pub fn keeper_mut<T: 'static>(&mut self) -> Option<&mut T> {
        self.sole()?.keeper.downcast_mut()
    }

    /// What is behind the handle, when it is the only one on foreign bytes that somebody here keeps.
    fn sole(&mut self) -> Option<&mut Inner<dyn StdAny + Send + Sync>> {
        let Handle::Counted(inner) = &mut self.0 else {
            return None;
        };
        // As `Arc::get_mut`, which locks the count of weak handles, though there never are any: that is most of what it costs.
        if inner.kind != Kind::Foreign || Arc::strong_count(inner) != 1 {
            return None;
        }
        // What other handles did before they went is seen from here on.
        fence(Ordering::Acquire);
        // SAFETY: this is the only handle, strong or weak, and it is borrowed for as long as the reference lives.
        Some(unsafe { &mut *Arc::as_ptr(inner).cast_mut() })
    }

    /// Whether two handles are of the same bytes.
    pub fn is_same(&self, other: &Storage) -> bool {
        match (&self.0, &other.0) {
            (Handle::Counted(one), Handle::Counted(other)) => Arc::ptr_eq(one, other),
            (Handle::Lent(one), Handle::Lent(other)) => {
                (one.start, one.len) == (other.start, other.len)
            }
            _ => false,
        }
    }

    /// Whether this is the only handle, as far as is known: never, of bytes that nobody here keeps.
    pub fn is_unique(&self) -> bool {
        match &self.0 {
            Handle::Counted(inner) => Arc::strong_count(inner) == 1,
            Handle::Lent(_) => false,
        }
    }

    /// A range of the bytes.
    ///
    /// # Errors
    /// [`ErrorKind::BufferError`] when the range is not inside.
    pub fn bytes(&self, offset: u64, len: u64) -> Result<&[u8]> {
        let (offset, len) = self.range(offset, len)?;
        // SAFETY: `range` checked that the bytes are inside the storage, which lives as long as `self`.
        Ok(unsafe { std::slice::from_raw_parts(self.start().as_ptr().wrapping_add(offset), len) })
    }

    /// A range of the bytes, to be written. Core calls it for memory that nothing else looks at meanwhile: new
    /// memory, or the destination of a copy whose rows were checked not to overlap.
    #[allow(
        clippy::mut_from_ref,
        reason = "the storage is shared with other languages; see the module"
    )]
    pub(crate) fn bytes_mut(&self, offset: u64, len: u64) -> Result<&mut [u8]> {
        if self.is_readonly() {
            return Err(Error::new(
                ErrorKind::ReadOnly,
                "the memory cannot be written",
            ));
        }
        let (offset, len) = self.range(offset, len)?;
        // SAFETY: inside the storage, writable, and by the rule of this function nobody else's at the moment.
        Ok(unsafe {
            std::slice::from_raw_parts_mut(self.start().as_ptr().wrapping_add(offset), len)
        })
    }

    fn range(&self, offset: u64, len: u64) -> Result<(usize, usize)> {
        let end = offset
            .checked_add(len)
            .and_then(|end| usize::try_from(end).ok());
        match end {
            Some(end) if end <= self.len() => Ok((offset as usize, len as usize)),
            _ if self.is_absent() => Err(Error::new(
                ErrorKind::BufferError,
                "the tensor has no memory: its context was made with noAlloc",
            )),
            _ => Err(Error::new(
                ErrorKind::BufferError,
                format!(
                    "{len} bytes at {offset} are not inside {} bytes",
                    self.len()
                ),
            )),
        }
    }
}

/// New pages, huge ones where the system offers them, and where the first of `len` bytes stands.
///
/// Page faults cost more than the work on large tensors: some 2000 cycles for 4 KiB.
fn pages(len: usize) -> Option<(MmapMut, NonNull<u8>)> {
    // What lies before a multiple of the size of a huge page is left untouched and costs addresses only.
    let spare = if len >= HUGE_PAGE { HUGE_PAGE } else { 0 };
    let mut pages = MmapMut::map_anon(len.checked_add(spare)?).ok()?;
    let skip = match spare {
        0 => 0,
        _ => pages.as_ptr().addr().wrapping_neg() % HUGE_PAGE,
    };
    // A refusal only costs time.
    #[cfg(target_os = "linux")]
    let _ = pages.advise_range(memmap2::Advice::HugePage, skip, len);
    let start = NonNull::new(pages.as_mut_ptr().wrapping_add(skip))?;
    Some((pages, start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owned_memory_is_zero_and_aligned() {
        for len in [0, 1, 63, 4096, PAGES_FROM as u64, 5 << 20] {
            let storage = Storage::zeroed(len).unwrap();
            assert_eq!(storage.start().as_ptr() as usize % ALIGNMENT, 0);
            assert!(storage.bytes(0, len).unwrap().iter().all(|byte| *byte == 0));
            assert!(storage.bytes(1, len).is_err());
        }
    }

    #[test]
    fn large_memory_begins_with_a_huge_page() {
        for len in [HUGE_PAGE, HUGE_PAGE + 1, 5 * HUGE_PAGE - 1] {
            let storage = Storage::zeroed(len as u64).unwrap();
            assert_eq!(storage.start().as_ptr().addr() % HUGE_PAGE, 0);
            // The last byte is there, and nobody else's.
            let all = storage.bytes_mut(0, len as u64).unwrap();
            all.fill(1);
            assert_eq!(all.iter().filter(|byte| **byte == 1).count(), len);
        }
    }

    #[test]
    fn a_size_that_nobody_has_is_a_memory_error() {
        assert_eq!(
            Storage::zeroed(1 << 60).err().map(|e| e.kind()),
            Some(ErrorKind::MemoryError)
        );
        assert_eq!(
            Storage::zeroed(u64::MAX).err().map(|e| e.kind()),
            Some(ErrorKind::MemoryError)
        );
    }

    #[test]
    fn a_write_to_a_map_stays_in_this_process() {
        let path = std::env::temp_dir().join(format!("tenspan-storage-{}", std::process::id()));
        std::fs::write(&path, [7; 100]).unwrap();
        let storage = Storage::mapped(&std::fs::File::open(&path).unwrap()).unwrap();
        assert!(storage.is_readonly() && !storage.is_protected());
        // SAFETY: inside the map, whose pages are copied on write; no slice is alive.
        unsafe { storage.start().as_ptr().write(9) };
        assert_eq!(storage.bytes(0, 2).unwrap(), [9, 7]);
        assert_eq!(std::fs::read(&path).unwrap(), [7; 100]);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn the_keeper_goes_with_the_last_handle() {
        let witness = Arc::new(vec![7u8; 8]);
        // SAFETY: the vector lives in the keeper and is only read.
        let storage =
            unsafe { Storage::foreign(witness.as_ptr().cast_mut(), 8, true, Arc::clone(&witness)) };
        let other = storage.clone();
        drop(storage);
        assert_eq!(
            (Arc::strong_count(&witness), other.bytes(7, 1).unwrap()),
            (2, &[7u8][..])
        );
        assert_eq!(
            other.bytes_mut(0, 1).unwrap_err().kind(),
            ErrorKind::ReadOnly
        );
        drop(other);
        assert_eq!(Arc::strong_count(&witness), 1);
    }

    #[test]
    fn what_nobody_keeps_is_never_known_to_be_the_only_one() {
        let mut bytes = [7u8; 8];
        // SAFETY: the bytes outlive the storage, and are reached through it alone.
        let storage = unsafe { Storage::foreign(bytes.as_mut_ptr(), 8, false, ()) };
        assert!(!storage.is_unique() && !storage.is_absent() && !storage.is_protected());
        assert!(storage.is_same(&storage.clone()) && storage.keeper::<()>().is_none());
        storage.bytes_mut(4, 4).unwrap()[0] = 9;
        assert_eq!(storage.bytes(3, 2).unwrap(), [7, 9]);
        assert_eq!(size_of::<Storage>(), 3 * size_of::<usize>());
    }
}
