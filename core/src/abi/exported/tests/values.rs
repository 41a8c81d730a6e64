//! Values: owned ones, texts, whole numbers, dtypes.

use super::*;

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
