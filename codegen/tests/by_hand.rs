//! What is written by hand in a language: its docs and types come from the spec, and nothing else of it is printed.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

use std::path::Path;

use tenspan_codegen::generate::generate;
use tenspan_codegen::{backend, load_spec};

/// What all backends print.
fn printed(path: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/by_hand");
    let spec = load_spec(&folder).unwrap_or_else(|error| panic!("{error}"));
    let files = generate(&folder, spec, &backend::all(&folder));
    let files = files.unwrap_or_else(|error| panic!("{error}"));
    files
        .get(path)
        .unwrap_or_else(|| panic!("{path} is not printed"))
        .to_owned()
}

/// Fails unless every line of `wanted` stands in `text`, in this order; indentation aside.
#[track_caller]
fn assert_lines(text: &str, wanted: &str) {
    let mut lines = text.lines().map(str::trim);
    for line in wanted
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        assert!(
            lines.any(|found| found == line),
            "`{line}` is missing, or not in this order, in\n{text}"
        );
    }
}

#[test]
fn what_is_written_by_hand_has_docs_and_types_by_the_spec() {
    assert_lines(
        &printed("bind-python/python/tenspan/__init__.py"),
        r#"
        from tenspan import _shapes
        from tenspan._shapes import Fault
        "Fault",
        "shaped",
        @marked
        def shaped(shape, /, *, way='x'):
        Takes a shape, each language in its way.
        Parameters
        shape : object
        A shape.
        Examples
        >>> @tenspan.shaped
        ... class Round:
        ...     pass
        >>> assert Round
        return _shapes.shaped(shape, way=way)
        "#,
    );
    assert_lines(
        &printed("bind-python/python/tenspan/__init__.pyi"),
        r#"
        reshaped,
        "shaped",
        @overload
        @marked
        def shaped(shape: str, /) -> int | None: ...
        @overload
        def shaped(shape: type[int], /, *, way: str = 'x') -> int:
        "#,
    );
    assert_lines(
        &printed("bind-python/python/tenspan/_tenspan.pyi"),
        r#"
        "reshaped",
        def reshaped(shape: Any) -> None:
        Takes a shape as well.
        "#,
    );
    assert_lines(
        &printed("bind-node/js/index.cjs"),
        "
        const { ThingFault, shaped } = require('./shapes.cjs');
        ThingFault,
        shaped,
        ",
    );
    assert_lines(
        &printed("bind-node/js/index.d.cts"),
        "
        export interface Shaping {
        corners?: 0 | 3;
        * Takes a shape, each language in its way.
        * @param shape - A shape.
        * @throws {@link TenspanError}
        * @example
        * shaped(class Round {}, { corners: 0 });
        export declare function shaped<S>(shape: S, way?: Shaping): S;
        ",
    );
    assert_lines(
        &printed("docs/reference/shapes.md"),
        r#"
        | Python | `Fault` |
        | Node.js | `ThingFault` |
        | Rust | `Fault` |
        ### shaped
        | Python | `tenspan.shaped(shape: str, /) -> int \| None` |
        | Node.js | `shaped<S>(shape: S, way?: Shaping): S` |
        | C++ | `template <class S> void tenspan::shaped()` |
        ```python
        @tenspan.shaped
        ## Shaping
        Not in Rust, Python, C++.
        | `corners` | `corners?: 0 \| 3` | 3 | How many. |
        "#,
    );
}

#[test]
fn what_is_written_by_hand_is_printed_nowhere_else() {
    let elsewhere = [
        "core/src/generated/dispatch.rs",
        "core/src/generated/dictionaries.rs",
        "bind-python/src/generated/functions.rs",
        "bind-python/python/tenspan/typing.py",
        "bind-cpp/include/tenspan/shapes.hpp",
    ];
    for path in elsewhere {
        let text = printed(path);
        for name in ["shaped", "Shaping", "Fault"] {
            assert!(!text.contains(name), "`{name}` is in {path}");
        }
    }
}
