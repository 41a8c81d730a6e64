//! Symbols of a shared library, as the dynamic linker looks at them.

use super::elf::{Elf, bytes_at, u16_at, u32_at};
use crate::error::Result;

/// Bytes of a symbol.
pub const SYMBOL_SIZE: usize = 24;
/// Place of the kind and binding inside of a symbol.
pub const INFO: usize = 4;
/// Place of the visibility inside of a symbol.
pub const OTHER: usize = 5;

const LOCAL: u8 = 0;
const GLOBAL: u8 = 1;
const WEAK: u8 = 2;
const UNIQUE: u8 = 10;
const HIDDEN: u8 = 2;

/// A symbol.
#[derive(Debug)]
pub struct Symbol<'a> {
    /// Place in the file.
    pub at: usize,
    /// Its name.
    pub name: &'a [u8],
    /// Place of its name.
    pub name_at: usize,
    info: u8,
    other: u8,
    section: u16,
}

impl<'a> Symbol<'a> {
    pub(super) fn read(elf: &Elf<'a>, bytes: &[u8], at: usize) -> Result<Self> {
        let (name_at, name) = elf.text(u32_at(bytes, at)?.into())?;
        let [info, other] = bytes_at(bytes, at + INFO)?;
        Ok(Symbol {
            at,
            name,
            name_at,
            info,
            other,
            section: u16_at(bytes, at + 6)?,
        })
    }

    fn binding(&self) -> u8 {
        self.info >> 4
    }

    /// Whether another library defines it.
    pub fn is_undefined(&self) -> bool {
        self.section == 0 && self.binding() != LOCAL
    }

    /// Whether the module does without, or another definition may win.
    pub fn is_weak(&self) -> bool {
        self.binding() == WEAK
    }

    /// Whether there is one of it in the process, whoever loads it.
    pub fn is_unique(&self) -> bool {
        self.binding() == UNIQUE
    }

    /// Whether others see it.
    pub fn is_exported(&self) -> bool {
        let is_visible = matches!(self.other & 3, 0 | 3);
        self.section != 0 && matches!(self.binding(), GLOBAL | WEAK) && is_visible
    }

    /// Whether its name holds a text.
    pub fn holds(&self, text: &[u8]) -> bool {
        self.name.windows(text.len()).any(|part| part == text)
    }

    /// Kind and binding, when it becomes weak.
    pub fn as_weak(&self) -> u8 {
        WEAK << 4 | self.info & 15
    }

    /// Visibility, when it becomes hidden.
    pub fn as_hidden(&self) -> u8 {
        self.other & !3 | HIDDEN
    }
}
