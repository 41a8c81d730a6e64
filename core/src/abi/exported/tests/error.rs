//! Raised errors.

use super::*;

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
