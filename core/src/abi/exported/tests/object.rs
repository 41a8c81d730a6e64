//! Counting, opaque objects.

use super::*;

#[test]
fn counting_null_is_an_error() {
    let object = crate::Array::new(&[]).object().clone();
    assert_eq!(api!(object_inc_ref(handle(&object))), 0);
    assert_eq!(counts(handle(&object)), 2);
    assert_eq!(api!(object_dec_ref(handle(&object))), 0);
    assert_eq!(counts(handle(&object)), 1);
    assert_eq!(api!(object_inc_ref(null_mut())), -1);
    assert_eq!(left().0, ErrorKind::ValueError);
    assert_eq!(api!(object_dec_ref(null_mut())), -1);
    assert_eq!(left().1, "the object to release is null");
}

#[test]
fn an_opaque_object_frees_its_content_once() {
    let mut out = null_mut();
    let content = 5 as *mut c_void;
    let code = api!(object_create_opaque(
        content,
        index::OPAQUE,
        Some(free),
        &raw mut out
    ));
    assert_eq!(code, 0);
    let before = FREED.load(Ordering::Relaxed);
    // SAFETY: a live object, whose cell is the address.
    assert_eq!(unsafe { *out.cast::<u64>().add(3) }, 5);
    assert_eq!(api!(object_dec_ref(out)), 0);
    assert_eq!(FREED.load(Ordering::Relaxed) - before, 5);
    let code = api!(object_create_opaque(
        content,
        index::ARRAY,
        None,
        &raw mut out
    ));
    assert_eq!((code, left().0), (-1, ErrorKind::RuntimeError));
}

#[test]
fn the_allocator_is_never_null_and_its_memory_can_be_freed() {
    let default = api!(get_custom_allocator());
    // SAFETY: the allocator of this library.
    let body = unsafe { ((*default).allocate)(100, 64, 200, (*default).context) };
    assert_eq!(body as usize % 64, 0);
    // SAFETY: the memory has 100 bytes, and eight before it with the function that frees it.
    unsafe {
        body.cast::<u8>().write_bytes(7, 100);
        let free = body
            .cast::<unsafe extern "C" fn(*mut c_void)>()
            .sub(1)
            .read();
        free(body);
    }
    // SAFETY: as above.
    let none = unsafe { ((*default).allocate)(usize::MAX, 16, 200, null_mut()) };
    assert!(none.is_null());
    assert_eq!(left().0, ErrorKind::MemoryError);
    let mut other = super::super::CustomAllocator {
        // SAFETY: as above.
        allocate: unsafe { (*default).allocate },
        context: null_mut(),
    };
    assert_eq!(api!(set_custom_allocator(&raw mut other)), 0);
    assert_eq!(api!(get_custom_allocator()), &raw mut other);
    assert_eq!(api!(set_custom_allocator(null_mut())), 0);
    assert_eq!(api!(get_custom_allocator()), default);
}
