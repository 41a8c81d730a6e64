//! The functions of the C++ headers, those written by hand too, beside the spec: it is the only list of public names.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use tenspan_codegen::ir::Language;
use tenspan_codegen::load_spec;

/// What belongs to types: texts of the values of enums, and which span is made of what.
const OF_TYPES: &[&str] = &["to_string", "from_string", "span"];

#[test]
fn every_function_of_the_headers_is_in_the_spec_and_the_other_way_round() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let spec = load_spec(&root.join("spec")).unwrap_or_else(|error| panic!("{error}"));
    let declared = spec.api.functions.iter();
    let declared = declared.filter(|function| function.attributes.is_in(Language::Cpp));
    let declared: BTreeSet<String> = declared
        .map(|function| function.name.snake())
        .chain(OF_TYPES.iter().map(|name| (*name).to_owned()))
        .collect();
    let folder = root.join("../bind-cpp/include/tenspan");
    let mut found = BTreeSet::new();
    for folder in [folder.clone(), folder.join("detail")] {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|suffix| suffix == "hpp") {
                found.extend(functions(&fs::read_to_string(&path).unwrap()));
            }
        }
    }
    assert_eq!(found, declared);
}

#[test]
fn functions_are_told_from_all_else() {
    let text = "
        #define MACRO(x) \\
          x()
        TENSPAN_BEGIN_NAMESPACE
        namespace detail { void hidden(); }
        class Thing { void member(); };
        template <class T, int n = f(1)> struct Other;
        void Thing::member() { call(); }
        // void commented();
        template <class F, std::enable_if_t<is_body<F>, int> = 0>
        [[nodiscard]] Function make(F&& f, const char* text = \"{;\", char c = '{', Way way = {}) { return f(); }
        inline int plain();
        TENSPAN_END_NAMESPACE
    ";
    assert_eq!(functions(text), ["make", "plain"]);
}

/// Names of the functions that a header declares in the namespace of the library itself.
fn functions(header: &str) -> Vec<String> {
    let mut names = Vec::new();
    for statement in statements(&without_texts(header)) {
        let mut words = statement.trim();
        while let Some(rest) = words.strip_prefix("template") {
            words = behind_brackets(rest).trim_start();
        }
        let first = words.split([' ', '<', '(']).next().unwrap_or_default();
        let others = [
            "class",
            "struct",
            "enum",
            "using",
            "namespace",
            "extern",
            "static_assert",
        ];
        let Some((before, _)) = words.split_once('(') else {
            continue;
        };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let name = before.trim_end().rsplit(|c| !is_word(c)).next();
        let name = name.unwrap_or_default();
        let is_member = before.trim_end().trim_end_matches(is_word).ends_with(':');
        if !(name.is_empty() || is_member || others.contains(&first)) {
            names.push(name.to_owned());
        }
    }
    names
}

/// A header without comments, lines of the preprocessor, and what stands in quotes.
fn without_texts(header: &str) -> String {
    let mut text = String::new();
    let mut goes_on = false;
    for line in header.lines() {
        let is_directive = goes_on || line.trim_start().starts_with('#');
        goes_on = is_directive && line.ends_with('\\');
        if is_directive || line.contains("_NAMESPACE") {
            continue;
        }
        let mut quote = None;
        let mut letters = line.chars().peekable();
        while let Some(letter) = letters.next() {
            match quote {
                Some(_) if letter == '\\' => _ = letters.next(),
                Some(open) if letter == open => quote = None,
                Some(_) => {}
                None if letter == '"' || letter == '\'' => quote = Some(letter),
                None if letter == '/' && letters.peek() == Some(&'/') => break,
                None => text.push(letter),
            }
        }
        text.push(' ');
    }
    text
}

/// What stands outside of all braces, parted at semicolons and bodies. Braces between parentheses are defaults.
fn statements(text: &str) -> Vec<String> {
    let mut statements = vec![String::new()];
    let (mut braces, mut parentheses) = (0, 0);
    for letter in text.chars() {
        match letter {
            '(' if braces == 0 => parentheses += 1,
            ')' if braces == 0 => parentheses -= 1,
            '{' if parentheses == 0 => braces += 1,
            '}' if parentheses == 0 => braces -= 1,
            _ => {}
        }
        let ends = parentheses == 0 && matches!(letter, '{' | '}' | ';');
        if braces == 0 && ends || braces == 1 && letter == '{' && parentheses == 0 {
            statements.push(String::new());
        } else if braces == 0
            && let Some(last) = statements.last_mut()
        {
            last.push(letter);
        }
    }
    statements
}

/// What follows the angle brackets that a text begins with.
fn behind_brackets(text: &str) -> &str {
    let mut depth = 0;
    let end = text.find(|letter| {
        depth += i32::from(letter == '<') - i32::from(letter == '>');
        letter == '>' && depth == 0
    });
    end.map_or(text, |end| &text[end + 1..])
}
