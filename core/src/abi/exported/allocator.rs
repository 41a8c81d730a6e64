//! The allocator that modules of one version of the public headers take memory for their objects from.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::abi::failure;
use crate::error::{Error, ErrorKind};

/// Gives memory for an object; the eight bytes before it hold a function that frees it.
#[repr(C)]
pub struct CustomAllocator {
    /// Memory of a size, for an address of an alignment, for an object of a type; null with an error raised when there is none.
    pub allocate: unsafe extern "C" fn(usize, usize, i32, *mut c_void) -> *mut c_void,
    /// For the allocator itself.
    pub context: *mut c_void,
}

// SAFETY: the address is for the allocator, which any thread may call.
unsafe impl Sync for CustomAllocator {}

static DEFAULT: CustomAllocator = CustomAllocator {
    allocate,
    context: std::ptr::null_mut(),
};

static CURRENT: AtomicPtr<CustomAllocator> = AtomicPtr::new(std::ptr::null_mut());

/// The allocator of the process, never null.
pub unsafe extern "C" fn get_custom_allocator() -> *mut CustomAllocator {
    let current = CURRENT.load(Ordering::Acquire);
    if current.is_null() {
        return (&raw const DEFAULT).cast_mut();
    }
    current
}

/// Sets the allocator of the process; null is the one of this library.
pub unsafe extern "C" fn set_custom_allocator(allocator: *mut CustomAllocator) -> c_int {
    CURRENT.store(allocator, Ordering::Release);
    0
}

/// Bytes before an object: the start of the allocation and the function that frees it.
const PREFIX: usize = 16;

unsafe extern "C" fn allocate(
    size: usize,
    alignment: usize,
    _type_index: i32,
    _context: *mut c_void,
) -> *mut c_void {
    let alignment = alignment.max(16);
    let whole = size
        .checked_add(PREFIX)
        .and_then(|whole| whole.checked_add(alignment));
    let space = match whole.filter(|_| alignment.is_power_of_two()) {
        // SAFETY: `malloc` has no preconditions.
        Some(whole) => unsafe { libc::malloc(whole) },
        None => std::ptr::null_mut(),
    };
    if space.is_null() {
        let message = format!("there is no memory for an object of {size} bytes");
        failure::raise(Error::new(ErrorKind::MemoryError, message));
        return space;
    }
    let address = (space as usize + PREFIX).next_multiple_of(alignment);
    let body = space.cast::<u8>().wrapping_add(address - space as usize);
    let words = body.cast::<usize>().wrapping_sub(2);
    // SAFETY: the sixteen bytes before the body lie in the allocation, aligned for words. So below.
    unsafe { words.write(space as usize) };
    // SAFETY: as above.
    unsafe {
        words
            .wrapping_add(1)
            .cast::<unsafe extern "C" fn(*mut c_void)>()
            .write(delete_space)
    };
    body.cast()
}

unsafe extern "C" fn delete_space(body: *mut c_void) {
    // SAFETY: `allocate` wrote the start of the allocation there.
    let space = unsafe { body.cast::<*mut c_void>().wrapping_sub(2).read() };
    // SAFETY: called once, for memory of `malloc`.
    unsafe { libc::free(space) }
}
