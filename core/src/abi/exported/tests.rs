//! Each exported function by its contract, called as a compiled module calls it: through the table.
#![allow(
    clippy::multiple_unsafe_ops_per_block,
    clippy::manual_dangling_ptr,
    reason = "addresses that stand for themselves, and structures read as modules read them"
)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::API;
use crate::abi::failure;
use crate::abi::layout::*;
use crate::abi::types::{FieldInfo, MethodInfo, TypeMetadata, flag, layout::TypeAttrColumn};
use crate::error::ErrorKind;
use crate::value::{Any, Kind};
use crate::{DType, Function, zeros};

const NOTHING: RawAny = RawAny {
    type_index: 0,
    small_len: 0,
    payload: 0,
};

fn array(text: &str) -> ByteArray {
    ByteArray {
        data: text.as_ptr(),
        size: text.len(),
    }
}

fn owned(raw: RawAny) -> Any {
    // SAFETY: the tests give values that they own.
    unsafe { Any::from_raw(raw) }
}

fn handle(object: &crate::abi::object::ObjectRef) -> *mut c_void {
    object.handle().as_ptr().cast()
}

fn counts(handle: *mut c_void) -> u64 {
    // SAFETY: the tests give live objects.
    unsafe { &*handle.cast::<ObjectHeader>() }
        .counts
        .load(Ordering::Relaxed)
        & 0xffff_ffff
}

/// Kind and message of the error that was left.
fn left() -> (ErrorKind, String) {
    let error = failure::take().expect("an error was left");
    (error.kind(), error.message().to_owned())
}

macro_rules! api {
    ($name:ident($($arg:expr),* $(,)?)) => {
        // SAFETY: the test keeps to the contract, or breaks it where that is refused.
        unsafe { (API.$name)($($arg),*) }
    };
}

#[test]
fn the_table_has_the_fifty_functions_in_order() {
    assert_eq!(super::NAMES.len(), 50);
    assert_eq!(API.size as usize, 8 + 50 * 8);
    assert_eq!(super::NAMES[0], "GetVersion");
    assert_eq!(super::NAMES[12], "ErrorSetRaised");
    assert_eq!(super::NAMES[49], "EnvModRegisterSystemLibSymbol");
    let mut version = super::Version {
        major: 9,
        minor: 9,
        patch: 9,
    };
    api!(get_version(&raw mut version));
    assert_eq!((version.major, version.minor), (0, 1));
    api!(get_version(null_mut()));
}

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

static FREED: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn free(address: *mut c_void) {
    FREED.fetch_add(address as usize, Ordering::Relaxed);
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
    let mut other = super::CustomAllocator {
        // SAFETY: as above.
        allocate: unsafe { (*default).allocate },
        context: null_mut(),
    };
    assert_eq!(api!(set_custom_allocator(&raw mut other)), 0);
    assert_eq!(api!(get_custom_allocator()), &raw mut other);
    assert_eq!(api!(set_custom_allocator(null_mut())), 0);
    assert_eq!(api!(get_custom_allocator()), default);
}

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

#[test]
fn raising_counts_and_taking_clears() {
    let error = failure::object(crate::Error::new(ErrorKind::KeyError, "gone"));
    let given = handle(&error);
    api!(error_set_raised(given));
    assert_eq!(counts(given), 2);
    let mut out = null_mut();
    api!(error_move_from_raised(&raw mut out));
    assert_eq!((out, counts(given)), (given, 2));
    let mut again = 1 as *mut c_void;
    api!(error_move_from_raised(&raw mut again));
    assert!(again.is_null());
    assert_eq!(api!(object_dec_ref(out)), 0);
    api!(error_set_raised(given));
    assert_eq!(left(), (ErrorKind::KeyError, "gone".to_owned()));
    assert_eq!(counts(given), 1);
    api!(error_set_raised(null_mut()));
    assert_eq!(left().0, ErrorKind::ValueError);
    api!(error_set_raised(handle(crate::Array::new(&[]).object())));
    assert_eq!(left().0, ErrorKind::InternalError);
    api!(error_move_from_raised(null_mut()));
}

#[test]
fn errors_are_of_their_thread() {
    api!(error_set_raised_from_c_str(
        c"ValueError".as_ptr(),
        c"mine".as_ptr()
    ));
    std::thread::spawn(|| assert!(failure::take().is_none()))
        .join()
        .unwrap();
    assert_eq!(left(), (ErrorKind::ValueError, "mine".to_owned()));
}

#[test]
fn messages_in_parts_are_joined_without_the_missing_ones() {
    let mut parts: [*const c_char; 3] = [c"a ".as_ptr(), null(), c"b".as_ptr()];
    api!(error_set_raised_from_c_str_parts(
        c"MyError".as_ptr(),
        parts.as_mut_ptr(),
        3
    ));
    let error = failure::take().unwrap();
    assert_eq!((error.kind_name(), error.message()), ("MyError", "a b"));
    api!(error_set_raised_from_c_str_parts(null(), null_mut(), 7));
    assert_eq!(left(), (ErrorKind::RuntimeError, String::new()));
}

#[test]
fn an_error_object_holds_what_led_to_it() {
    let (kind, message, lines) = (
        array("TypeError"),
        array("bad"),
        array("  File \"a\", line 1, in f\n"),
    );
    let cause = failure::object(crate::Error::new(ErrorKind::KeyError, "gone"));
    let extra = crate::Array::new(&[Any::int(1)]);
    let mut out = null_mut();
    let code = api!(error_create_with_cause_and_extra_context(
        &raw const kind,
        &raw const message,
        &raw const lines,
        handle(&cause),
        handle(extra.object()),
        &raw mut out,
    ));
    assert_eq!(
        (code, counts(handle(&cause)), counts(handle(extra.object()))),
        (0, 2, 2)
    );
    // SAFETY: an error object has such a cell.
    let cell = unsafe { &*out.cast::<u8>().add(24).cast::<ErrorCell>() };
    assert_eq!(
        (cell.cause_chain, cell.extra_context),
        (handle(&cause), handle(extra.object()))
    );
    api!(error_set_raised(out));
    let error = failure::take().unwrap();
    assert_eq!(error.traceback(), "  File \"a\", line 1, in f\n");
    assert_eq!(api!(object_dec_ref(out)), 0);
    assert_eq!(
        (counts(handle(&cause)), counts(handle(extra.object()))),
        (1, 1)
    );
    let code = api!(error_create(
        &raw const kind,
        &raw const message,
        null(),
        &raw mut out
    ));
    assert_eq!((code, left().0), (-1, ErrorKind::ValueError));
}

#[test]
fn a_backtrace_is_a_line() {
    let line = api!(backtrace(c"a.cc".as_ptr(), 7, c"work".as_ptr(), 0));
    // SAFETY: valid until the next call.
    let text = |line: *const ByteArray| unsafe {
        std::str::from_utf8(std::slice::from_raw_parts((*line).data, (*line).size))
            .unwrap()
            .to_owned()
    };
    assert_eq!(text(line), "  File \"a.cc\", line 7, in work\n");
    assert_eq!(text(api!(backtrace(null(), 0, null(), 1))), "");
}

#[test]
fn what_is_lent_becomes_owned() {
    let mut out = NOTHING;
    let raw = RawAny {
        type_index: index::RAW_STR,
        small_len: 0,
        payload: c"a string of C".as_ptr() as u64,
    };
    assert_eq!(api!(any_view_to_owned_any(&raw const raw, &raw mut out)), 0);
    assert!(matches!(owned(out).kind(), Kind::Str("a string of C")));
    let bytes = array("some long bytes");
    let raw = RawAny {
        type_index: index::BYTE_ARRAY,
        small_len: 0,
        payload: &raw const bytes as u64,
    };
    assert_eq!(api!(any_view_to_owned_any(&raw const raw, &raw mut out)), 0);
    assert!(matches!(owned(out).kind(), Kind::Bytes(b"some long bytes")));
    let array = crate::Array::new(&[]);
    let mut place = handle(array.object());
    assert_eq!(api!(object_inc_ref(place)), 0);
    let raw = RawAny {
        type_index: index::RVALUE_REF,
        small_len: 0,
        payload: &raw mut place as u64,
    };
    assert_eq!(api!(any_view_to_owned_any(&raw const raw, &raw mut out)), 0);
    assert!(place.is_null(), "the object was moved out");
    assert_eq!(counts(handle(array.object())), 2);
    drop(owned(out));
    let raw = RawAny {
        type_index: index::DLTENSOR,
        ..raw
    };
    assert_eq!(
        api!(any_view_to_owned_any(&raw const raw, &raw mut out)),
        -1
    );
    assert_eq!(left().0, ErrorKind::TypeError);
}

#[test]
fn texts_are_small_or_objects() {
    for length in [0, 7, 8, 100] {
        let text = "x".repeat(length);
        let (mut out, given) = (NOTHING, array(&text));
        assert_eq!(
            api!(string_from_byte_array(&raw const given, &raw mut out)),
            0
        );
        let wanted = if length <= 7 {
            index::SMALL_STR
        } else {
            index::STR
        };
        assert_eq!(out.type_index, wanted);
        assert!(matches!(owned(out).kind(), Kind::Str(read) if read == text));
        assert_eq!(
            api!(bytes_from_byte_array(&raw const given, &raw mut out)),
            0
        );
        assert!(matches!(owned(out).kind(), Kind::Bytes(read) if read == text.as_bytes()));
    }
    let empty = ByteArray {
        data: null(),
        size: 4,
    };
    let mut out = NOTHING;
    assert_eq!(
        api!(string_from_byte_array(&raw const empty, &raw mut out)),
        -1
    );
    assert_eq!(left().0, ErrorKind::ValueError);
}

#[test]
fn numbers_of_any_length_are_as_short_as_can_be() {
    let cases: [(&[i64], Option<i128>); 6] = [
        (&[], Some(0)),
        (&[-1, -1, -1], Some(-1)),
        (&[5, 0, 0], Some(5)),
        (&[0, 1], Some(1 << 64)),
        (&[-1, 0], Some(u64::MAX as i128)),
        (&[1, 2, 3], None),
    ];
    for (words, value) in cases {
        let given = ByteArray {
            data: words.as_ptr().cast(),
            size: size_of_val(words),
        };
        let mut out = NOTHING;
        assert_eq!(
            api!(big_int_from_byte_array(&raw const given, &raw mut out)),
            0
        );
        let content = api!(big_int_get_content_byte_array(&raw const out));
        // SAFETY: the words stand in the value or its object.
        let read =
            unsafe { std::slice::from_raw_parts(content.data.cast::<i64>(), content.size / 8) };
        let read = read.to_vec();
        let out = owned(out);
        match (value, out.kind()) {
            (Some(value), Kind::Int(small)) => {
                assert_eq!((value, read), (small.into(), vec![small]))
            }
            (Some(value), Kind::BigInt(big)) => {
                assert_eq!((Some(value), read.len()), (big.to_i128(), 2))
            }
            (None, Kind::BigInt(big)) => assert_eq!((read.as_slice(), big.words()), (words, words)),
            _ => panic!("{words:?} became {out:?}"),
        }
    }
    let odd = ByteArray {
        data: [0u8; 9].as_ptr(),
        size: 9,
    };
    let mut out = NOTHING;
    assert_eq!(
        api!(big_int_from_byte_array(&raw const odd, &raw mut out)),
        -1
    );
    assert_eq!(left().0, ErrorKind::ValueError);
    assert_eq!(api!(big_int_get_content_byte_array(null())).size, 0);
}

#[test]
fn dtypes_are_read_and_written() {
    let name = array("bfloat16x4");
    let mut dtype = DLDataType {
        code: 0,
        bits: 0,
        lanes: 0,
    };
    assert_eq!(
        api!(data_type_from_string(&raw const name, &raw mut dtype)),
        0
    );
    assert_eq!((dtype.code, dtype.bits, dtype.lanes), (4, 16, 4));
    let mut out = NOTHING;
    assert_eq!(api!(data_type_to_string(&raw const dtype, &raw mut out)), 0);
    assert!(matches!(owned(out).kind(), Kind::Str("bfloat16x4")));
}

#[test]
fn a_key_has_one_index_and_a_parent_of_minus_two_only_asks() {
    let key = array("test.exported.Type");
    let get = |depth, parent| {
        api!(type_get_or_alloc_index(
            &raw const key,
            -1,
            depth,
            2,
            1,
            parent
        ))
    };
    assert_eq!(get(1, -2), -2);
    assert!(failure::take().is_none());
    let made = get(1, index::OBJECT);
    assert!(made >= index::DYNAMIC);
    assert_eq!((get(1, index::OBJECT), get(1, -2)), (made, made));
    let mut found = 0;
    assert_eq!(api!(type_key_to_index(&raw const key, &raw mut found)), 0);
    assert_eq!(found, made);
    assert_eq!(get(1, index::ARRAY), -1);
    assert_eq!(left().0, ErrorKind::ValueError);
    let unknown = array("test.exported.Unknown");
    assert_eq!(
        api!(type_key_to_index(&raw const unknown, &raw mut found)),
        -1
    );
    assert_eq!(left().0, ErrorKind::TypeError);
    let known = array("ffi.Array");
    let code = api!(type_get_or_alloc_index(
        &raw const known,
        index::ARRAY,
        1,
        0,
        0,
        index::OBJECT
    ));
    assert_eq!(code, index::ARRAY);
}

#[test]
fn the_type_of_an_unknown_index_is_not_null() {
    for unknown in [-7, 20, 62_000, i32::MAX] {
        let info = api!(get_type_info(unknown));
        // SAFETY: the contract says that it is valid.
        assert_eq!(unsafe { (*info).depth }, 0);
    }
    let info = api!(get_type_info(index::FUNCTION));
    // SAFETY: as above.
    assert_eq!(unsafe { (*info).key() }, "ffi.Function");
    assert_eq!(api!(get_type_info(index::FUNCTION)), info);
}

unsafe extern "C" fn get(_field: *mut c_void, _result: *mut RawAny) -> c_int {
    0
}

fn field(name: &str, offset: i64, size: i64) -> FieldInfo {
    FieldInfo {
        name: array(name),
        doc: array("A field."),
        metadata: array(""),
        flags: flag::HAS_DEFAULT,
        size,
        alignment: 8,
        offset,
        getter: Some(get),
        setter: null_mut(),
        default: NOTHING,
        static_type: index::INT,
    }
}

fn new_type(name: &str) -> i32 {
    let key = array(name);
    api!(type_get_or_alloc_index(
        &raw const key,
        -1,
        1,
        0,
        1,
        index::OBJECT
    ))
}

#[test]
fn members_are_copied_and_stay() {
    let made = new_type("test.exported.Members");
    let metadata = TypeMetadata {
        doc: array("A type."),
        creator: None,
        total_size: 1 << 20,
        structural_kind: 0,
    };
    assert_eq!(api!(type_register_metadata(made, &raw const metadata)), 0);
    let text = Any::string("a default that is an object");
    for i in 0..100 {
        let name = format!("field{i}");
        let mut info = field(&name, 24 + 8 * i, 8);
        info.default = text.view().raw();
        assert_eq!(api!(type_register_field(made, &raw const info)), 0);
    }
    drop(text);
    // SAFETY: the contract says that it is valid.
    let info = api!(get_type_info(made));
    // SAFETY: as above.
    let info = unsafe { &*info };
    let fields = info.fields();
    assert_eq!(
        (fields.len(), fields[99].name(), fields[99].doc()),
        (100, "field99", "A field.")
    );
    assert_eq!(info.metadata().unwrap().doc(), "A type.");
    // SAFETY: the table owns the default.
    let default = unsafe { crate::value::AnyView::from_raw(fields[0].default) };
    assert!(matches!(
        default.kind(),
        Kind::Str("a default that is an object")
    ));
    let function = Function::new(|_| Ok(Any::NONE));
    let method = MethodInfo {
        name: array("work"),
        doc: array(""),
        metadata: array(""),
        flags: flag::STATIC_METHOD,
        method: Any::object(function.object().clone()).view().raw(),
    };
    for _ in 0..2 {
        assert_eq!(api!(type_register_method(made, &raw const method)), 0);
    }
    assert_eq!(
        (info.methods().len(), info.methods()[0].name()),
        (2, "work")
    );
    assert!(info.methods()[0].is_static());
    let wrong = MethodInfo {
        method: NOTHING,
        ..method
    };
    assert_eq!(api!(type_register_method(made, &raw const wrong)), -1);
    assert_eq!(left().0, ErrorKind::TypeError);
}

#[test]
fn what_cannot_be_a_member_is_refused() {
    let made = new_type("test.exported.Refusing");
    let metadata = |total_size, structural_kind| TypeMetadata {
        doc: array(""),
        creator: None,
        total_size,
        structural_kind,
    };
    for wrong in [metadata(-1, 0), metadata(5, 0), metadata(i32::MAX, 0)] {
        assert_eq!(api!(type_register_metadata(made, &raw const wrong)), -1);
        assert_eq!(left().0, ErrorKind::ValueError);
    }
    assert_eq!(api!(type_register_metadata(made, &metadata(48, 0))), 0);
    assert_eq!(api!(type_register_metadata(made, &metadata(56, 0))), -1);
    assert_eq!(left().0, ErrorKind::RuntimeError);
    let good = field("good", 24, 8);
    assert_eq!(api!(type_register_field(made, &raw const good)), 0);
    let wrong = [
        field("good", 32, 8),
        field("", 32, 8),
        field("low", 8, 8),
        field("negative", -8, 8),
        field("high", 48, 8),
        field("large", 24, 1 << 40),
        field("shrunk", 24, -8),
        field("overflow", i64::MAX, i64::MAX),
        FieldInfo {
            alignment: 3,
            ..field("odd", 32, 8)
        },
        FieldInfo {
            getter: None,
            ..field("mute", 32, 8)
        },
    ];
    for wrong in &wrong {
        assert_eq!(
            api!(type_register_field(made, wrong)),
            -1,
            "{}",
            wrong.name()
        );
        assert_eq!(left().0, ErrorKind::ValueError);
    }
    for unknown in [-1, index::INT, 62_000] {
        assert_eq!(api!(type_register_field(unknown, &raw const good)), -1);
        assert_eq!(left().0, ErrorKind::ValueError);
    }
    assert_eq!(api!(type_register_field(made, null())), -1);
    assert_eq!(left().0, ErrorKind::ValueError);
}

#[test]
fn a_second_copy_of_a_module_may_say_the_same_again() {
    let made = new_type("test.exported.Twice");
    let metadata = TypeMetadata {
        doc: array(""),
        creator: None,
        total_size: 48,
        structural_kind: 0,
    };
    let name = array("test.exported.twice");
    let value = Any::int(1).into_raw();
    let good = field("a", 24, 8);
    assert_eq!(api!(type_register_metadata(made, &raw const metadata)), 0);
    assert_eq!(api!(type_register_field(made, &raw const good)), 0);
    assert_eq!(
        api!(type_register_attr(made, &raw const name, &raw const value)),
        0
    );
    assert_eq!(api!(type_register_field(made, &raw const good)), -1);
    assert_eq!(left().0, ErrorKind::ValueError);
    assert_eq!(
        api!(type_register_attr(made, &raw const name, &raw const value)),
        -1
    );
    assert_eq!(left().0, ErrorKind::RuntimeError);
    assert_eq!(api!(type_register_metadata(made, &raw const metadata)), 0);
    assert_eq!(api!(type_register_field(made, &raw const good)), 0);
    assert_eq!(
        api!(type_register_attr(made, &raw const name, &raw const value)),
        0
    );
    let info = api!(get_type_info(made));
    // SAFETY: the contract says that it is valid.
    assert_eq!(unsafe { (*info).fields().len() }, 1);
    let moved = field("a", 32, 8);
    assert_eq!(api!(type_register_field(made, &raw const moved)), -1);
    assert_eq!(left().0, ErrorKind::ValueError);
}

#[test]
fn a_column_is_null_until_a_type_has_the_attribute() {
    let name = array("test.exported.attribute");
    assert!(api!(get_type_attr_column(&raw const name)).is_null());
    assert!(api!(get_type_attr_column(null())).is_null());
    assert_eq!(api!(type_register_attr(0, &raw const name, &NOTHING)), 0);
    let column: *const TypeAttrColumn = api!(get_type_attr_column(&raw const name));
    let made = new_type("test.exported.Attribute");
    let value = Any::int(77).into_raw();
    assert_eq!(
        api!(type_register_attr(made, &raw const name, &raw const value)),
        0
    );
    assert_eq!(api!(get_type_attr_column(&raw const name)), column);
    // SAFETY: the contract says that it is valid, up to its size.
    let read = unsafe { *(*column).data.add(made as usize) };
    assert_eq!((read.type_index, read.payload), (index::INT, 77));
}

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
    fail: Option<super::SetError>,
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
    assert!(super::context_symbols().contains(&("test_a".to_owned(), 1)));
    assert!(super::system_symbols().contains(&("test_b".to_owned(), 2)));
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

#[test]
fn tensors_are_taken_over_handed_over_and_viewed() {
    let tensor = zeros(&[2, 3], DType::F32).unwrap();
    let mut managed = null_mut();
    let given = handle(tensor.object());
    assert_eq!(api!(tensor_to_dlpack(given, &raw mut managed)), 0);
    let mut out = null_mut();
    assert_eq!(api!(tensor_from_dlpack(managed, 0, 1, &raw mut out)), 0);
    let raw = RawAny {
        type_index: index::TENSOR,
        small_len: 0,
        payload: out as u64,
    };
    let back = owned(raw);
    let back = back.tensor().unwrap();
    assert!(!back.readonly(), "what has no version is writable here");
    assert_eq!(back.data_ptr(), tensor.data_ptr());
    let mut versioned = null_mut();
    assert_eq!(
        api!(tensor_to_dlpack_versioned(given, &raw mut versioned)),
        0
    );
    // SAFETY: handed over just now, and not yet taken.
    let dl = unsafe { &mut (*versioned).dl };
    dl.data = dl.data.cast::<u8>().wrapping_add(4).cast();
    assert_eq!(
        api!(tensor_from_dlpack_versioned(
            versioned,
            4096,
            0,
            &raw mut out
        )),
        -1
    );
    assert_eq!(left().0, ErrorKind::RuntimeError);
    let mut strides = [1i64, 2];
    dl.strides = strides.as_mut_ptr();
    assert_eq!(
        api!(tensor_from_dlpack_versioned(versioned, 0, 1, &raw mut out)),
        -1
    );
    assert_eq!(left().0, ErrorKind::RuntimeError);
    // SAFETY: still ours to give back.
    unsafe { (*versioned).deleter.unwrap()(versioned) };
    assert_eq!(
        api!(tensor_to_dlpack(
            handle(crate::Array::new(&[]).object()),
            &raw mut managed
        )),
        -1
    );
    assert_eq!(left().0, ErrorKind::TypeError);
}

#[test]
fn memory_that_core_does_not_read_passes_through() {
    let tensor = zeros(&[2, 3], DType::F32).unwrap();
    for change in [0, 1] {
        let managed = crate::abi::dlpack::export(&tensor, false).unwrap();
        // SAFETY: handed over just now, and not yet taken.
        let dl = unsafe { &mut (*managed.as_ptr()).dl };
        match change {
            0 => {
                dl.device = DLDevice {
                    device_type: 2,
                    device_id: 3,
                }
            }
            _ => {
                dl.dtype = DLDataType {
                    code: 2,
                    bits: 32,
                    lanes: 4,
                }
            }
        }
        dl.strides = null_mut();
        let mut out = null_mut();
        assert_eq!(
            api!(tensor_from_dlpack_versioned(
                managed.as_ptr(),
                0,
                1,
                &raw mut out
            )),
            0
        );
        // SAFETY: a tensor object has a description behind its header.
        let read = unsafe { &*out.cast::<u8>().add(24).cast::<DLTensor>() };
        // SAFETY: the strides were made up.
        let strides = unsafe { std::slice::from_raw_parts(read.strides, 2) };
        assert_eq!(strides, [3, 1]);
        let mut again = null_mut();
        assert_eq!(api!(tensor_to_dlpack_versioned(out, &raw mut again)), 0);
        // SAFETY: handed over just now.
        unsafe {
            assert_eq!((*again).dl.data, read.data);
            (*again).deleter.unwrap()(again);
        }
        let mut view = null_mut();
        assert_eq!(api!(tensor_create_unsafe_view(out, read, &raw mut view)), 0);
        assert_eq!(counts(out), 2);
        assert_eq!(api!(object_dec_ref(view)), 0);
        assert_eq!(counts(out), 1);
        assert_eq!(api!(object_dec_ref(out)), 0);
    }
}

#[test]
fn a_view_keeps_its_source() {
    let tensor = zeros(&[4], DType::F32).unwrap();
    let mut prototype = *tensor.dl();
    let (mut shape, mut strides) = ([2i64], [2i64]);
    (prototype.shape, prototype.strides) = (shape.as_mut_ptr(), strides.as_mut_ptr());
    prototype.byte_offset = 4;
    let mut out = null_mut();
    let source = handle(tensor.object());
    assert_eq!(
        api!(tensor_create_unsafe_view(
            source,
            &raw const prototype,
            &raw mut out
        )),
        0
    );
    let raw = RawAny {
        type_index: index::TENSOR,
        small_len: 0,
        payload: out as u64,
    };
    let view = owned(raw);
    let view = view.tensor().unwrap();
    assert_eq!((view.shape(), view.strides()), (&[2u64][..], &[8i64][..]));
    assert_eq!(view.data_ptr(), tensor.data_ptr() + 4);
    assert_eq!(counts(source), 2);
    assert_eq!(
        api!(tensor_create_unsafe_view(
            null_mut(),
            &raw const prototype,
            &raw mut out
        )),
        -1
    );
    assert_eq!(left().0, ErrorKind::ValueError);
    prototype.ndim = -4;
    assert_eq!(
        api!(tensor_create_unsafe_view(
            source,
            &raw const prototype,
            &raw mut out
        )),
        -1
    );
    assert_eq!(left().0, ErrorKind::ValueError);
}

#[test]
fn what_headers_look_up_is_found_and_not_listed() {
    let name = array("ffi.FunctionListGlobalNamesFunctor");
    let mut out = null_mut();
    assert_eq!(api!(function_get_global(&raw const name, &raw mut out)), 0);
    assert!(!out.is_null());
    let mut functor = NOTHING;
    assert_eq!(api!(function_call(out, null_mut(), 0, &raw mut functor)), 0);
    let functor = owned(functor);
    let Kind::Function(functor) = functor.kind() else {
        panic!("a function is wanted")
    };
    let count = functor.call(&[Any::int(-1)]).unwrap();
    let Kind::Int(count) = count.kind() else {
        panic!("a number is wanted")
    };
    let beyond = functor.call(&[Any::int(count.into())]).unwrap_err();
    assert_eq!(beyond.kind(), ErrorKind::IndexError);
    assert_eq!(api!(object_dec_ref(out)), 0);
    let listed = crate::list_global_func_names();
    assert!(!listed.iter().any(|name| name.starts_with("ffi.")));
}
