//! Small shared libraries, made in memory: one that has functions at given addresses, one that ties others together.
//!
//! ```text
//! header, three entries of the program header, dynamic section, symbols, hashes, texts
//! ```
//! They hold no code. A symbol is *absolute*: its value is the address itself, wherever the library is mapped.

use super::elf::dynamic_tag as tag;
use super::format::OWN_MACHINE;

const DYNAMIC_AT: usize = 64 + 3 * 56;
/// Global, a function.
const FUNCTION: u8 = 1 << 4 | 2;
const ABSOLUTE: u16 = 0xfff1;

/// What a library says of itself.
#[derive(Debug, Default)]
pub struct Library<'a> {
    /// The name by which others need it.
    pub name: Option<&'a str>,
    /// Libraries that it needs itself.
    pub needed: &'a [&'a str],
    /// Functions and where they are.
    pub functions: &'a [(String, u64)],
}

impl Library<'_> {
    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut texts = Texts(vec![0]);
        let mut dynamic: Vec<(u64, u64)> = Vec::new();
        dynamic.extend(
            self.needed
                .iter()
                .map(|name| (tag::NEEDED, texts.add(name))),
        );
        dynamic.extend(self.name.map(|name| (tag::SONAME, texts.add(name))));
        let mut symbols = vec![0; 24];
        for (name, address) in self.functions {
            symbols.extend((texts.add(name) as u32).to_le_bytes());
            symbols.extend([FUNCTION, 0]);
            symbols.extend(ABSOLUTE.to_le_bytes());
            symbols.extend(address.to_le_bytes());
            symbols.extend(0u64.to_le_bytes());
        }
        let hashes = self.hashes();
        let symbols_at = DYNAMIC_AT + 16 * (dynamic.len() + 6);
        let hashes_at = symbols_at + symbols.len();
        let texts_at = hashes_at + hashes.len();
        dynamic.extend([
            (tag::HASH, hashes_at as u64),
            (tag::SYMTAB, symbols_at as u64),
            (tag::SYMENT, 24),
            (tag::STRTAB, texts_at as u64),
            (tag::STRSZ, texts.0.len() as u64),
            (tag::NULL, 0),
        ]);
        let mut bytes = header(16 * dynamic.len(), texts_at + texts.0.len());
        for (tag, value) in dynamic {
            bytes.extend(tag.to_le_bytes());
            bytes.extend(value.to_le_bytes());
        }
        bytes.extend(symbols);
        bytes.extend(hashes);
        bytes.extend(texts.0);
        bytes
    }

    /// The table by which symbols are looked up: buckets, then chains.
    fn hashes(&self) -> Vec<u8> {
        let count = self.functions.len() + 1;
        let mut words = vec![0u32; 2 + 2 * count];
        words[0] = count as u32;
        words[1] = count as u32;
        for (position, (name, _)) in self.functions.iter().enumerate() {
            let bucket = 2 + hash(name.as_bytes()) as usize % count;
            words[2 + count + position + 1] = words[bucket];
            words[bucket] = position as u32 + 1;
        }
        words.into_iter().flat_map(u32::to_le_bytes).collect()
    }
}

struct Texts(Vec<u8>);

impl Texts {
    fn add(&mut self, text: &str) -> u64 {
        let at = self.0.len() as u64;
        self.0.extend(text.bytes());
        self.0.push(0);
        at
    }
}

/// The hash of a name that the format prescribes.
fn hash(name: &[u8]) -> u32 {
    name.iter().fold(0, |hash: u32, byte| {
        let hash = (hash << 4).wrapping_add((*byte).into());
        let high = hash & 0xf000_0000;
        (hash ^ high >> 24) & !high
    })
}

fn header(dynamic_size: usize, size: usize) -> Vec<u8> {
    const READ_WRITE: u32 = 6;
    const STACK: u32 = 0x6474_e551;
    let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
    bytes.resize(16, 0);
    bytes.extend(3u16.to_le_bytes());
    bytes.extend(OWN_MACHINE.to_le_bytes());
    bytes.extend(1u32.to_le_bytes());
    for word in [0u64, 64, 0] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(0u32.to_le_bytes());
    for half in [64u16, 56, 3, 64, 0, 0] {
        bytes.extend(half.to_le_bytes());
    }
    // All of it, writable because old dynamic linkers write into the dynamic section; then that; then that the stack holds no code.
    let segments = [
        (1, 0, size, 65536u64),
        (2, DYNAMIC_AT, dynamic_size, 8),
        (STACK, 0, 0, 16),
    ];
    for (kind, at, size, alignment) in segments {
        bytes.extend(u32::to_le_bytes(kind));
        bytes.extend(READ_WRITE.to_le_bytes());
        for word in [at, at, at, size, size] {
            bytes.extend((word as u64).to_le_bytes());
        }
        bytes.extend(alignment.to_le_bytes());
    }
    bytes
}
