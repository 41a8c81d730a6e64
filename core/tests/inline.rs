//! Inline modules: compiled once, found again, made anew when what they are made of changes.

#![allow(
    unexpected_cfgs,
    reason = "`cargo verify` sets `sanitized` under AddressSanitizer"
)]
// What is loaded is the same as in the tests of modules, and the compiler is another program: nothing for a sanitizer.
#![cfg(not(sanitized))]
#![expect(clippy::unwrap_used, reason = "these are tests")]

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use tenspan::ErrorKind;
use tenspan::cpp::{build, build_inline, include_path};
use tenspan::generated::dictionaries::BuildOptions;
use tenspan::value::{Any, IntoAny};

const ADD: &str = "std::int64_t add(std::int64_t a, std::int64_t b) { return a + b; }";

/// Options that put everything into a folder of the test.
fn within(folder: &Path) -> BuildOptions {
    BuildOptions {
        build_directory: Some(folder.to_str().unwrap().to_owned()),
        ..BuildOptions::default()
    }
}

fn inline(
    name: &str,
    source: &str,
    functions: &str,
    options: &BuildOptions,
) -> tenspan::Result<String> {
    let functions = functions.into_any();
    build_inline(name, &[source.to_owned()], functions.view(), options)
}

fn time(path: &str) -> SystemTime {
    fs::metadata(path).unwrap().modified().unwrap()
}

#[test]
fn a_module_is_compiled_once() {
    let folder = tempfile::tempdir().unwrap();
    let options = within(folder.path());
    let first = inline("once", ADD, "add", &options).unwrap();
    let made = time(&first);
    assert_eq!(inline("once", ADD, "add", &options).unwrap(), first);
    assert_eq!(time(&first), made);
    let other = ADD.replace("a + b", "a - b");
    assert_eq!(inline("once", &other, "add", &options).unwrap(), first);
    assert_ne!(time(&first), made);
    let left: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains(".tmp"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_header_that_changes_makes_the_module_anew() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = within(folder.path());
    let headers = folder.path().join("my headers");
    fs::create_dir(&headers).unwrap();
    let header = headers.join("step.hpp");
    fs::write(&header, "inline long step() { return 1; }\n").unwrap();
    options.extra_include_paths = vec![headers.to_str().unwrap().to_owned()];
    let source = "#include \"step.hpp\"\nstd::int64_t next(std::int64_t a) { return a + step(); }";
    let module = inline("header", source, "next", &options).unwrap();
    let made = time(&module);
    // Written again with the same text: touched, not changed.
    fs::write(&header, "inline long step() { return 1; }\n").unwrap();
    inline("header", source, "next", &options).unwrap();
    assert_eq!(time(&module), made);
    fs::write(&header, "inline long step() { return 2; }\n").unwrap();
    inline("header", source, "next", &options).unwrap();
    assert_ne!(time(&module), made);
}

#[test]
fn several_sources_and_files_make_one_module() {
    let folder = tempfile::tempdir().unwrap();
    let options = within(folder.path());
    let sources = [
        "static std::int64_t two() { return 2; }".to_owned(),
        "std::int64_t twice(std::int64_t a) { return two() * a; }".to_owned(),
    ];
    let functions = vec!["twice".to_owned()].into_any();
    build_inline("sources", &sources, functions.view(), &options).unwrap();
    let files = ["first.cpp", "second.cpp"].map(|name| {
        let path = folder.path().join(name);
        let function = name.trim_end_matches(".cpp");
        let text = format!(
            "#include <tenspan/kernel.hpp>\nTENSPAN_EXPORT({function}, [](std::int64_t a) {{ return a; }});\n"
        );
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let module = build("files", &files, &options).unwrap();
    let bytes = fs::read(module).unwrap();
    for name in ["__tvm_ffi_first", "__tvm_ffi_second", "__tenspan_init"] {
        assert!(
            bytes
                .windows(name.len())
                .any(|part| part == name.as_bytes()),
            "{name}"
        );
    }
}

#[test]
fn what_the_compiler_says_is_in_the_error() {
    let folder = tempfile::tempdir().unwrap();
    let options = within(folder.path());
    let source = "// A line.\nint broken() { return undeclared; }\n";
    let error = inline("broken", source, "broken", &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::CompileFailed);
    let message = error.message();
    assert!(message.contains("broken.cpp:2:"), "{message}");
    assert!(message.contains("undeclared"), "{message}");
    assert!(!folder.path().join("broken.so").exists());
    let error = inline("missing", ADD, "sub", &options).unwrap_err();
    assert!(error.message().contains("sub"), "{}", error.message());
    let mut options = within(folder.path());
    options.extra_ldflags = vec!["-lthere_is_no_such_library".to_owned()];
    let error = inline("unlinked", ADD, "add", &options).unwrap_err();
    assert!(error.message().contains("there_is_no_such_library"));
}

#[test]
fn flags_reach_the_compiler() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = within(folder.path());
    options.extra_cflags = vec!["-DSTEP=3".to_owned()];
    let source = "#if STEP != 3\n#error STEP\n#endif\nstd::int64_t step() { return STEP; }";
    inline("flags", source, "step", &options).unwrap();
    options.extra_cflags = vec!["-DSTEP=4".to_owned()];
    inline("flags", source, "step", &options).unwrap_err();
}

#[test]
fn bad_arguments_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let options = within(folder.path());
    let kind = |result: tenspan::Result<String>| result.unwrap_err().kind();
    for name in ["", "../up", "a b"] {
        assert_eq!(
            kind(inline(name, ADD, "add", &options)),
            ErrorKind::ValueError
        );
    }
    assert_eq!(
        kind(inline("bad", ADD, "add, sub", &options)),
        ErrorKind::ValueError
    );
    assert_eq!(
        kind(build_inline("bad", &[], Any::NONE.view(), &options)),
        ErrorKind::ValueError
    );
    assert_eq!(kind(build("bad", &[], &options)), ErrorKind::ValueError);
    let missing = folder
        .path()
        .join("missing.cpp")
        .to_str()
        .unwrap()
        .to_owned();
    let error = build("bad", &[missing], &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OSError);
    assert!(error.message().contains("missing.cpp"));
}

#[test]
fn threads_that_want_the_same_module_compile_it_once() {
    let folder = tempfile::tempdir().unwrap();
    let options = within(folder.path());
    let paths: Vec<_> = std::thread::scope(|scope| {
        let one = || {
            scope.spawn(|| inline("shared", ADD, "add", &options).map(|path| (time(&path), path)))
        };
        let threads: Vec<_> = (0..4).map(|_| one()).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap().unwrap())
            .collect()
    });
    assert!(paths.iter().all(|path| *path == paths[0]));
}

#[test]
fn the_headers_are_there_for_other_compilers() {
    let folder = include_path().unwrap();
    let header = Path::new(&folder).join("tenspan/kernel.hpp");
    assert!(
        fs::read_to_string(header)
            .unwrap()
            .contains("TENSPAN_EXPORT")
    );
}

/// The order of the table stands in Rust and in C++: it is one.
#[test]
fn the_table_of_functions_is_the_one_of_the_headers() {
    let list = include_str!("../include/tenspan/kernel/functions.hpp");
    let line = |line: &str| {
        let line = line.trim();
        let rest = line.strip_prefix("TABLE(").or(line.strip_prefix("USED("))?;
        let (name, signature) = rest.split_once(',')?;
        let (_, arguments) = signature.split_once(", (")?;
        // Commas between brackets belong to the function that an argument is.
        let mut depth = 0;
        let mut count = usize::from(!arguments.starts_with(')') && !arguments.starts_with("void)"));
        for letter in arguments.chars() {
            match letter {
                '(' => depth += 1,
                ')' if depth == 0 => break,
                ')' => depth -= 1,
                ',' if depth == 0 => count += 1,
                _ => {}
            }
        }
        Some((name.to_owned(), count))
    };
    let found: Vec<(String, usize)> = list.lines().filter_map(line).collect();
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, tenspan::abi::exported::NAMES);
    let list = include_str!("../src/abi/exported.rs");
    for (name, count) in &found {
        let begin = list.find(&format!("        {name} ")).unwrap();
        let signature = list[begin..].split_once('(').unwrap().1;
        let arguments = &signature[..signature.find(')').unwrap()];
        let expected = arguments.matches(": ").count();
        assert_eq!(*count, expected, "{name}");
    }
    let version = format!("api_version = {};", tenspan::abi::exported::API.version);
    let headers = include_str!("../include/tenspan/kernel/functions.hpp");
    assert!(headers.contains(&version));
    let size = tenspan::abi::exported::API.size as usize;
    assert_eq!(size, 8 + names.len() * size_of::<usize>());
}
