//! The type table.

use super::*;

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
