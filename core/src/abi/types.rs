//! The table of type indices: names of the static ones, and those given out at run time.

use std::sync::{Mutex, PoisonError};

use super::layout::index;

static DYNAMIC: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// The index of a class of ours, given out at first use. Two classes never share a key.
pub fn register(key: &'static str) -> i32 {
    let mut keys = DYNAMIC.lock().unwrap_or_else(PoisonError::into_inner);
    let position = keys
        .iter()
        .position(|known| *known == key)
        .unwrap_or_else(|| {
            keys.push(key);
            keys.len() - 1
        });
    index::DYNAMIC + position as i32
}

/// What to call values of a type in messages.
pub fn key(type_index: i32) -> &'static str {
    match type_index {
        index::NONE => "None",
        index::INT | index::BIG_INT => "an integer",
        index::BOOL => "a boolean",
        index::FLOAT => "a float",
        index::POINTER => "a pointer",
        index::DTYPE => "a dtype",
        index::DEVICE => "a device",
        index::RAW_STR | index::SMALL_STR | index::STR => "a string",
        index::BYTE_ARRAY | index::SMALL_BYTES | index::BYTES => "bytes",
        index::ERROR => "an error",
        index::FUNCTION => "a function",
        index::SHAPE => "a shape",
        index::DLTENSOR | index::TENSOR => "a tensor",
        index::ARRAY | index::LIST => "a list",
        index::MAP | index::DICT => "a mapping",
        dynamic if dynamic >= index::DYNAMIC => DYNAMIC
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get((dynamic - index::DYNAMIC) as usize)
            .copied()
            .unwrap_or("an object"),
        _ => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_gets_one_index() {
        let first = register("test.types.a");
        assert_eq!(register("test.types.a"), first);
        assert_ne!(register("test.types.b"), first);
        assert_eq!(key(first), "test.types.a");
    }
}
