//! Compiled modules: their files read and adjusted, however broken; loaded, called, left and refused.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::path::{Path, PathBuf};

use tenspan::generated::dictionaries::LoadModuleOptions;
use tenspan::module::image::{self, Image, Names};
use tenspan::value::{Any, Kind};
use tenspan::{Error, ErrorKind, Function, Module, load_module, system_lib};

const MODULES: [&str; 3] = ["gnu.so", "sysv.so", "apart.so"];

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tests/vectors/modules")
        .join(name)
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(path(name)).expect("a vector")
}

fn names() -> Names {
    Names {
        library: "libabcdefg.so".to_owned(),
        prefix: "ABCDEF".to_owned(),
    }
}

fn adjust(name: &str) -> Image {
    image::adjust(bytes(name), &names()).expect("a module")
}

fn load(path: &Path) -> tenspan::Result<Module> {
    load_module(path.to_str().expect("text"), &LoadModuleOptions::default())
}

fn refused(bytes: &[u8]) -> Error {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bad.so");
    std::fs::write(&file, bytes).expect("written");
    load(&file).expect_err("refused")
}

fn number(value: &Any) -> i64 {
    match value.kind() {
        Kind::Int(number) => number,
        _ => panic!("no integer: {}", value.view().type_name()),
    }
}

/// Every `old` of a file as `new`, of the same length.
fn replaced(bytes: &[u8], old: &str, new: &str) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let mut bytes = bytes.to_vec();
    let places: Vec<usize> = (0..bytes.len() - old.len())
        .filter(|at| bytes[*at..].starts_with(old.as_bytes()))
        .collect();
    assert!(!places.is_empty(), "{old} is not there");
    for at in places {
        bytes[at..at + new.len()].copy_from_slice(new.as_bytes());
    }
    bytes
}

#[test]
fn a_module_is_adjusted() {
    for name in MODULES {
        let image = adjust(name);
        let imports: Vec<_> = image
            .imports
            .iter()
            .map(|import| (import.name.as_str(), import.is_weak))
            .collect();
        assert!(
            imports.contains(&("ErrorSetRaisedFromCStr", false)),
            "{name}: {imports:?}"
        );
        assert!(
            imports.contains(&("EnvGetStream", true)),
            "{name}: {imports:?}"
        );
        assert_eq!(image.slots.len(), 2, "{name}");
        assert_eq!(image.is_linked, name != "apart.so");
        assert_eq!(image.functions(), ["add", "has_streams", "seven"], "{name}");
        let text = String::from_utf8_lossy(&image.bytes);
        assert!(
            text.contains("ABCDEFErrorSetRaisedFromCStr") && !text.contains("TVMFFI"),
            "{name}"
        );
        assert_eq!(text.contains("libabcdefg.so"), name != "apart.so");
        // As long as before, and what was changed does not change again.
        assert_eq!(image.bytes.len(), bytes(name).len());
        let again = image::adjust(image.bytes.clone(), &names()).expect("still a module");
        assert!(
            again.imports.is_empty() && again.bytes == image.bytes,
            "{name}"
        );
    }
}

#[test]
fn what_is_unique_in_the_process_becomes_local() {
    for name in MODULES {
        let (before, after) = (bytes(name), adjust(name).bytes);
        let changed: Vec<usize> = (0..before.len())
            .filter(|at| before[*at] != after[*at])
            .collect();
        // A unique symbol (binding 10) becomes a weak (2) hidden (2) one, a weak one hidden.
        let weak = changed
            .iter()
            .filter(|at| before[**at] >> 4 == 10 && after[**at] >> 4 == 2)
            .count();
        let hidden = changed
            .iter()
            .filter(|at| before[**at] == 0 && after[**at] == 2)
            .count();
        assert_eq!((weak, hidden), (1, 2), "{name}");
    }
}

#[test]
fn a_made_library_fits_pages_of_any_size_and_wants_no_code_on_the_stack() {
    let library = image::made::Library {
        name: Some("own.so"),
        ..Default::default()
    };
    let bytes = library.bytes();
    let segment = |position: usize| &bytes[64 + 56 * position..][..56];
    assert_eq!(segment(0)[48..], 65536u64.to_le_bytes());
    // Read and written, not executed.
    let stack = [0x6474_e551u32, 6].map(u32::to_le_bytes);
    assert_eq!(segment(2)[..8], *stack.as_flattened());
}

#[test]
fn no_byte_of_a_file_is_believed() {
    for name in MODULES {
        let good = bytes(name);
        for at in 0..good.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff, good[at] ^ 1, good[at] ^ 0x40] {
                let mut bad = good.clone();
                bad[at] = value;
                if let Err(error) = image::adjust(bad, &names()) {
                    let kinds = [ErrorKind::InvalidFile, ErrorKind::RuntimeError];
                    assert!(kinds.contains(&error.kind()), "{name}, byte {at}: {error}");
                }
            }
        }
    }
}

#[test]
fn no_number_of_a_file_is_believed() {
    for name in MODULES {
        let good = bytes(name);
        for at in (0..good.len() - 8).step_by(4) {
            for value in [
                u64::MAX,
                i64::MAX as u64,
                1 << 63,
                0xffff_ffff,
                0x7fff_fff8,
                good.len() as u64,
                u64::MAX - 7,
            ] {
                let mut bad = good.clone();
                bad[at..at + 8].copy_from_slice(&value.to_le_bytes());
                let _ = image::adjust(bad.clone(), &names());
                bad = good.clone();
                bad[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes());
                let _ = image::adjust(bad, &names());
            }
        }
    }
}

#[test]
fn a_file_that_ends_too_early_is_refused_or_whole() {
    for name in MODULES {
        let good = bytes(name);
        for length in 0..good.len() {
            match image::adjust(good[..length].to_vec(), &names()) {
                Err(error) => assert_eq!(
                    error.kind(),
                    ErrorKind::InvalidFile,
                    "{name} of {length}: {error}"
                ),
                // What follows the last part that is mapped is the section header, which nobody needs.
                Ok(_) => assert!(length > 4096, "{name} of {length}"),
            }
        }
    }
}

#[test]
fn other_files_are_told_apart() {
    let elf = bytes("gnu.so");
    let changed = |at: usize, value: u8| {
        let mut bytes = elf.clone();
        bytes[at] = value;
        bytes
    };
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (vec![], "the file is empty"),
        (b"#!/bin/sh\n".to_vec(), "a script"),
        (b"MZ\x90\0".to_vec(), "Windows"),
        (b"\xcf\xfa\xed\xfe\0\0\0\0".to_vec(), "Mach-O"),
        (b"!<arch>\nfoo".to_vec(), "archive of object files"),
        (b"GROUP ( libm.so.6 )".to_vec(), "script for the linker"),
        (b"\0asm\x01\0\0\0".to_vec(), "WebAssembly"),
        (
            b"hello\nworld".to_vec(),
            "begins with the text \"hello\\nwo\"",
        ),
        (b"\x80\x81\x82".to_vec(), "begins with the bytes 80 81 82"),
        (
            elf[..20].to_vec(),
            "offset 20: the file ends inside of its header",
        ),
        (
            b"\x7fEL".to_vec(),
            "offset 3: the file ends inside of its header",
        ),
        (changed(4, 1), "32 bits"),
        (changed(4, 9), "offset 4"),
        (changed(5, 2), "big-endian"),
        (changed(6, 7), "offset 6"),
        (changed(16, 1), "object file (.o)"),
        (changed(16, 2), "is a program"),
        (changed(16, 4), "core dump"),
        (
            changed(18, 183),
            "the file is for ARM64, the process runs on x86-64",
        ),
        (changed(18, 243), "RISC-V"),
    ];
    for (bytes, wanted) in cases {
        let error = refused(&bytes);
        assert_eq!(error.kind(), ErrorKind::InvalidFile, "{error}");
        assert!(error.message().contains(wanted), "{error}, not {wanted}");
        assert!(error.message().contains("bad.so: "), "{error}");
    }
}

#[test]
fn a_file_that_is_not_there_is_named_with_a_near_one() {
    let error = load(&path("gnus.so")).expect_err("an error");
    assert_eq!(error.kind(), ErrorKind::OSError);
    assert!(
        error
            .message()
            .ends_with("there is no such file; did you mean `gnu.so`?"),
        "{error}"
    );
    let error = load(&path("")).expect_err("an error");
    assert!(error.message().contains("it is a folder"), "{error}");
    let error = load(Path::new("/nowhere/at/all.so")).expect_err("an error");
    assert!(
        error
            .message()
            .contains("there is no folder /nowhere/at either"),
        "{error}"
    );
    let error = load(Path::new("/dev/null")).expect_err("an error");
    assert!(error.message().contains("it is not a file"), "{error}");
}

#[test]
fn a_module_that_needs_the_library_itself_is_refused() {
    let needs = replaced(
        &bytes("gnu.so"),
        "TVMFFIErrorSetRaisedFromCStr",
        "_ZN3tvm3ffi9ModuleObj3BarEvv",
    );
    let error = refused(&needs);
    assert_eq!(error.kind(), ErrorKind::RuntimeError);
    assert!(
        error
            .message()
            .contains("needs 1 C++ symbol of libtvm_ffi.so itself"),
        "{error}"
    );
    let newer = replaced(
        &bytes("gnu.so"),
        "TVMFFIErrorSetRaisedFromCStr",
        "TVMFFIErrorSetRaisedFromHell",
    );
    let error = refused(&newer);
    assert_eq!(error.kind(), ErrorKind::RuntimeError);
    assert!(
        error
            .message()
            .contains("another version of the ABI: it needs `TVMFFIErrorSetRaisedFromHell`"),
        "{error}"
    );
}

#[test]
fn functions_are_called() {
    for name in MODULES {
        let module = load(&path(name)).unwrap_or_else(|error| panic!("{error}"));
        let add = module.get_function("add", false).expect("a function");
        assert_eq!(
            number(&add.call(&[Any::int(2), Any::int(3)]).expect("a sum")),
            5
        );
        let error = add.call(&[Any::int(2)]).expect_err("one argument");
        assert_eq!(
            (error.kind(), error.message()),
            (ErrorKind::TypeError, "add takes 2 arguments"),
            "{name}"
        );
        assert_eq!(
            number(
                &module
                    .get("seven")
                    .expect("found")
                    .expect("there")
                    .call(&[])
                    .expect("seven")
            ),
            7
        );
        let streams = module
            .get_function("has_streams", true)
            .expect("a function");
        assert!(
            matches!(
                streams.call(&[]).expect("a boolean").kind(),
                Kind::Bool(true)
            ),
            "{name}"
        );
        assert_eq!(
            module.get_function_doc("seven").expect("docs").as_deref(),
            Some("seven")
        );
        assert_eq!(module.get_function_doc("add").expect("no docs"), None);
        assert!(
            module.implements_function("add", false) && !module.implements_function("ad", true)
        );
        assert_eq!((module.kind(), module.len()), ("library", 3));
        let error = module.get_function("seve", true).expect_err("an error");
        assert_eq!(error.kind(), ErrorKind::AttributeError);
        assert!(
            error
                .message()
                .ends_with("has no function `seve`; did you mean `seven`?"),
            "{error}"
        );
    }
}

#[test]
fn a_file_can_be_opened_in_place() {
    for name in MODULES {
        let file = path(name);
        let options = LoadModuleOptions {
            in_place: true,
            ..LoadModuleOptions::default()
        };
        let module = load_module(file.to_str().expect("text"), &options)
            .unwrap_or_else(|error| panic!("{error}"));
        let add = module.get_function("add", false).expect("a function");
        assert_eq!(
            add.call(&[]).expect_err("no arguments").kind(),
            ErrorKind::TypeError
        );
        let maps = std::fs::read_to_string("/proc/self/maps").expect("maps");
        assert!(maps.contains(&format!("vectors/modules/{name}")), "{name}");
    }
}

#[test]
fn a_module_goes_after_its_last_function() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("leaves.so");
    std::fs::copy(path("gnu.so"), &file).expect("copied");
    let is_there = || {
        std::fs::read_to_string("/proc/self/maps")
            .expect("maps")
            .contains("tenspan:leaves.so")
    };
    let options = LoadModuleOptions {
        keep_alive: false,
        ..LoadModuleOptions::default()
    };
    let load = || load_module(file.to_str().expect("text"), &options).expect("a module");
    let module = load();
    let add: Function = module.get_function("add", false).expect("a function");
    drop(module);
    assert!(is_there());
    assert_eq!(
        number(&add.call(&[Any::int(1), Any::int(1)]).expect("a sum")),
        2
    );
    assert!(add.call(&[]).is_err());
    drop(add);
    assert!(!is_there());
    // What may call back, or hold what the module makes, keeps it.
    let add = load().get_function("add", false).expect("a function");
    let callback = Any::object(Function::new(|_| Ok(Any::NONE)).object().clone());
    let _ = add.call(&[callback, Any::NONE]);
    drop(add);
    assert!(is_there());
}

#[test]
fn modules_import_each_other_in_no_circle() {
    let modules: Vec<Module> = MODULES
        .iter()
        .map(|name| load(&path(name)).expect("a module"))
        .collect();
    let [a, b, c] = [&modules[0], &modules[1], &modules[2]];
    a.import_module(b).expect("imported");
    b.import_module(c).expect("imported");
    for circle in [c.import_module(a), c.import_module(b), a.import_module(a)] {
        let error = circle.expect_err("a circle");
        assert_eq!(error.kind(), ErrorKind::ValueError, "{error}");
    }
    assert_eq!(a.imports().len(), 1);
    assert!(a.imports()[0].is(b));
    a.clear_imports();
    assert!(a.imports().is_empty());
    c.import_module(a).expect("no circle any more");
}

#[test]
fn parts_of_the_program_register_their_functions() {
    let empty = system_lib("test.modules.");
    assert_eq!(empty.kind(), "system_lib");
    assert!(empty.is(&system_lib("test.modules.")) && !empty.is(&system_lib("")));
    assert!(empty.keys().is_empty() && empty.path().is_none());
    let error = empty.get_function("nothing", true).expect_err("an error");
    assert_eq!(
        error.message(),
        "the system library with prefix `test.modules.` has no function `nothing`"
    );
}

#[test]
fn many_threads_load_at_once() {
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for name in MODULES {
                    let module = load(&path(name)).expect("a module");
                    let add = module.get_function("add", false).expect("a function");
                    for _ in 0..50 {
                        assert!(add.call(&[]).is_err());
                        assert_eq!(
                            number(&add.call(&[Any::int(2), Any::int(3)]).expect("a sum")),
                            5
                        );
                    }
                }
            });
        }
    });
}
