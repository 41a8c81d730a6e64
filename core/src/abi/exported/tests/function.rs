//! The registry and calls.

use super::*;

#[test]
fn a_missing_global_is_null_and_no_error() {
    let mut out = 1 as *mut c_void;
    let name = array("test.exported.missing");
    assert_eq!(api!(function_get_global(&raw const name, &raw mut out)), 0);
    assert!(out.is_null() && failure::take().is_none());
    assert_eq!(api!(function_get_global(null(), &raw mut out)), -1);
    assert_eq!(left().1, "the name of a function is null");
    let bad = ByteArray {
        data: b"\xff\xfe".as_ptr(),
        size: 2,
    };
    assert_eq!(api!(function_get_global(&raw const bad, &raw mut out)), -1);
    assert_eq!(left().0, ErrorKind::ValueError);
}

#[test]
fn a_global_is_found_by_a_reference_of_its_own() {
    let function = Function::new(|_| Ok(Any::int(4)));
    let name = array("test.exported.global");
    let given = handle(function.object());
    assert_eq!(api!(function_set_global(&raw const name, given, 0)), 0);
    let before = counts(given);
    let mut out = null_mut();
    assert_eq!(api!(function_get_global(&raw const name, &raw mut out)), 0);
    assert_eq!((out, counts(given)), (given, before + 1));
    let mut result = NOTHING;
    assert_eq!(api!(function_call(out, null_mut(), 0, &raw mut result)), 0);
    assert!(matches!(owned(result).kind(), Kind::Int(4)));
    assert_eq!(api!(object_dec_ref(out)), 0);
    assert_eq!(api!(function_set_global(&raw const name, given, 0)), -1);
    assert_eq!(left().0, ErrorKind::RuntimeError);
    assert_eq!(api!(function_set_global(&raw const name, given, 1)), 0);
    let wrong = crate::Array::new(&[]);
    assert_eq!(
        api!(function_set_global(
            &raw const name,
            handle(wrong.object()),
            1
        )),
        -1
    );
    assert_eq!(left().0, ErrorKind::TypeError);
    let info = MethodInfo {
        name: array("test.exported.described"),
        doc: array("Does it."),
        metadata: array("{}"),
        flags: 0,
        method: Any::object(function.object().clone()).into_raw(),
    };
    assert_eq!(
        api!(function_set_global_from_method_info(&raw const info, 0)),
        0
    );
    let described = crate::registry::describe("test.exported.described").unwrap();
    assert_eq!((&*described.doc, &*described.metadata), ("Does it.", "{}"));
    assert_eq!(
        api!(function_set_global_from_method_info(&raw const info, 0)),
        -1
    );
    assert_eq!(left().0, ErrorKind::RuntimeError);
    drop(owned(info.method));
}

/// Returns what it got as its context, and how many arguments.
unsafe extern "C" fn context_of(
    context: *mut c_void,
    _args: *const RawAny,
    count: i32,
    result: *mut RawAny,
) -> c_int {
    if count == 9 {
        return 0;
    }
    // SAFETY: the convention gives a slot.
    unsafe { result.write(Any::pointer(context as u64).into_raw()) };
    0
}

#[test]
fn an_entry_point_gets_its_context_or_the_function() {
    let mut out = null_mut();
    let mut result = NOTHING;
    let code = api!(function_create(
        null_mut(),
        Some(context_of),
        None,
        &raw mut out
    ));
    assert_eq!(code, 0);
    assert_eq!(api!(function_call(out, null_mut(), 0, &raw mut result)), 0);
    assert_eq!(result.payload, out as u64);
    result = NOTHING;
    assert_eq!(api!(function_call(out, null_mut(), 9, &raw mut result)), 0);
    assert_eq!(
        result.type_index,
        index::NONE,
        "a slot may be left as it is"
    );
    assert_eq!(api!(object_dec_ref(out)), 0);
    let context = 11 as *mut c_void;
    let code = api!(function_create(
        context,
        Some(context_of),
        Some(free),
        &raw mut out
    ));
    assert_eq!(code, 0);
    assert_eq!(api!(function_call(out, null_mut(), 0, &raw mut result)), 0);
    assert_eq!(result.payload, 11);
    let before = FREED.load(Ordering::Relaxed);
    assert_eq!(api!(object_dec_ref(out)), 0);
    assert!(FREED.load(Ordering::Relaxed) >= before + 11);
    assert_eq!(api!(function_create(context, None, None, &raw mut out)), -1);
    assert_eq!(left().0, ErrorKind::ValueError);
    assert_eq!(
        api!(function_call(null_mut(), null_mut(), 0, &raw mut result)),
        -1
    );
    assert_eq!(left().0, ErrorKind::ValueError);
    let list = crate::Array::new(&[]);
    let code = api!(function_call(
        handle(list.object()),
        null_mut(),
        0,
        &raw mut result
    ));
    assert_eq!((code, left().0), (-1, ErrorKind::TypeError));
}
