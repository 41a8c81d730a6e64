//! What the public headers look up by name.

use super::*;

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
