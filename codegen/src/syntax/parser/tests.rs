//! What the parser makes of each construct, and that it survives any text.

use super::parse;
use crate::diagnostic::Problem;
use crate::ir;
use crate::syntax::ast::{AttributeValue, Definition, DefinitionKind, MemberKind, TypeKind};

fn parsed(source: &str) -> Vec<Definition> {
    let mut problems = Vec::new();
    let definitions = parse(0, source, &mut problems);
    assert_eq!(problems, [], "{source}");
    definitions
}

fn problems(source: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    parse(0, source, &mut problems);
    problems
}

fn type_of(text: &str) -> TypeKind {
    match parsed(&format!("typedef {text} T;")).remove(0).kind {
        DefinitionKind::Typedef(ty) => ty.kind,
        other => panic!("{other:?}"),
    }
}

#[test]
fn integers_of_every_width() {
    for (text, signed, bits) in [
        ("octet", false, 8),
        ("short", true, 16),
        ("unsigned short", false, 16),
        ("long", true, 32),
        ("unsigned long", false, 32),
        ("long long", true, 64),
        ("unsigned long long", false, 64),
    ] {
        assert_eq!(type_of(text), TypeKind::Integer { signed, bits }, "{text}");
    }
}

#[test]
fn types_nest() {
    let TypeKind::Nullable(inner) = type_of("sequence<record<DOMString, (Tensor or object)>>?")
    else {
        panic!()
    };
    let TypeKind::Sequence(inner) = inner.kind else {
        panic!()
    };
    let TypeKind::Record(key, value) = inner.kind else {
        panic!()
    };
    assert_eq!(key.kind, TypeKind::String);
    assert!(matches!(value.kind, TypeKind::Union(members) if members.len() == 2));
}

#[test]
fn members_of_an_interface() {
    let definitions = parsed(
        "[Value] interface X { constructor(long a, optional long b = -3); static X make(); readonly attribute long _readonly;
         attribute boolean on; [Throws, Skip=(cpp, node)] undefined run([Borrow] BufferSource data); iterable<X>;
         readonly maplike<DOMString, X>; };",
    );
    let DefinitionKind::Interface(members) = &definitions[0].kind else {
        panic!()
    };
    assert_eq!(members.len(), 7);
    let MemberKind::Constructor(arguments) = &members[0].kind else {
        panic!()
    };
    assert_eq!(
        arguments[1].default.as_ref().map(|d| d.value.clone()),
        Some(ir::Literal::Integer(-3))
    );
    assert!(matches!(
        &members[1].kind,
        MemberKind::Operation {
            is_static: true,
            ..
        }
    ));
    assert!(
        matches!(&members[2].kind, MemberKind::Property { readonly: true, name, .. } if name.text == "readonly")
    );
    assert!(matches!(
        &members[3].kind,
        MemberKind::Property {
            readonly: false,
            ..
        }
    ));
    assert!(
        matches!(&members[4].attributes[1].value, AttributeValue::Names(names) if names.len() == 2)
    );
    assert!(matches!(&members[5].kind, MemberKind::Iterable(_)));
    assert!(matches!(
        &members[6].kind,
        MemberKind::Maplike { readonly: true, .. }
    ));
}

#[test]
fn literals_of_every_kind() {
    use ir::Literal;
    let definitions = parsed(
        "dictionary D { long? a = null; boolean b = true; double c = 1.5; DOMString d = \"x\"; sequence<long> e = []; long f = 0x1F; };",
    );
    let DefinitionKind::Dictionary(members) = &definitions[0].kind else {
        panic!()
    };
    let literals: Vec<Literal> = members
        .iter()
        .filter_map(|m| m.default.clone())
        .map(|d| d.value)
        .collect();
    assert_eq!(
        literals,
        [
            Literal::Null,
            Literal::Boolean(true),
            Literal::Double("1.5".to_owned()),
            Literal::String("x".to_owned()),
            Literal::EmptySequence,
            Literal::Integer(31),
        ]
    );
}

#[test]
fn docs_belong_to_what_follows() {
    let definitions = parsed("/// One.\n/// Two.\nenum E { /// First.\n\"a\", \"b\", };");
    assert_eq!(definitions[0].docs.lines[1].text, "Two.");
    let DefinitionKind::Enum(values) = &definitions[0].kind else {
        panic!()
    };
    assert_eq!(values[0].docs.lines[0].text, "First.");
    assert!(values[1].docs.lines.is_empty());
}

#[test]
fn callbacks_partials_and_namespaces() {
    let definitions = parsed(
        "callback C = undefined (long a); namespace n { long f(); }; partial namespace n { long g(); };",
    );
    assert!(matches!(
        definitions[0].kind,
        DefinitionKind::Callback { .. }
    ));
    assert!(definitions[1].partial.is_none());
    assert!(definitions[2].partial.is_some());
}

#[test]
fn one_mistake_does_not_hide_the_next() {
    let found = problems(
        "interface A { long 1(); Promise<long> f(); long ok(); }; typedef B; enum C { x };",
    );
    assert_eq!(found.len(), 4, "{found:#?}");
}

#[test]
fn every_cut_of_a_spec_is_survived() {
    let source = "/// D.\n[Value, Skip=(a, b)] interface X { constructor([Borrow] BufferSource a, optional (A or B)? b = \"x\"); };";
    for end in 0..source.len() {
        problems(&source[..end]);
    }
}
