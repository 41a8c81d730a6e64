//! Modules that are written part by part, each rule of the format kept or broken alone.

use super::elf::dynamic_tag as tag;
use super::*;

const BASE: u64 = 0x40_0000;
const SEGMENTS_AT: usize = 64;
const GLOBAL_FUNCTION: u8 = 1 << 4 | 2;
const WEAK_FUNCTION: u8 = 2 << 4 | 2;
const UNIQUE_OBJECT: u8 = 10 << 4 | 1;

/// A symbol: name, kind and binding, visibility, section.
type Given = (&'static str, u8, u8, u16);

/// What is in a module.
#[derive(Clone, Default)]
struct Draft {
    symbols: Vec<Given>,
    /// Entries of the dynamic section whose value is a text.
    texts: Vec<(u64, &'static str)>,
    /// Other entries, which come last and so win.
    entries: Vec<(u64, u64)>,
    /// Addresses and positions of symbols, of both tables.
    relocations: [Vec<(u64, u32)>; 2],
    /// The table of hashes in the newer form: the first symbol in it, the beginnings of chains, and what they hold.
    hashes: Option<(u32, Vec<u32>, Vec<u32>)>,
}

/// A file, and where its parts are.
struct Made {
    bytes: Vec<u8>,
    symbols_at: usize,
    texts_at: usize,
    texts_size: usize,
}

impl Draft {
    /// A module that takes two functions and has one.
    fn usual() -> Self {
        Draft {
            symbols: vec![
                ("TVMFFIErrorRaise", GLOBAL_FUNCTION, 0, 0),
                ("TVMFFIMaybe", WEAK_FUNCTION, 0, 0),
                ("__tvm_ffi_seven", GLOBAL_FUNCTION, 0, 5),
            ],
            texts: vec![(tag::NEEDED, PUBLIC_LIBRARY), (tag::SONAME, "own.so")],
            relocations: [vec![(0x1000, 0), (0x1008, 2)], vec![(0x1010, 1)]],
            ..Draft::default()
        }
    }

    fn with(mut self, symbol: Given) -> Self {
        self.symbols.push(symbol);
        self
    }

    fn entry(mut self, tag: u64, value: u64) -> Self {
        self.entries.push((tag, value));
        self
    }

    fn made(&self) -> Made {
        let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
        bytes.resize(SEGMENTS_AT + 2 * 56, 0);
        let mut texts = vec![0u8];
        // As linkers do, a text that ends another one is not written again.
        let mut text = |name: &str| {
            let ended: Vec<u8> = name.bytes().chain([0]).collect();
            let known = texts.windows(ended.len()).position(|part| part == ended);
            known.unwrap_or_else(|| {
                texts.extend(&ended);
                texts.len() - ended.len()
            }) as u64
        };
        let mut dynamic: Vec<_> = self
            .texts
            .iter()
            .map(|(t, name)| (*t, text(name)))
            .collect();
        let symbols_at = bytes.len();
        bytes.extend([0; 24]);
        for (name, info, other, section) in &self.symbols {
            bytes.extend((text(name) as u32).to_le_bytes());
            bytes.extend([*info, *other]);
            bytes.extend(section.to_le_bytes());
            bytes.extend([0; 16]);
        }
        let address = |at: usize| BASE + at as u64;
        let words = |bytes: &mut Vec<u8>, words: &[u32]| {
            let at = bytes.len();
            bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
            at
        };
        dynamic.push((tag::SYMTAB, address(symbols_at)));
        match &self.hashes {
            None => {
                // Two buckets, so that their number is not that of the symbols.
                let at = words(&mut bytes, &[2, self.symbols.len() as u32 + 1]);
                dynamic.push((tag::HASH, address(at)));
            }
            Some((first, buckets, chains)) => {
                let head = [buckets.len() as u32, *first, 1, 6, 0, 0];
                let at = words(&mut bytes, &[&head, &**buckets, chains].concat());
                dynamic.push((tag::GNU_HASH, address(at)));
            }
        }
        let tables = [(tag::RELA, tag::RELASZ), (tag::JMPREL, tag::PLTRELSZ)];
        for (rows, (table, size)) in self.relocations.iter().zip(tables) {
            dynamic.extend([
                (table, address(bytes.len())),
                (size, rows.len() as u64 * 24),
            ]);
            for (place, symbol) in rows {
                let info = u64::from(*symbol) << 32 | 6;
                bytes.extend([*place, info, 0].iter().flat_map(|word| word.to_le_bytes()));
            }
        }
        let texts_at = bytes.len();
        dynamic.extend([
            (tag::STRTAB, address(texts_at)),
            (tag::STRSZ, texts.len() as u64),
        ]);
        dynamic.extend(&self.entries);
        dynamic.push((tag::NULL, 0));
        bytes.extend(&texts);
        let dynamic_at = bytes.len();
        for (tag, value) in &dynamic {
            bytes.extend([*tag, *value].iter().flat_map(|word| word.to_le_bytes()));
        }
        let size = bytes.len();
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(16, &3u16.to_le_bytes());
        put(18, &format::OWN_MACHINE.to_le_bytes());
        put(32, &(SEGMENTS_AT as u64).to_le_bytes());
        put(54, &56u16.to_le_bytes());
        put(56, &2u16.to_le_bytes());
        let segments = [(1u32, 0, size), (2, dynamic_at, dynamic.len() * 16)];
        for (position, (kind, at, size)) in segments.into_iter().enumerate() {
            let start = SEGMENTS_AT + 56 * position;
            put(start, &kind.to_le_bytes());
            let fields = [at as u64, address(at), 0, size as u64, size as u64];
            for (field, value) in fields.into_iter().enumerate() {
                put(start + 8 + 8 * field, &value.to_le_bytes());
            }
        }
        Made {
            bytes,
            symbols_at,
            texts_at,
            texts_size: texts.len(),
        }
    }

    fn read(&self) -> Result<Image> {
        self.made().read()
    }
}

impl Made {
    fn read(self) -> Result<Image> {
        let names = Names {
            library: "libabcdefg.so".to_owned(),
            prefix: "ABCDEF".to_owned(),
        };
        adjust(self.bytes, &names)
    }

    /// With other bytes at a place.
    fn put(mut self, at: usize, value: &[u8]) -> Self {
        self.bytes[at..at + value.len()].copy_from_slice(value);
        self
    }

    /// A field of the segment that is loaded: 1 is its offset, 2 its address, 4 its size, 5 that in memory.
    fn segment(self, field: usize, value: u64) -> Self {
        self.put(SEGMENTS_AT + 8 * field, &value.to_le_bytes())
    }
}

fn refused(image: Result<Image>, wanted: &str) {
    match image {
        Ok(_) => panic!("not refused: {wanted}"),
        Err(error) => assert!(error.message().contains(wanted), "{error}, not {wanted}"),
    }
}

fn imports(image: &Image) -> Vec<(&str, bool)> {
    let all = image.imports.iter();
    all.map(|import| (import.name.as_str(), import.is_weak))
        .collect()
}

#[test]
fn a_module_is_read_whole() {
    let made = Draft::usual().made();
    let (before, symbols_at) = (made.bytes.clone(), made.symbols_at);
    let image = made.read().unwrap();
    assert_eq!(imports(&image), [("ErrorRaise", false), ("Maybe", true)]);
    // The address of symbol 0 is nobody's.
    let slots: Vec<_> = image.slots.iter().map(|s| (s.address, s.import)).collect();
    assert_eq!(slots, [(0x1008, 1), (0x1010, 0)]);
    assert_eq!(
        (image.is_linked, image.functions()),
        (true, vec!["seven".to_owned()])
    );
    let texts = ["TVMFFI", "ABCDEF", PUBLIC_LIBRARY, "libabcdefg.so"];
    let count = |text: &str| {
        let windows = image.bytes.windows(text.len());
        windows.filter(|part| *part == text.as_bytes()).count()
    };
    assert_eq!(texts.map(count), [0, 2, 0, 1]);
    // Nothing but names was changed.
    assert_eq!(
        before[symbols_at..symbols_at + 96],
        image.bytes[symbols_at..symbols_at + 96]
    );
}

#[test]
fn segments_lie_in_the_file_and_in_memory() {
    let size = Draft::usual().made().bytes.len() as u64;
    let usual = || Draft::usual().made();
    refused(usual().segment(4, size + 1).read(), "the file ends at");
    refused(usual().segment(1, u64::MAX).read(), "the file ends at");
    refused(usual().segment(5, size - 1).read(), "bytes of memory");
    refused(usual().segment(2, u64::MAX - 8).read(), "bytes of memory");
    refused(
        usual().put(54, &57u16.to_le_bytes()).read(),
        "an entry of the program header has 56 bytes, found 57",
    );
    assert!(usual().segment(5, size + 100).read().is_ok());
}

#[test]
fn tables_lie_in_what_is_mapped_and_end_in_the_file() {
    let made = Draft::usual().made();
    let (end, texts) = (BASE + made.bytes.len() as u64, BASE + made.texts_at as u64);
    let with = |tag: u64, value: u64| Draft::usual().entry(tag, value).read();
    assert!(with(tag::STRTAB, texts).is_ok());
    // An entry more makes the file 16 bytes longer.
    refused(with(tag::STRTAB, end + 16), "lies in no part of the file");
    refused(with(tag::STRTAB, BASE - 1), "lies in no part of the file");
    let room = end + 16 - texts;
    refused(with(tag::STRSZ, room + 1), "more than are in the file");
    refused(with(tag::RELASZ, 1 << 40), "more than are in the file");
    refused(with(tag::SYMENT, 25), "a symbol has 24 bytes, found 25");
    assert!(with(tag::SYMENT, 24).is_ok());
    refused(with(tag::FLAGS_1, 0x0800_0000), "the file is a program");
    assert!(with(tag::FLAGS_1, 1).is_ok());
}

#[test]
fn texts_lie_in_their_table_and_end_there() {
    let usual = || Draft::usual().made();
    let made = usual();
    let (name, size) = (made.symbols_at + 24, made.texts_size as u32);
    for at in [size, size + 1, u32::MAX] {
        let image = usual().put(name, &at.to_le_bytes()).read();
        refused(image, "lies outside of the table of texts");
    }
    let cut = Draft::usual().entry(tag::STRSZ, u64::from(size) - 1).read();
    refused(cut, "a text does not end before");
}

#[test]
fn symbols_are_as_many_as_the_tables_know() {
    let made = Draft::usual().made();
    let hashes_at = made.symbols_at + 4 * 24;
    let much = made.put(hashes_at + 4, &1000u32.to_le_bytes()).read();
    refused(much, "1000 symbols, there is room for");
    // The newer table knows of the second symbol, and that a chain goes on after it; then of none.
    let mut draft = Draft::usual().with(("__tvm_ffi_eight", GLOBAL_FUNCTION, 0, 5));
    draft.hashes = Some((3, vec![0, 3], vec![8, 9]));
    let image = draft.read().unwrap();
    assert_eq!((image.functions().len(), image.imports.len()), (2, 2));
    draft.hashes = Some((3, vec![0, 3], vec![9, 9]));
    assert_eq!(draft.read().unwrap().functions(), ["seven"]);
    // Of symbols that nobody looks up only relocations tell.
    draft.hashes = Some((1, vec![0], vec![]));
    assert_eq!(draft.read().unwrap().imports.len(), 2);
    draft.relocations = Default::default();
    assert_eq!(draft.read().unwrap().imports.len(), 0);
    draft.hashes = Some((1, vec![0; 4], vec![]));
    let at = draft.made().symbols_at + 5 * 24;
    let many = draft.made().put(at, &(1u32 << 20).to_le_bytes()).read();
    refused(many, "ends outside of the file");
}

#[test]
fn only_what_a_module_takes_gets_another_name() {
    let image = Draft::usual()
        .with(("TVMFFIOwn", GLOBAL_FUNCTION, 0, 5))
        .with(("TVMFFILocal", 2, 0, 0))
        .read()
        .unwrap();
    assert_eq!(image.imports.len(), 2);
    let text = String::from_utf8_lossy(&image.bytes);
    assert!(text.contains("TVMFFIOwn") && text.contains("TVMFFILocal"));
}

#[test]
fn other_libraries_and_folders_are_told() {
    let mut draft = Draft::usual();
    draft.texts = vec![
        (tag::NEEDED, "libtvm_ffi.so.1"),
        (tag::NEEDED, "libm.so.6"),
        (tag::RUNPATH, "::$ORIGIN:/opt/a:"),
    ];
    let image = draft.read().unwrap();
    assert_eq!(image.needed, ["libtvm_ffi.so.1", "libm.so.6"]);
    assert_eq!(image.folders, ["$ORIGIN", "/opt/a"]);
    assert!(!image.is_linked);
}

#[test]
fn a_name_that_is_part_of_another_is_not_changed() {
    let mut draft = Draft::usual();
    draft
        .symbols
        .insert(0, ("own_TVMFFIMaybe", GLOBAL_FUNCTION, 0, 5));
    refused(draft.read(), "`Maybe` shares its bytes");
    draft.symbols[0].0 = "own_libtvm_ffi.so";
    draft.texts = vec![
        (tag::SONAME, "own_libtvm_ffi.so"),
        (tag::NEEDED, PUBLIC_LIBRARY),
    ];
    refused(draft.read(), "`libtvm_ffi.so` shares its bytes");
    // One that ends where the other begins is no part of it.
    draft.texts = vec![(tag::NEEDED, PUBLIC_LIBRARY), (tag::RUNPATH, "")];
    draft.symbols[0].0 = "own";
    assert!(draft.read().is_ok());
}

#[test]
fn what_two_copies_would_share_becomes_local() {
    const OTHER_BITS: u8 = 0x60;
    let given = [
        ("unique", UNIQUE_OBJECT, OTHER_BITS, 5),
        ("_ZN3tvm3ffi6ObjectE", WEAK_FUNCTION, OTHER_BITS, 5),
        ("weak", WEAK_FUNCTION, 0, 5),
        ("_ZN3tvm3ffi4weakE", WEAK_FUNCTION, 0, 0),
        ("_ZN3tvm3ffi6globalE", GLOBAL_FUNCTION, 0, 5),
    ];
    let draft = given.into_iter().fold(Draft::usual(), Draft::with);
    let at = draft.made().symbols_at + 4 * 24;
    let image = draft.read().unwrap();
    let found: Vec<_> = (0..given.len())
        .map(|i| [at + i * 24 + symbol::INFO, at + i * 24 + symbol::OTHER])
        .map(|places| places.map(|place| image.bytes[place]))
        .collect();
    let weak_object = 2 << 4 | 1;
    assert_eq!(
        found,
        [
            [weak_object, OTHER_BITS | 2],
            [WEAK_FUNCTION, OTHER_BITS | 2],
            [WEAK_FUNCTION, 0],
            [WEAK_FUNCTION, 0],
            [GLOBAL_FUNCTION, 0],
        ]
    );
}

#[test]
fn a_module_must_not_need_classes_of_the_library() {
    let class = "_ZTIN3tvm3ffi6ObjectE";
    refused(
        Draft::usual().with((class, GLOBAL_FUNCTION, 0, 0)).read(),
        "needs 1 C++ symbol",
    );
    let allowed = [(WEAK_FUNCTION, 0), (GLOBAL_FUNCTION, 5)];
    for (info, section) in allowed {
        let image = Draft::usual().with((class, info, 0, section)).read();
        assert!(image.is_ok(), "{info} {section}");
    }
}

#[test]
fn what_others_see_is_exported() {
    let given = [
        ("__tvm_ffi_hidden", GLOBAL_FUNCTION, 2, 5),
        ("__tvm_ffi_internal", GLOBAL_FUNCTION, 1, 5),
        ("__tvm_ffi_protected", GLOBAL_FUNCTION, 3, 5),
        ("__tvm_ffi_weak", WEAK_FUNCTION, 0, 5),
        ("__tvm_ffi_local", 2, 0, 5),
        ("__tvm_ffi_wanted", GLOBAL_FUNCTION, 0, 0),
    ];
    let image = given.into_iter().fold(Draft::usual(), Draft::with).read();
    assert_eq!(image.unwrap().functions(), ["protected", "seven", "weak"]);
}
