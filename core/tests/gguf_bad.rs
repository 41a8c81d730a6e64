//! What becomes of each broken or unusual GGUF file: refused with the byte, or read because the format allows it.
#![allow(clippy::unwrap_used, reason = "a failure of the test itself may panic")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use tenspan::{ErrorKind, open};

/// What is done with a file.
enum Verdict {
    /// Refused at this byte, with this in the message.
    Refused(u64, &'static str),
    /// Read, for this reason.
    Read(&'static str),
}

use Verdict::{Read, Refused};

#[rustfmt::skip]
const VERDICTS: [(&str, Verdict); 79] = [
    ("align_0.gguf", Refused(99, "power of two")),
    ("align_1.gguf", Refused(99, "multiple of 8, found 1")),
    ("align_24_not_pow2.gguf", Refused(99, "power of two")),
    ("align_2p31.gguf", Refused(161, "no multiple of the alignment 2147483648")),
    ("align_3.gguf", Refused(99, "power of two")),
    ("align_4_not_mult_of_8.gguf", Refused(99, "multiple of 8, found 4")),
    ("align_arr.gguf", Refused(99, "must be of type uint32, found array")),
    ("align_str.gguf", Refused(99, "must be of type uint32, found string")),
    ("align_u64.gguf", Refused(99, "must be of type uint32, found uint64")),
    ("arr_bad_elem_type.gguf", Refused(37, "items of type 99")),
    ("arr_len_2p60.gguf", Refused(41, "the length of an array is 1152921504606846976")),
    ("arr_len_2p62_u64.gguf", Refused(41, "the length of an array is 4611686018427387904")),
    ("arr_nested_5000.gguf", Refused(133, "nested more than 8 deep")),
    ("arr_str_len_2p61.gguf", Refused(41, "the length of an array is 2305843009213693952")),
    ("arr_u8_2p30.gguf", Refused(41, "the length of an array is 1073741824")),
    ("bad_magic.gguf", Refused(0, "found `GGUX`")),
    ("be_version_le_rest.gguf", Refused(16, "the number of values is 72057594037927936")),
    ("bytes_2p62.gguf", Refused(49, "4611686018427387904 bytes")),
    ("bytes_overflow.gguf", Refused(37, "more than 2^63 bytes")),
    ("data_missing.gguf", Refused(50, "the file ends")),
    ("data_section_no_padding_bytes.gguf", Refused(49, "the file ends")),
    ("data_truncated.gguf", Refused(95, "the file ends")),
    ("dim_negative.gguf", Refused(37, "does not fit 63 bits")),
    ("dim_zero_then_data.gguf", Read("a tensor without elements takes no room")),
    ("dims_product_4d.gguf", Refused(37, "more than 2^63 elements")),
    ("dims_product_wraps.gguf", Refused(37, "more than 2^63 elements")),
    ("dup_keys.gguf", Refused(41, "two values `k`")),
    ("dup_tensor_names.gguf", Refused(103, "two tensors `t`")),
    ("empty_file.gguf", Refused(0, "the file is empty")),
    ("first_offset_32.gguf", Read("the format asks for aligned offsets, not for none before the first")),
    ("key_65536.gguf", Refused(24, "1 to 65535 bytes, found 65536")),
    ("key_empty.gguf", Refused(24, "1 to 65535 bytes, found 0")),
    ("key_len_2p63.gguf", Refused(24, "has the length 9223372036854775808")),
    ("key_len_max.gguf", Refused(24, "has the length 18446744073709551615")),
    ("key_len_past_eof.gguf", Refused(24, "has the length 1000, 4 bytes are left")),
    ("key_not_utf8.gguf", Refused(32, "the name of a value is not UTF-8")),
    ("key_nul.gguf", Read("NUL is a letter of ASCII; both readers accept it")),
    ("kv_bool_2.gguf", Refused(37, "a bool is 2")),
    ("kv_str_len_max.gguf", Refused(37, "a string has the length 18446744073709551615")),
    ("kv_str_not_utf8.gguf", Read("both readers accept it; the value is given as bytes")),
    ("kv_type_13.gguf", Refused(33, "value `k` has type 13")),
    ("kv_type_neg.gguf", Refused(33, "value `k` has type 4294967295")),
    ("kv_value_trunc.gguf", Refused(37, "uint64 takes 8 bytes, 3 are left")),
    ("magic_fugg.gguf", Refused(0, "found `FUGG`")),
    ("n_dims_5.gguf", Refused(79, "has 5 dimensions")),
    ("n_dims_max.gguf", Refused(33, "has 4294967295 dimensions")),
    ("n_kv_2p31_missing.gguf", Refused(16, "the number of values is 2147483648")),
    ("n_kv_2p60.gguf", Refused(16, "the number of values is 1152921504606846976")),
    ("n_kv_negative.gguf", Refused(16, "the number of values is 18446744073709551615")),
    ("n_tensors_1e6_missing.gguf", Refused(8, "the number of tensors is 1000000")),
    ("n_tensors_2p60.gguf", Refused(8, "the number of tensors is 1152921504606846976")),
    ("n_tensors_negative.gguf", Refused(8, "the number of tensors is 18446744073709551615")),
    ("name_64.gguf", Read("the format grants names 64 bytes; only ggml wants fewer")),
    ("name_empty.gguf", Read("the format asks for a string; both readers accept it")),
    ("name_not_utf8.gguf", Refused(78, "the name of a tensor is not UTF-8")),
    ("name_nul_dup.gguf", Read("the names differ; only C strings would not")),
    ("no_final_padding.gguf", Read("no tensor needs the padding behind the last one")),
    ("offset_aligned_gap.gguf", Read("the index says that gaps are legal")),
    ("offset_misaligned.gguf", Refused(84, "offset 33, no multiple of the alignment 32")),
    ("offset_overlap.gguf", Refused(84, "inside of another")),
    ("offset_past_eof.gguf", Refused(50, "the file ends")),
    ("offset_reversed.gguf", Read("the index says that any order is legal")),
    ("offset_wrap.gguf", Refused(50, "which no file reaches")),
    ("row_not_block.gguf", Refused(83, "innermost length of shape [40] is 40")),
    ("row_not_block_total_ok.gguf", Refused(83, "innermost length of shape [2, 16] is 16")),
    ("ti_truncated.gguf", Refused(37, "a dimension takes 8 bytes, 7 are left")),
    ("trailing_garbage.gguf", Read("the format says nothing of the bytes behind the last tensor")),
    ("trunc_after_version.gguf", Refused(8, "the number of tensors takes 8 bytes, 0 are left")),
    ("trunc_in_counts.gguf", Refused(16, "the number of values takes 8 bytes, 4 are left")),
    ("trunc_magic.gguf", Refused(0, "found `GGU`")),
    ("type_31_removed.gguf", Refused(91, "type 31, Q4_0_4_4, which was removed")),
    ("type_43_count.gguf", Read("an unknown type may be a new one; the tensor is opaque")),
    ("type_4_removed_q4_2.gguf", Refused(91, "type 4, Q4_2, which was removed")),
    ("type_int_max.gguf", Refused(91, "type 2147483647; ids of types have 16 bits")),
    ("type_minus1.gguf", Refused(91, "type 4294967295; ids of types have 16 bits")),
    ("version_0.gguf", Refused(4, "version 0")),
    ("version_1_layout.gguf", Refused(4, "version 1")),
    ("version_4.gguf", Refused(4, "version 4")),
    ("version_max.gguf", Refused(4, "version 4294967295")),
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/vectors/gguf_bad")
}

#[test]
fn the_table_names_every_file_of_the_index() {
    let text = std::fs::read(folder().join("index.json")).unwrap();
    let index: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let files = index["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["file"].as_str().unwrap());
    assert_eq!(
        files.collect::<BTreeSet<_>>(),
        VERDICTS.iter().map(|(name, _)| *name).collect()
    );
}

#[test]
fn every_file_is_refused_at_the_byte_or_read_whole() {
    let mut wrong = Vec::new();
    for (name, verdict) in &VERDICTS {
        let path = folder().join(name);
        let path = path.to_str().unwrap();
        match (open(path), verdict) {
            (Ok(file), Read(_)) => {
                for key in file.keys() {
                    let tensor = file.get(&key).unwrap().unwrap();
                    assert_eq!(
                        tensor.bytes().unwrap().len() as u64,
                        tensor.nbytes(),
                        "{name}: {key}"
                    );
                }
                for key in file.metadata().keys() {
                    assert!(
                        file.metadata().get(&key).unwrap().is_some(),
                        "{name}: {key}"
                    );
                }
            }
            (Err(error), Refused(at, part)) => {
                let message = error.message();
                let is_placed = message.starts_with(&format!("{path}: at byte {at}: "));
                if error.kind() != ErrorKind::InvalidFile || !is_placed || !message.contains(part) {
                    wrong.push(format!(
                        "{name}: wanted {part:?} at byte {at}, found {error}"
                    ));
                }
            }
            (Ok(_), Refused(_, part)) => {
                wrong.push(format!("{name} was read, not refused: {part}"))
            }
            (Err(error), Read(reason)) => {
                wrong.push(format!("{name} was refused although {reason}: {error}"))
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
