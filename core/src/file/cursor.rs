//! A reader of untrusted bytes: every step is checked, every failure says at which byte.

use crate::error::{Error, ErrorKind, Result};

/// Order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl ByteOrder {
    /// The order as the spec names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ByteOrder::Little => "little",
            ByteOrder::Big => "big",
        }
    }
}

/// The error of bytes that break the rules of their format.
pub(crate) fn fault(at: u64, message: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::InvalidFile, format!("at byte {at}: {message}"))
}

/// A position in bytes, of which `base` stand before the first in the file.
#[derive(Clone)]
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    position: usize,
    base: u64,
    order: ByteOrder,
}

impl<'a> Cursor<'a> {
    /// Starts at the first of `bytes`.
    pub(crate) fn new(bytes: &'a [u8], base: u64, order: ByteOrder) -> Self {
        Cursor {
            bytes,
            position: 0,
            base,
            order,
        }
    }

    /// Offset of the next byte in the file.
    pub(crate) fn at(&self) -> u64 {
        self.base + self.position as u64
    }

    /// Bytes not yet read.
    pub(crate) fn remaining(&self) -> u64 {
        (self.bytes.len() - self.position) as u64
    }

    /// Reads numbers in this order from here on.
    pub(crate) fn set_order(&mut self, order: ByteOrder) {
        self.order = order;
    }

    /// The next `len` bytes, which messages call `what`.
    pub(crate) fn take(&mut self, len: u64, what: &str) -> Result<&'a [u8]> {
        if len > self.remaining() {
            let message = format!(
                "{what} takes {len} bytes, {} are left in the file",
                self.remaining()
            );
            return Err(fault(self.at(), message));
        }
        let start = self.position;
        self.position += len as usize;
        Ok(&self.bytes[start..self.position])
    }

    /// The next `N` bytes as those of a little-endian number.
    pub(crate) fn number<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        bytes.copy_from_slice(self.take(N as u64, what)?);
        if self.order == ByteOrder::Big {
            bytes.reverse();
        }
        Ok(bytes)
    }

    /// A 32-bit number.
    pub(crate) fn u32(&mut self, what: &str) -> Result<u32> {
        self.number(what).map(u32::from_le_bytes)
    }

    /// A 64-bit number.
    pub(crate) fn u64(&mut self, what: &str) -> Result<u64> {
        self.number(what).map(u64::from_le_bytes)
    }

    /// A 64-bit count of things that take at least `least` bytes each, so that as many can be there.
    pub(crate) fn count(&mut self, least: u64, what: &str) -> Result<u64> {
        let at = self.at();
        let count = self.u64(what)?;
        match count.checked_mul(least) {
            Some(bytes) if bytes <= self.remaining() => Ok(count),
            _ => {
                let left = self.remaining();
                Err(fault(
                    at,
                    format!(
                        "{what} is {count}, but the {left} bytes that are left hold at most {}",
                        left / least
                    ),
                ))
            }
        }
    }

    /// Bytes behind their 64-bit length.
    pub(crate) fn string(&mut self, what: &str) -> Result<&'a [u8]> {
        let at = self.at();
        let len = self.u64(what)?;
        if len > self.remaining() {
            let message = format!(
                "{what} has the length {len}, {} bytes are left in the file",
                self.remaining()
            );
            return Err(fault(at, message));
        }
        self.take(len, what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_past_the_end_says_where_and_takes_nothing() {
        let mut cursor = Cursor::new(&[1, 0, 0, 0, 9], 100, ByteOrder::Little);
        assert_eq!(cursor.u32("x").unwrap(), 1);
        let error = cursor.u64("the count").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidFile);
        assert_eq!(
            error.message(),
            "at byte 104: the count takes 8 bytes, 1 are left in the file"
        );
        assert_eq!(cursor.remaining(), 1);
    }

    #[test]
    fn lengths_and_counts_that_wrap_are_refused() {
        let max = u64::MAX.to_le_bytes();
        assert!(Cursor::new(&max, 0, ByteOrder::Little).string("s").is_err());
        assert!(
            Cursor::new(&(1u64 << 61).to_le_bytes(), 0, ByteOrder::Little)
                .count(8, "n")
                .is_err()
        );
    }

    #[test]
    fn big_endian_numbers_are_turned() {
        let mut cursor = Cursor::new(&[0, 0, 1, 2], 0, ByteOrder::Big);
        assert_eq!(cursor.u32("x").unwrap(), 0x102);
    }
}
