//! Shared libraries in the ELF format, 64 bits, little-endian: what the dynamic linker reads of them.
//!
//! Everything is found through the program header, as the dynamic linker does; sections may be stripped. Places in the file are
//! `usize`, addresses in memory `u64`.

use super::symbol::{SYMBOL_SIZE, Symbol};
use crate::error::{Error, ErrorKind, Result};

/// Bytes of the header of a file.
pub const HEADER_SIZE: usize = 64;

const SEGMENT_SIZE: usize = 56;
const RELOCATION_SIZE: usize = 24;
const LOAD: u32 = 1;
const DYNAMIC: u32 = 2;
/// Marks a program that is linked as a shared library is; the dynamic linker refuses it.
const FLAG_PROGRAM: u64 = 0x0800_0000;

/// What an entry of the dynamic section is.
#[allow(missing_docs, reason = "the names are those of the format")]
pub mod dynamic_tag {
    pub const NULL: u64 = 0;
    pub const NEEDED: u64 = 1;
    pub const PLTRELSZ: u64 = 2;
    pub const HASH: u64 = 4;
    pub const STRTAB: u64 = 5;
    pub const SYMTAB: u64 = 6;
    pub const RELA: u64 = 7;
    pub const RELASZ: u64 = 8;
    pub const STRSZ: u64 = 10;
    pub const SYMENT: u64 = 11;
    pub const SONAME: u64 = 14;
    pub const RPATH: u64 = 15;
    pub const JMPREL: u64 = 23;
    pub const RUNPATH: u64 = 29;
    pub const GNU_HASH: u64 = 0x6fff_fef5;
    pub const FLAGS_1: u64 = 0x6fff_fffb;
}
use dynamic_tag as tag;

/// The error of a file that breaks the rules of its format at an offset.
pub fn fault(offset: usize, what: &str) -> Error {
    Error::new(ErrorKind::InvalidFile, format!("offset {offset}: {what}"))
}

pub(super) fn bytes_at<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N]> {
    let found = at.checked_add(N).and_then(|end| bytes.get(at..end));
    let found = found.and_then(|found| <[u8; N]>::try_from(found).ok());
    found.ok_or_else(|| {
        let end = bytes.len();
        fault(at, &format!("{N} bytes wanted, the file ends at {end}"))
    })
}

/// A number of 16 bits.
///
/// # Errors
/// [`ErrorKind::InvalidFile`] past the end of the file.
pub fn u16_at(bytes: &[u8], at: usize) -> Result<u16> {
    bytes_at(bytes, at).map(u16::from_le_bytes)
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Result<u32> {
    bytes_at(bytes, at).map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Result<u64> {
    bytes_at(bytes, at).map(u64::from_le_bytes)
}

/// An entry of the dynamic section.
#[derive(Debug, Clone, Copy)]
pub struct Dynamic {
    /// What it is, one of [`dynamic_tag`] where that matters here.
    pub tag: u64,
    /// A number, an address, or a place in the table of texts.
    pub value: u64,
}

/// A part of the file that is mapped into memory.
struct Segment {
    offset: u64,
    address: u64,
    size: u64,
}

/// The tables of a shared library.
pub struct Elf<'a> {
    bytes: &'a [u8],
    segments: Vec<Segment>,
    dynamic: Vec<Dynamic>,
    /// Where the table of texts begins and ends.
    texts: (usize, usize),
}

impl<'a> Elf<'a> {
    /// Reads the headers of a file whose first bytes were checked already.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidFile`] with the offset.
    pub fn read(bytes: &'a [u8]) -> Result<Self> {
        let mut elf = Elf {
            bytes,
            segments: Vec::new(),
            dynamic: Vec::new(),
            texts: (0, 0),
        };
        let section = elf.read_segments()?;
        elf.read_dynamic(section)?;
        let start = elf.place(elf.need(tag::STRTAB, "a table of texts")?)?;
        let size = elf.need(tag::STRSZ, "the size of its table of texts")?;
        elf.texts = (start, elf.end(start, size, "the table of texts")?);
        match elf.get(tag::SYMENT) {
            None | Some(24) => Ok(elf),
            Some(other) => {
                let message = format!("a symbol has 24 bytes, found {other}");
                Err(fault(section.0, &message))
            }
        }
    }

    /// Reads the program header; returns the place and size of the dynamic section.
    fn read_segments(&mut self) -> Result<(usize, usize)> {
        let bytes = self.bytes;
        let (size, count) = (u16_at(bytes, 54)?, u16_at(bytes, 56)?);
        if usize::from(size) != SEGMENT_SIZE {
            let message =
                format!("an entry of the program header has {SEGMENT_SIZE} bytes, found {size}");
            return Err(fault(54, &message));
        }
        let table = usize::try_from(u64_at(bytes, 32)?).unwrap_or(usize::MAX);
        let mut section = None;
        for position in 0..usize::from(count) {
            let at = table.saturating_add(position * SEGMENT_SIZE);
            let field = |field: usize| u64_at(bytes, at.saturating_add(8 * field));
            let [offset, address, size, memory] = [field(1)?, field(2)?, field(4)?, field(5)?];
            let kind = u32_at(bytes, at)?;
            if !matches!(kind, LOAD | DYNAMIC) {
                continue;
            }
            let end = offset.checked_add(size);
            if end.is_none_or(|end| end > bytes.len() as u64) {
                let end = bytes.len();
                let message =
                    format!("a segment takes {size} bytes from {offset}, the file ends at {end}");
                return Err(fault(at, &message));
            }
            if kind == DYNAMIC {
                section = Some((offset as usize, size as usize));
                continue;
            }
            if memory < size || address.checked_add(memory).is_none() {
                let message = format!(
                    "a segment of {size} bytes takes {memory} bytes of memory from {address:#x}"
                );
                return Err(fault(at, &message));
            }
            self.segments.push(Segment {
                offset,
                address,
                size,
            });
        }
        section.ok_or_else(|| {
            fault(
                32,
                "the file has no dynamic section: it was not linked with `-shared`",
            )
        })
    }

    fn read_dynamic(&mut self, (start, size): (usize, usize)) -> Result<()> {
        for at in (start..start + size / 16 * 16).step_by(16) {
            let entry = Dynamic {
                tag: u64_at(self.bytes, at)?,
                value: u64_at(self.bytes, at + 8)?,
            };
            if entry.tag == tag::NULL {
                break;
            }
            if entry.tag == tag::FLAGS_1 && entry.value & FLAG_PROGRAM != 0 {
                return Err(fault(at, "the file is a program; link it with `-shared`"));
            }
            self.dynamic.push(entry);
        }
        Ok(())
    }

    /// The entries of the dynamic section.
    pub fn dynamic(&self) -> &[Dynamic] {
        &self.dynamic
    }

    fn get(&self, wanted: u64) -> Option<u64> {
        let found = self.dynamic.iter().rev().find(|entry| entry.tag == wanted);
        found.map(|entry| entry.value)
    }

    fn need(&self, wanted: u64, what: &str) -> Result<u64> {
        self.get(wanted).ok_or_else(|| {
            let message = format!("the dynamic section does not name {what}");
            Error::new(ErrorKind::InvalidFile, message)
        })
    }

    /// The place in the file of what is mapped to an address.
    fn place(&self, address: u64) -> Result<usize> {
        let inside = |segment: &&Segment| {
            let into = address.checked_sub(segment.address);
            into.is_some_and(|into| into < segment.size)
        };
        let segment = self.segments.iter().find(inside);
        let place = segment.map(|segment| (segment.offset + (address - segment.address)) as usize);
        place.ok_or_else(|| {
            let message =
                format!("address {address:#x} lies in no part of the file that is mapped");
            Error::new(ErrorKind::InvalidFile, message)
        })
    }

    /// Where a table ends that has `size` bytes.
    fn end(&self, start: usize, size: u64, what: &str) -> Result<usize> {
        let end = usize::try_from(size)
            .ok()
            .and_then(|size| start.checked_add(size));
        let end = end.filter(|end| *end <= self.bytes.len());
        end.ok_or_else(|| {
            fault(
                start,
                &format!("{what} has {size} bytes, more than are in the file"),
            )
        })
    }

    /// A text of the table of texts, and its place in the file.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidFile`] when it is not in the table, or does not end there.
    pub fn text(&self, at: u64) -> Result<(usize, &'a [u8])> {
        let (start, end) = self.texts;
        let place = usize::try_from(at)
            .ok()
            .and_then(|at| start.checked_add(at));
        let Some(place) = place.filter(|place| *place < end) else {
            return Err(fault(
                start,
                &format!("a text at {at} lies outside of the table of texts"),
            ));
        };
        let rest = &self.bytes[place..end];
        match rest.iter().position(|byte| *byte == 0) {
            Some(length) => Ok((place, &rest[..length])),
            None => Err(fault(
                place,
                "a text does not end before the table of texts does",
            )),
        }
    }

    /// All symbols that the dynamic linker looks at, in order; the first is none.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidFile`] with the offset.
    pub fn symbols(&self) -> Result<Vec<Symbol<'a>>> {
        let table = self.place(self.need(tag::SYMTAB, "a table of symbols")?)?;
        let mut count = self.symbol_count()?;
        self.relocations(|_, symbol| count = count.max(u64::from(symbol) + 1))?;
        let room = ((self.bytes.len() - table) / SYMBOL_SIZE) as u64;
        if count > room {
            let message = format!("{count} symbols, there is room for {room} in the file");
            return Err(fault(table, &message));
        }
        let places = (0..count as usize).map(|position| table + position * SYMBOL_SIZE);
        places
            .map(|at| Symbol::read(self, self.bytes, at))
            .collect()
    }

    /// How many symbols the tables for looking them up know of.
    fn symbol_count(&self) -> Result<u64> {
        if let Some(address) = self.get(tag::HASH) {
            let at = self.place(address)?;
            return u32_at(self.bytes, at + 4).map(u64::from);
        }
        let table = self.need(tag::GNU_HASH, "a table of hashes")?;
        self.gnu_count(self.place(table)?)
    }

    /// The last symbol is the last of the chain that begins furthest behind.
    fn gnu_count(&self, at: usize) -> Result<u64> {
        let bytes = self.bytes;
        let [buckets, first, filters] = [
            u32_at(bytes, at)?,
            u32_at(bytes, at + 4)?,
            u32_at(bytes, at + 8)?,
        ];
        let start = at as u64 + 16 + u64::from(filters) * 8;
        let chains = start + u64::from(buckets) * 4;
        if chains > bytes.len() as u64 {
            let message = format!(
                "a table of {buckets} hashes and {filters} filters ends outside of the file"
            );
            return Err(fault(at, &message));
        }
        let mut last = 0;
        for position in 0..u64::from(buckets) {
            last = last.max(u32_at(bytes, (start + position * 4) as usize)?);
        }
        if last < first || last == 0 {
            return Ok(first.into());
        }
        // Reading past the end of the file ends this.
        let mut last = u64::from(last);
        loop {
            let hash = u32_at(bytes, (chains + (last - u64::from(first)) * 4) as usize)?;
            last += 1;
            if hash & 1 == 1 {
                return Ok(last);
            }
        }
    }

    /// Goes through the places that the dynamic linker stores addresses of symbols in.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidFile`] with the offset.
    pub fn relocations(&self, mut each: impl FnMut(u64, u32)) -> Result<()> {
        for (table, size) in [(tag::RELA, tag::RELASZ), (tag::JMPREL, tag::PLTRELSZ)] {
            let (Some(address), Some(size @ 1..)) = (self.get(table), self.get(size)) else {
                continue;
            };
            let start = self.place(address)?;
            let end = self.end(start, size, "a table of relocations")?;
            for at in (start..end).step_by(RELOCATION_SIZE) {
                let (address, info) = (u64_at(self.bytes, at)?, u64_at(self.bytes, at + 8)?);
                let symbol = (info >> 32) as u32;
                if symbol != 0 {
                    each(address, symbol);
                }
            }
        }
        Ok(())
    }
}
