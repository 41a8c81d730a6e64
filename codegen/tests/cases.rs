//! The case language against the project's own spec: mistakes and their messages, and what is printed.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

use std::path::Path;

use tenspan_codegen::cases::{self, print, typed};
use tenspan_codegen::ir::Api;
use tenspan_codegen::load;

fn api() -> Api {
    load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("spec")).unwrap()
}

fn read(text: &str) -> Result<Vec<typed::Suite>, String> {
    cases::read(&api(), vec![("x".to_owned(), text.to_owned())])
        .map_err(|report| report.to_string())
}

/// The message that the body of a case gets.
fn message(body: &str) -> String {
    read(&format!("case \"a\" {{\n  {body}\n}}\n")).unwrap_err()
}

#[test]
fn each_mistake_is_told_with_its_line_and_a_hint() {
    for (body, parts) in [
        (
            "expect zeroes([2]).ndim == 1",
            &[
                "x.case:2:10",
                "no function `zeroes`",
                "did you mean `zeros`?",
            ][..],
        ),
        (
            "expect zeros([2]).reshap([2]).ndim == 1",
            &["`Tensor` has no method `reshap`", "did you mean `reshape`?"],
        ),
        (
            "expect zeros([2]).shap == [2]",
            &["has no property `shap`", "did you mean `shape`?"],
        ),
        ("expect len(Array(1)) == 1", &["wanted `Array([…])`"]),
        (
            "expect len(Map([1, 2])) == 1",
            &["wanted `Map([[key, value], …])`"],
        ),
        ("expect Array([1])[\"x\"] == 1", &["wanted a position"]),
        (
            "expect Array([1])[0] = 2 throws TypeError",
            &["`Array` cannot be changed"],
        ),
        ("expect List([1]).push() == 1", &["`push` takes 1 argument"]),
        (
            "expect Map([]).push(1) == 1",
            &["`Map` has no method `push`"],
        ),
        (
            "expect keys(Array([])) == []",
            &["`keys` does not take `Array`"],
        ),
        (
            "expect native(\"echo\") == 1\n  e = native(\"echo\")\n  e(x: 1)",
            &["arguments stand by position here"],
        ),
        (
            "e = native(\"echo\")\n  s = log()\n  expect e(|x| s.add(x)) == 1",
            &["others may keep cannot add to a log"],
        ),
        (
            "e = native(\"echo\")\n  expect e({ a: 1 }) == 1",
            &["named values cannot be passed"],
        ),
        (
            "expect zeros().ndim == 1",
            &["`zeros` needs its argument `shape`"],
        ),
        (
            "expect zeros([2], [3], [4]).ndim == 1",
            &["found a list, wanted `DTypeLike`"],
        ),
        (
            "expect zeros([2], dtyp: \"int8\").ndim == 1",
            &["`zeros` has no argument `dtyp`", "did you mean `dtype`?"],
        ),
        (
            "expect zeros([2], dtype: \"a\", dtype: \"b\").ndim == 1",
            &["`dtype` is given twice"],
        ),
        (
            "expect zeros([2], dtype: 3).ndim == 1",
            &["found `3`, wanted `DTypeLike`"],
        ),
        (
            "expect zeros([-1]).ndim == 1",
            &["found a list, wanted a list (a whole number of 64 bits without a sign each)"],
        ),
        (
            "expect copy(zeros([1]), zeros([1]), true) throws TypeError",
            &["`copy` takes 2 arguments by position"],
        ),
        (
            "expect copy(zeros([1]), zeros([1]), allow: true) throws TypeError",
            &["no argument `allow`"],
        ),
        (
            "expect zeros([2]) throws ShapeMissmatch",
            &["not a kind of error", "did you mean `ShapeMismatch`?"],
        ),
        (
            "expect zeros([2]).numpy() == 1",
            &["`numpy` does not exist in rust, node, cpp"],
        ),
        ("expect t.ndim == 1", &["`t` is not defined"]),
        (
            "t = 5\n  expect t == 5",
            &["a variable holds what a call returns"],
        ),
        (
            "t = zeros([1])\n  t = zeros([2])\n  expect t.ndim == 1",
            &["`t` is there already"],
        ),
        ("t = zeros([1])", &["this case expects nothing"]),
        (
            "t = zeros([1])\n  drop t\n  expect t.ndim == 1",
            &["`t` is not defined"],
        ),
        ("drop t\n  expect 1 == 1", &["`t` is not defined"]),
        (
            "skip(ruby) \"no\"\n  expect 1 == 1",
            &["`ruby` is not a language"],
        ),
        (
            "m = zeros([1])\n  m[\"x\"] = 1\n  expect 1 == 1",
            &["no mapping that can be changed"],
        ),
        ("expect zeros([1]).name[0] == 1", &["has no items"]),
        (
            "item = zeros([1])\n  expect item.ndim == 1",
            &[
                "x.case:2:3",
                "`item` cannot be the name of a variable",
                "printed tests call something else so in rust, node, cpp",
            ],
        ),
        (
            "for check in [1] {\n    expect zeros([check]).ndim == 1\n  }",
            &[
                "`check` cannot be the name of a variable",
                "rust, python, node, cpp",
            ],
        ),
        (
            "expect asarray(complex(1)).ndim == 0",
            &["wanted `complex(re, im)`"],
        ),
        ("expect len(5) == 1", &["`len` does not take `5`"]),
        (
            "expect temp() == \"x\"",
            &["`temp` takes 1 argument by position, 0 were given"],
        ),
        ("expect \"{y}\" == \"x\"", &["`{y}` names no constant"]),
        (
            "quantizeFile(\"a\", \"b\", \"c\", progress: |a| throw ValueError \"x\")\n  expect 1 == 1",
            &["a function of 1 parameters"],
        ),
        (
            "expect zeros([1]) =",
            &["wanted a value to look up before `=`"],
        ),
        ("expect zeros([1]", &["wanted `,` or `)`"]),
        (
            "expect 1 == 1 expect 2 == 2",
            &["a statement ends with its line"],
        ),
        ("expect range(1) == [0]", &["wanted `range(start, stop)`"]),
        (
            "for a in [\"x\"] where true { expect a == a }",
            &["goes through all of them"],
        ),
        (
            "for a in [\"x\"] { for a in [\"y\"] { expect a == a } }",
            &["x.case:2:24", "`a` is the variable of a loop around"],
        ),
    ] {
        let message = message(body);
        for part in parts {
            assert!(
                message.contains(part),
                "{body}\n\"{part}\" is not in\n{message}"
            );
        }
    }
}

#[test]
fn several_mistakes_are_told_at_once() {
    let message = message("expect zeroes([2]) == 1\n  expect zeros([2]).shap == 1");
    assert!(
        message.contains("zeroes") && message.contains("shap"),
        "{message}"
    );
}

#[test]
fn two_cases_of_one_name_are_refused() {
    let message =
        read("case \"a b\" { expect 1 == 1 }\ncase \"A-b\" { expect 1 == 1 }").unwrap_err();
    assert!(message.contains("another case of this file"), "{message}");
}

#[test]
fn loops_around_cases_are_unrolled() {
    let suites = read(
        "for a in [1, 2] { for k in ErrorKind { case \"{k} {a}\" { expect {a: a} == {a: 1} } } }",
    )
    .unwrap();
    let kinds = api().enumeration("ErrorKind").unwrap().values.len();
    assert_eq!(suites[0].cases.len(), 2 * kinds);
    assert_eq!(suites[0].cases[0].function, "valueerror_1");
    assert_eq!(suites[0].cases[0].place, "tests/cases/x.case:1");
}

#[test]
fn a_loop_over_texts_is_printed_as_a_loop() {
    let suites = read(
        "for a in [\"int8\", \"q{\"] { for b in [\"`\", \"y\"] { case \"{a} to {b}\" {\n expect DType(\"{a}\").name == \"{a}${b}\"\n} } }",
    )
    .unwrap();
    let files = print::print(&api(), &suites).unwrap();
    for (path, parts) in [
        (
            "tests/generated/rust/x.rs",
            &[
                "fn a_to_b(a: &'static str, b: &'static str) {",
                "case(\"x\", &format!(\"{a} to {b}\"), None, |check| {",
                "check.equal(tenspan::DType::new(a)?.name(), &format!(\"{a}${b}\"));",
                "int8_to(\"int8\", \"`\"),",
                "q_to_y(\"q{\", \"y\"),",
            ][..],
        ),
        (
            "tests/generated/python/test_x.py",
            &[
                "@pytest.mark.parametrize(\"b\", [\"`\", \"y\"])\n@pytest.mark.parametrize(\"a\", [\"int8\", \"q{\"])\ndef test_a_to_b(a, b):",
                "case(\"x\", f\"{a} to {b}\")",
                "check.equal(tenspan.DType(a).name, f\"{a}${b}\")",
            ],
        ),
        (
            "tests/generated/node/x.test.mjs",
            &[
                "for (const a of [\"int8\", \"q{\"]) {\n  for (const b of [\"`\", \"y\"]) {\n    test(`${a} to ${b}`, ",
                "check.equal(new tenspan.DType(a).name, `${a}$${b}`);",
            ],
        ),
        (
            "tests/generated/cpp/x.cpp",
            &[
                "for (const std::string& a : texts({\"int8\", \"q{\"})) {",
                "suite.run(a + \" to \" + b, nullptr, [&](Check& check) {",
                "check.equal(tenspan::DType(a).name(), a + \"$\" + b, __LINE__);",
            ],
        ),
    ] {
        let text = files.get(path).unwrap();
        for part in parts {
            assert_eq!(text.matches(part).count(), 1, "\"{part}\" in\n{text}");
        }
    }
}

#[test]
fn what_is_written_out_is_escaped_beside_a_variable() {
    let suites = read(
        "for a in [\"x\", \"y\"] { case \"{a} `\" {\n expect \"{a} }{ $ \\\" `\" == \"z\"\n} }",
    )
    .unwrap();
    let files = print::print(&api(), &suites).unwrap();
    for (path, part) in [
        (
            "tests/generated/rust/x.rs",
            r#"&format!("{a} }}{{ $ \" `")"#,
        ),
        ("tests/generated/python/test_x.py", r#"f"{a} }}{{ $ \" `""#),
        ("tests/generated/node/x.test.mjs", r#"`${a} }{ $ \" \``"#),
        ("tests/generated/cpp/x.cpp", r#"a + " }{ $ \" `""#),
    ] {
        let text = files.get(path).unwrap();
        assert!(text.contains(part), "{part} is not in\n{text}");
    }
}

#[test]
fn a_loop_in_a_case_is_printed_as_a_loop() {
    let suites =
        read("case \"a\" {\n for t in [\"x\", \"y\"] {\n expect \"{t}\" == t\n }\n }").unwrap();
    let files = print::print(&api(), &suites).unwrap();
    for (path, part) in [
        (
            "tests/generated/rust/x.rs",
            "for t in check.each(\"t\", &[\"x\", \"y\"]) {\ncheck.equal(t, t);\n}",
        ),
        (
            "tests/generated/python/test_x.py",
            "for t in check.each(\"t\", [\"x\", \"y\"]):\n            check.equal(t, t)",
        ),
        (
            "tests/generated/node/x.test.mjs",
            "for (const t of check.each(\"t\", [\"x\", \"y\"])) {\n    check.equal(t, t);\n  }",
        ),
        (
            "tests/generated/cpp/x.cpp",
            "check.each(\"t\", {\"x\", \"y\"}, [&](const std::string& t) {\n      check.equal(t, t, __LINE__);\n    });",
        ),
    ] {
        let text = files.get(path).unwrap();
        assert!(text.contains(part), "\"{part}\" is not in\n{text}");
    }
}

#[test]
fn what_a_language_prints_differently_for_each_value_is_printed_for_each() {
    let suites = read(
        "for a in [\"x\", \"y\"] { case \"is {a}\" {\n expect { \"{a}\": 1 } == a\n for m in [3, 4] {\n expect m == a\n }\n} }",
    )
    .unwrap();
    let files = print::print(&api(), &suites).unwrap();
    for (path, parts) in [
        (
            "tests/generated/rust/x.rs",
            &[
                "fn is_x() {\nlet a = \"x\";\n",
                "fn is_y() {\nlet a = \"y\";\n",
                "check.equal(map(&[(\"y\", Value::from(1))]), a);",
                "{\ncheck.equal(3, a);\n}\n{\ncheck.equal(4, a);\n}",
            ][..],
        ),
        (
            "tests/generated/python/test_x.py",
            &[
                "def test_is_x():\n    a = \"x\"\n    with case(\"x\", f\"is {a}\")",
                "def test_is_y():\n    a = \"y\"\n    with case(\"x\", f\"is {a}\")",
                "check.equal({\"y\": 1}, a)",
                "        check.equal(3, a)\n        check.equal(4, a)\n",
            ],
        ),
        (
            "tests/generated/node/x.test.mjs",
            &[
                "{\n  const a = \"x\";\n  test(`is ${a}`, ",
                "{\n  const a = \"y\";\n  test(`is ${a}`, ",
                "check.equal({ \"y\": 1 }, a);",
                "check.equal(4, a);",
            ],
        ),
        (
            "tests/generated/cpp/x.cpp",
            &[
                "const std::string a = \"x\";\n    suite.run(\"is \" + a, ",
                "const std::string a = \"y\";\n    suite.run(\"is \" + a, ",
                "check.equal(map({{\"y\", 1}}), a, __LINE__);",
                "check.equal(4, a, __LINE__);",
            ],
        ),
    ] {
        let text = files.get(path).unwrap();
        for part in parts {
            assert!(text.contains(part), "\"{part}\" is not in\n{text}");
        }
    }
}

#[test]
fn a_case_is_printed_in_the_spelling_of_each_language() {
    let suites = read(
        "case \"a\" { skip(node) \"slow\"\n expect open(vector(\"x\")).byteOrder == \"big\" }",
    )
    .unwrap();
    let files = print::print(&api(), &suites).unwrap();
    for (path, part) in [
        (
            "tests/generated/rust/x.rs",
            "check.equal(tenspan::open(&vector(\"x\"))?.byte_order(), \"big\");",
        ),
        (
            "tests/generated/python/test_x.py",
            "check.equal(tenspan.open(vector(\"x\")).byte_order, \"big\")",
        ),
        (
            "tests/generated/node/x.test.mjs",
            "check.equal(tenspan.open(vector(\"x\")).byteOrder, \"big\");",
        ),
        (
            "tests/generated/node/x.test.mjs",
            "run(\"x\", \"a\", \"slow\", ",
        ),
        (
            "tests/generated/cpp/x.cpp",
            "check.equal(tenspan::open(vector(\"x\")).byte_order(), \"big\", __LINE__);",
        ),
    ] {
        let text = files.get(path).unwrap();
        assert!(text.contains(part), "\"{part}\" is not in\n{text}");
    }
}

#[test]
fn options_take_the_form_of_each_language() {
    let suites =
        read("case \"a\" { copy(zeros([1]), zeros([1]), allowRequantize: true)\n expect 1 == 1 }")
            .unwrap();
    let files = print::print(&api(), &suites).unwrap();
    for (path, part) in [
        (
            "tests/generated/rust/x.rs",
            "CopyOptions { allow_requantize: true }",
        ),
        ("tests/generated/python/test_x.py", "allow_requantize=True)"),
        (
            "tests/generated/node/x.test.mjs",
            "{ allowRequantize: true });",
        ),
        (
            "tests/generated/cpp/x.cpp",
            "options.allow_requantize = true;",
        ),
    ] {
        let text = files.get(path).unwrap();
        assert!(text.contains(part), "\"{part}\" is not in\n{text}");
    }
}
