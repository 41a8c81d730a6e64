//! What is of a thread or of the process: handles, streams, allocators, signals, symbols.

use super::*;

static INNER: std::sync::atomic::AtomicPtr<c_void> = std::sync::atomic::AtomicPtr::new(null_mut());
static MADE: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn init_inner(result: *mut *mut c_void) -> c_int {
    // SAFETY: the convention gives a slot.
    unsafe { result.write(3 as *mut c_void) };
    0
}

unsafe extern "C" fn init_outer(result: *mut *mut c_void) -> c_int {
    MADE.fetch_add(1, Ordering::Relaxed);
    if api!(handle_init_once(INNER.as_ptr(), Some(init_inner))) != 0 {
        return -1;
    }
    // SAFETY: the convention gives a slot.
    unsafe { result.write(4 as *mut c_void) };
    0
}

unsafe extern "C" fn init_fails(_result: *mut *mut c_void) -> c_int {
    api!(error_set_raised_from_c_str(
        c"ValueError".as_ptr(),
        c"no".as_ptr()
    ));
    -1
}

unsafe extern "C" fn deinit(handle: *mut c_void) -> c_int {
    MADE.fetch_add(handle as usize * 100, Ordering::Relaxed);
    0
}

#[test]
fn a_handle_is_made_once_also_inside_of_another() {
    let outer = std::sync::atomic::AtomicPtr::<c_void>::new(null_mut());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(api!(handle_init_once(outer.as_ptr(), Some(init_outer))), 0));
        }
    });
    assert_eq!(outer.load(Ordering::Relaxed) as usize, 4);
    assert_eq!(INNER.load(Ordering::Relaxed) as usize, 3);
    assert_eq!(MADE.load(Ordering::Relaxed), 1);
    for _ in 0..2 {
        assert_eq!(api!(handle_deinit_once(outer.as_ptr(), Some(deinit))), 0);
    }
    assert_eq!(MADE.load(Ordering::Relaxed), 401);
    assert_eq!(api!(handle_init_once(outer.as_ptr(), Some(init_fails))), -1);
    assert_eq!(left(), (ErrorKind::ValueError, "no".to_owned()));
    assert!(outer.load(Ordering::Relaxed).is_null());
    assert_eq!(api!(handle_init_once(null_mut(), Some(init_inner))), -1);
    assert_eq!(left().0, ErrorKind::ValueError);
}

#[test]
fn streams_are_of_a_device_and_a_thread() {
    let mut before = 9 as *mut c_void;
    assert!(api!(env_get_stream(2, 0)).is_null());
    assert_eq!(
        api!(env_set_stream(2, 0, 5 as *mut c_void, &raw mut before)),
        0
    );
    assert!(before.is_null());
    assert_eq!(api!(env_set_stream(2, 1, 6 as *mut c_void, null_mut())), 0);
    assert_eq!(api!(env_get_stream(2, 0)) as usize, 5);
    assert_eq!(api!(env_get_stream(2, 1)) as usize, 6);
    std::thread::spawn(|| assert!(api!(env_get_stream(2, 0)).is_null()))
        .join()
        .unwrap();
    assert_eq!(api!(env_set_stream(2, 0, null_mut(), &raw mut before)), 0);
    assert_eq!(before as usize, 5);
    assert!(api!(env_get_stream(2, 0)).is_null());
    assert!(api!(env_get_stream(-5, i32::MAX)).is_null());
}

/// Makes a tensor of twos, or fails as its prototype asks by having no dimensions.
unsafe extern "C" fn allocate(
    prototype: *mut DLTensor,
    out: *mut *mut DLManagedTensorVersioned,
    context: *mut c_void,
    fail: Option<super::super::SetError>,
) -> c_int {
    // SAFETY: the convention gives a description.
    if unsafe { (*prototype).ndim } == 0 {
        // SAFETY: the convention gives a function to tell the error.
        unsafe { fail.unwrap()(context, c"MemoryError".as_ptr(), c"none left".as_ptr()) };
        return -1;
    }
    let tensor = crate::full(&[2], crate::value::AnyView::float(2.0), DType::F32).unwrap();
    // SAFETY: the convention gives a slot.
    unsafe { out.write(crate::abi::dlpack::export(&tensor, false).unwrap().as_ptr()) };
    0
}

#[test]
fn tensors_come_from_the_allocator_of_the_thread() {
    let mut shape = [2i64];
    let mut prototype = *zeros(&[2], DType::F32).unwrap().dl();
    prototype.shape = shape.as_mut_ptr();
    let mut out = null_mut();
    let read = |out: *mut c_void| {
        let raw = RawAny {
            type_index: index::TENSOR,
            small_len: 0,
            payload: out as u64,
        };
        owned(raw).tensor().unwrap().clone()
    };
    assert_eq!(api!(env_tensor_alloc(&raw mut prototype, &raw mut out)), 0);
    assert_eq!(read(out).shape(), [2]);
    prototype.device = DLDevice {
        device_type: 2,
        device_id: 1,
    };
    assert_eq!(api!(env_tensor_alloc(&raw mut prototype, &raw mut out)), -1);
    assert_eq!(left().0, ErrorKind::RuntimeError);
    let mut before = None;
    assert!(api!(env_get_dlpack_managed_tensor_allocator()).is_none());
    assert_eq!(
        api!(env_set_dlpack_managed_tensor_allocator(
            Some(allocate),
            0,
            &raw mut before
        )),
        0
    );
    assert!(before.is_none() && api!(env_get_dlpack_managed_tensor_allocator()).is_some());
    assert_eq!(api!(env_tensor_alloc(&raw mut prototype, &raw mut out)), 0);
    assert_eq!(read(out).dtype(), DType::F32);
    prototype.ndim = 0;
    assert_eq!(api!(env_tensor_alloc(&raw mut prototype, &raw mut out)), -1);
    assert_eq!(left(), (ErrorKind::MemoryError, "none left".to_owned()));
    assert_eq!(
        api!(env_set_dlpack_managed_tensor_allocator(
            None,
            0,
            &raw mut before
        )),
        0
    );
    assert!(before.is_some());
}

#[test]
fn signals_are_looked_for_by_what_is_registered() {
    assert_eq!(api!(env_check_signals()), 0);
    assert_eq!(
        api!(env_register_c_api(c"Py_Finalize".as_ptr(), null_mut())),
        -1
    );
    assert_eq!(left().0, ErrorKind::ValueError);
    extern "C" fn came() -> c_int {
        -1
    }
    let came = came as extern "C" fn() -> c_int as *mut c_void;
    assert_eq!(
        api!(env_register_c_api(c"PyErr_CheckSignals".as_ptr(), came)),
        0
    );
    assert_eq!(api!(env_check_signals()), -1);
    assert_eq!(failure::take().unwrap().kind_name(), "EnvErrorAlreadySet");
    assert_eq!(
        api!(env_register_c_api(
            c"PyErr_CheckSignals".as_ptr(),
            null_mut()
        )),
        0
    );
}

#[test]
fn symbols_are_kept_by_name() {
    assert_eq!(
        api!(env_mod_register_context_symbol(
            c"test_a".as_ptr(),
            1 as *mut c_void
        )),
        0
    );
    assert_eq!(
        api!(env_mod_register_system_lib_symbol(
            c"test_b".as_ptr(),
            2 as *mut c_void
        )),
        0
    );
    assert!(super::super::context_symbols().contains(&("test_a".to_owned(), 1)));
    assert!(super::super::system_symbols().contains(&("test_b".to_owned(), 2)));
    assert_eq!(
        api!(env_mod_register_context_symbol(null(), null_mut())),
        -1
    );
    assert_eq!(left().0, ErrorKind::ValueError);
    let mut out = null_mut();
    let name: &CStr = c"f";
    assert_eq!(
        api!(env_mod_lookup_from_imports(
            null_mut(),
            name.as_ptr(),
            &raw mut out
        )),
        -1
    );
    assert_eq!(left().0, ErrorKind::RuntimeError);
}
