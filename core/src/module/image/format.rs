//! What a file is that was given for a module, told by its first bytes.

use super::elf::{HEADER_SIZE, fault, u16_at};
use crate::error::{Error, ErrorKind, Result};

/// Formats that are mistaken for modules, by how they begin.
const OTHERS: &[(&[u8], &str)] = &[
    (b"MZ", "a program or library of Windows"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O file, for macOS"),
    (b"\xce\xfa\xed\xfe", "a Mach-O file of 32 bits, for macOS"),
    (b"\xfe\xed\xfa\xcf", "a Mach-O file, for macOS"),
    (b"\xfe\xed\xfa\xce", "a Mach-O file of 32 bits, for macOS"),
    (b"\xca\xfe\xba\xbe", "a universal Mach-O file, for macOS"),
    (b"#!", "a script"),
    (
        b"!<arch>\n",
        "an archive of object files (.a); link it with `-shared`",
    ),
    (
        b"!<thin>\n",
        "an archive of object files (.a); link it with `-shared`",
    ),
    (
        b"BC\xc0\xde",
        "bitcode of LLVM; compile it and link it with `-shared`",
    ),
    (b"\0asm", "a module of WebAssembly"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a file packed by gzip"),
    (b"GGUF", "a model file (GGUF)"),
    (
        b"/* GNU ld script",
        "a script for the linker; load the library that it names",
    ),
    (
        b"INPUT",
        "a script for the linker; load the library that it names",
    ),
    (
        b"GROUP",
        "a script for the linker; load the library that it names",
    ),
];

const X86_64: u16 = 62;
const AARCH64: u16 = 183;

/// The machine that this process runs on, by its number in ELF files.
pub(super) const OWN_MACHINE: u16 = if cfg!(target_arch = "aarch64") {
    AARCH64
} else {
    X86_64
};

/// Whether the bytes begin as a shared library for this machine does.
///
/// # Errors
/// [`ErrorKind::InvalidFile`] with what the file is, as far as that can be told.
pub fn check(bytes: &[u8]) -> Result<()> {
    const MAGIC: &[u8] = b"\x7fELF";
    if bytes.is_empty() {
        return Err(no_module("the file is empty"));
    }
    if bytes.len() < HEADER_SIZE && (bytes.starts_with(MAGIC) || MAGIC.starts_with(bytes)) {
        return Err(fault(bytes.len(), "the file ends inside of its header"));
    }
    if !bytes.starts_with(MAGIC) {
        let known = OTHERS.iter().find(|(start, _)| bytes.starts_with(start));
        return Err(no_module(&match known {
            Some((_, what)) => format!("the file is {what}"),
            None => format!("the file begins with {}", shown(bytes)),
        }));
    }
    match bytes[4] {
        2 => {}
        1 => {
            return Err(no_module(
                "the file is a library of 32 bits, the process has 64",
            ));
        }
        other => return Err(fault(4, &format!("the class is 1 or 2, found {other}"))),
    }
    match bytes[5] {
        1 => {}
        2 => return Err(no_module("the file is a library for big-endian machines")),
        other => {
            return Err(fault(
                5,
                &format!("the byte order is 1 or 2, found {other}"),
            ));
        }
    }
    if bytes[6] != 1 {
        return Err(fault(
            6,
            &format!("the version of the format is 1, found {}", bytes[6]),
        ));
    }
    let machine = u16_at(bytes, 18)?;
    if machine != OWN_MACHINE {
        let (found, own) = (machine_name(machine), machine_name(OWN_MACHINE));
        return Err(no_module(&format!(
            "the file is for {found}, the process runs on {own}"
        )));
    }
    match u16_at(bytes, 16)? {
        3 => Ok(()),
        1 => Err(no_module(
            "the file is an object file (.o); link it with `-shared`",
        )),
        2 => Err(no_module("the file is a program; link it with `-shared`")),
        4 => Err(no_module("the file is a core dump")),
        other => Err(fault(
            16,
            &format!("the type of a shared library is 3, found {other}"),
        )),
    }
}

fn no_module(what: &str) -> Error {
    let message = format!("{what}; a compiled module is a shared library (.so)");
    Error::new(ErrorKind::InvalidFile, message)
}

fn machine_name(machine: u16) -> String {
    let known = match machine {
        3 => "x86 (32 bits)",
        8 => "MIPS",
        20 | 21 => "PowerPC",
        22 => "S/390",
        40 => "ARM (32 bits)",
        X86_64 => "x86-64",
        AARCH64 => "ARM64",
        190 => "a GPU of NVIDIA",
        224 => "a GPU of AMD",
        243 => "RISC-V",
        258 => "LoongArch",
        other => return format!("machine {other}"),
    };
    known.to_owned()
}

/// The first bytes for a message.
fn shown(bytes: &[u8]) -> String {
    let start = &bytes[..bytes.len().min(8)];
    let printable =
        |byte: &u8| (b' '..=b'~').contains(byte) || matches!(byte, b'\n' | b'\r' | b'\t');
    match std::str::from_utf8(start) {
        Ok(text) if start.iter().all(printable) => format!("the text {text:?}"),
        _ => {
            let bytes: Vec<String> = start.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("the bytes {}", bytes.join(" "))
        }
    }
}
