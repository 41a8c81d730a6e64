//! Reference-counted objects: one allocation with a prefix, a header, a value and a tail.
//!
//! ```text
//! handle - 16   the tag, then a function that frees the space
//! handle        ObjectHeader
//! handle + 24   the value, then a tail of plain bytes
//! ```
//! The prefix is there because some readers of the ABI look at the eight bytes before a handle.
#![allow(
    unsafe_code,
    reason = "objects are shared with compiled modules through their C layout"
)]

use std::cell::{Cell, RefCell};
use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering, fence};

use super::layout::ObjectHeader;

/// A counted reference to any object.
#[repr(transparent)]
pub struct ObjectRef(NonNull<ObjectHeader>);

// SAFETY: counts are atomic, and the ABI lets any thread hold, use and drop a reference. `Boxed::object` asks
// the same of values made here by its `Send + Sync` bound.
unsafe impl Send for ObjectRef {}
// SAFETY: as above; a shared reference gives out no `&mut`.
unsafe impl Sync for ObjectRef {}

const ONE_STRONG_ONE_WEAK: u64 = (1 << 32) | 1;

impl ObjectRef {
    /// Takes over one strong reference.
    ///
    /// # Safety
    /// `handle` is the address of a live object's header, and the caller gives up one strong count of it.
    pub unsafe fn from_owned(handle: NonNull<ObjectHeader>) -> Self {
        ObjectRef(handle)
    }

    /// Adds a strong reference to an object that someone else holds.
    ///
    /// # Safety
    /// `handle` is the address of a live object's header and stays so during the call.
    pub unsafe fn from_borrowed(handle: NonNull<ObjectHeader>) -> Self {
        // SAFETY: the caller says that the header is live.
        unsafe { handle.as_ref() }
            .counts
            .fetch_add(1, Ordering::Relaxed);
        ObjectRef(handle)
    }

    /// Adds a strong reference to an object that may be going: nothing when its last strong reference is gone already.
    ///
    /// # Safety
    /// The memory at `handle` is that of an object's header and stays so during the call: whoever frees it waits for the caller.
    pub unsafe fn upgrade(handle: NonNull<ObjectHeader>) -> Option<Self> {
        // SAFETY: the caller says that the header is still there.
        let counts = unsafe { &handle.as_ref().counts };
        let alive = |count: u64| (count & 0xffff_ffff != 0).then(|| count + 1);
        let counted = counts.fetch_update(Ordering::Acquire, Ordering::Relaxed, alive);
        counted.is_ok().then_some(ObjectRef(handle))
    }

    /// The address of the header.
    pub fn handle(&self) -> NonNull<ObjectHeader> {
        self.0
    }

    /// Gives the strong count to the caller.
    pub fn into_handle(self) -> NonNull<ObjectHeader> {
        let handle = self.0;
        std::mem::forget(self);
        handle
    }

    /// The header.
    #[inline]
    pub fn header(&self) -> &ObjectHeader {
        // SAFETY: this reference holds a strong count, so the header is live as long as `self` is.
        unsafe { self.0.as_ref() }
    }

    /// The type of the object.
    pub fn type_index(&self) -> i32 {
        self.header().type_index
    }

    /// Whether this is the only reference, strong or weak.
    pub fn is_unique(&self) -> bool {
        self.header().counts.load(Ordering::Acquire) == ONE_STRONG_ONE_WEAK
    }
}

impl Clone for ObjectRef {
    fn clone(&self) -> Self {
        // SAFETY: `self` holds a strong count, so the header is live.
        unsafe { ObjectRef::from_borrowed(self.0) }
    }
}

impl Drop for ObjectRef {
    fn drop(&mut self) {
        // SAFETY: this reference owns one strong count, given up here and not used again.
        unsafe { release(self.0) }
    }
}

/// Gives up one strong count and runs the deleter when it was the last.
///
/// # Safety
/// `handle` is a live object's header and the caller owns one strong count of it.
pub unsafe fn release(handle: NonNull<ObjectHeader>) {
    // SAFETY: live until the count given up here is gone; `counts` is read before that.
    let old = unsafe { handle.as_ref() }
        .counts
        .fetch_sub(1, Ordering::Release);
    if old & 0xffff_ffff == 1 {
        fence(Ordering::Acquire);
        destroy(Last {
            handle,
            of_both_kinds: old == ONE_STRONG_ONE_WEAK,
        });
    }
}

/// An object whose last strong reference is gone.
struct Last {
    handle: NonNull<ObjectHeader>,
    of_both_kinds: bool,
}

impl Last {
    fn run(self) {
        let address = self.handle.as_ptr().cast::<c_void>();
        // SAFETY: the strong references are gone, and with them all but the weak one that they held together.
        let Some(deleter) = unsafe { self.handle.as_ref() }.deleter else {
            return;
        };
        if self.of_both_kinds {
            // SAFETY: that was the last reference of either kind; flag 3 destroys and frees.
            return unsafe { deleter(address, 3) };
        }
        // SAFETY: that was the last strong reference; the weak one that all strong ones hold keeps the header.
        unsafe { deleter(address, 1) }
        // SAFETY: the header is still there, as said.
        let header = unsafe { self.handle.as_ref() };
        if header.counts.fetch_sub(1 << 32, Ordering::Release) == 1 << 32 {
            fence(Ordering::Acquire);
            // SAFETY: no reference of either kind is left.
            unsafe { deleter(address, 2) }
        }
    }
}

/// Objects inside objects that are destroyed inside of each other. Deeper ones wait until the stack is free again, so that no
/// nesting is too deep.
const DEEPEST: u32 = 64;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static WAITING: RefCell<Vec<Last>> = const { RefCell::new(Vec::new()) };
}

fn destroy(last: Last) {
    let Ok(depth) = DEPTH.try_with(Cell::get) else {
        // The thread ends, and its variables are gone.
        return last.run();
    };
    let mut last = Some(last);
    if depth >= DEEPEST {
        let _ = WAITING.try_with(|waiting| waiting.borrow_mut().extend(last.take()));
    }
    let Some(last) = last else { return };
    let _ = DEPTH.try_with(|current| current.set(depth + 1));
    last.run();
    if depth == 0 {
        let next = || {
            WAITING
                .try_with(|waiting| waiting.borrow_mut().pop())
                .ok()
                .flatten()
        };
        while let Some(next) = next() {
            next.run();
        }
    }
    let _ = DEPTH.try_with(|current| current.set(depth));
}

/// The memory of an object whose value is a `T`.
#[repr(C)]
pub struct Boxed<T> {
    tag: AtomicUsize,
    delete_space: Option<unsafe extern "C" fn(*mut c_void)>,
    header: ObjectHeader,
    value: T,
}

const PREFIX: usize = 16;

/// The tag of an object.
///
/// # Safety
/// The object was made by [`Boxed`], and lives as long as `'a`.
pub(super) unsafe fn tag<'a>(handle: NonNull<ObjectHeader>) -> &'a AtomicUsize {
    // SAFETY: such an object begins with its tag, `PREFIX` bytes before the header, which is only read and written as an atomic.
    unsafe { &*handle.as_ptr().cast::<u8>().wrapping_sub(PREFIX).cast() }
}

impl<T: Send + Sync + 'static> Boxed<T> {
    /// A new object with one strong reference, and the address of `tail` bytes behind the value.
    ///
    /// Aborts when memory is exhausted, as every small allocation of Rust does; large sizes must be
    /// checked by the caller against what its input justifies.
    pub fn object(type_index: i32, value: T, tail: usize) -> (ObjectRef, *mut u8) {
        Self::with_deleter(type_index, value, tail, delete::<T>)
    }

    /// As [`Boxed::object`], with a deleter by whose address objects of this kind can be told from those that others made.
    /// It must call [`delete`].
    #[inline(always)]
    pub fn with_deleter(
        type_index: i32,
        value: T,
        tail: usize,
        deleter: unsafe extern "C" fn(*mut c_void, c_int),
    ) -> (ObjectRef, *mut u8) {
        const {
            assert!(
                align_of::<T>() <= 8,
                "the value must stand 24 bytes behind the handle"
            )
        };
        // Nothing is dropped on the way, so that the compiler writes each part of the value straight to where it stays: moved there as a
        // whole, it makes the processor wait.
        let value = ManuallyDrop::new(value);
        let size = size_of::<Boxed<T>>().saturating_add(tail);
        // SAFETY: `malloc` has no preconditions.
        let Some(space) = NonNull::new(unsafe { libc::malloc(size) }.cast::<Boxed<T>>()) else {
            std::alloc::handle_alloc_error(std::alloc::Layout::new::<Boxed<T>>());
        };
        let boxed = Boxed {
            tag: AtomicUsize::new(0),
            delete_space: Some(delete_space),
            header: ObjectHeader {
                counts: AtomicU64::new(ONE_STRONG_ONE_WEAK),
                type_index,
                padding: 0,
                deleter: Some(deleter),
            },
            value: ManuallyDrop::into_inner(value),
        };
        // SAFETY: `space` is fresh, large enough for `Boxed<T>` and aligned for it (malloc aligns to 16).
        unsafe { space.write(boxed) };
        let base = space.cast::<u8>();
        let tail = base.as_ptr().wrapping_add(size_of::<Boxed<T>>());
        // SAFETY: the offset stays inside the allocation.
        let header = unsafe { base.add(PREFIX) }.cast();
        // SAFETY: the header was just written with one strong count, which is given to the reference.
        (unsafe { ObjectRef::from_owned(header) }, tail)
    }
}

/// Where the value of an object stands: right behind its header.
pub fn cell<T>(handle: NonNull<ObjectHeader>) -> *mut T {
    handle.as_ptr().wrapping_add(1).cast()
}

/// The value of an object that [`Boxed::object`] made.
///
/// # Safety
/// The object was made by `Boxed::<T>::object` with the same `T`, and lives as long as `'a`.
pub unsafe fn value<'a, T>(handle: NonNull<ObjectHeader>) -> &'a T {
    // SAFETY: such an object holds a `T` right behind its header, initialised until it is destroyed.
    unsafe { &*cell(handle) }
}

/// The tensor of an object that this library made; nothing is counted.
pub fn tensor(object: &ObjectRef) -> Option<&crate::Tensor> {
    super::tensor::borrowed(object)
}

/// Destroys and frees an object that [`Boxed::object`] made.
///
/// # Safety
/// `handle` is of such an object with a `T`, and no reference of the kind that `flags` names is left.
pub unsafe extern "C" fn delete<T>(handle: *mut c_void, flags: c_int) {
    if flags & 1 != 0 {
        // SAFETY: the last strong reference is gone, so nobody else looks at the value, which is initialised.
        unsafe {
            std::ptr::drop_in_place(handle.cast::<ObjectHeader>().wrapping_add(1).cast::<T>())
        };
    }
    if flags & 2 != 0 {
        // SAFETY: no reference is left; `handle` is 16 bytes behind what `malloc` gave.
        unsafe { delete_space(handle) };
    }
}

unsafe extern "C" fn delete_space(handle: *mut c_void) {
    // SAFETY: called once, with a handle of an object made by `Boxed::object`.
    unsafe { libc::free(handle.cast::<u8>().wrapping_sub(PREFIX).cast()) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn the_value_is_dropped_with_the_last_reference() {
        let witness = Arc::new(());
        let (object, _) = Boxed::object(128, Arc::clone(&witness), 100);
        let other = object.clone();
        assert!(!object.is_unique());
        drop(object);
        assert_eq!(Arc::strong_count(&witness), 2);
        assert!(other.is_unique());
        drop(other);
        assert_eq!(Arc::strong_count(&witness), 1);
    }

    #[test]
    fn the_value_stands_behind_the_header() {
        assert_eq!(std::mem::offset_of!(Boxed<u64>, header), PREFIX);
        assert_eq!(std::mem::offset_of!(Boxed<u64>, value), PREFIX + 24);
        assert_eq!(std::mem::offset_of!(Boxed<[u8; 3]>, value), PREFIX + 24);
    }
}
