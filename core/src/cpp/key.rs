//! Digests: of what a module is made of, and of files.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// A digest of parts, each with its length, so that what is in one is not taken for a piece of the next.
pub struct Digest(Sha256);

impl Digest {
    /// A digest of nothing yet.
    pub fn new() -> Self {
        Digest(Sha256::new())
    }

    /// Adds a part.
    pub fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// The digest in hexadecimal digits.
    pub fn finish(self) -> String {
        let mut text = String::with_capacity(64);
        for byte in self.0.finalize() {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

/// The digest of the bytes of a file.
pub fn of_bytes(bytes: &[u8]) -> String {
    let mut digest = Digest::new();
    digest.add(bytes);
    digest.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_told_apart() {
        let digest = |parts: &[&str]| {
            let mut digest = Digest::new();
            parts.iter().for_each(|part| digest.add(part.as_bytes()));
            digest.finish()
        };
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        assert_ne!(digest(&["a"]), digest(&["a", ""]));
        assert_eq!(digest(&["a", "b"]), digest(&["a", "b"]));
    }
}
