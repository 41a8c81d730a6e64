//! Extended attributes: a closed list, each with its places and its kind of value.

use super::Resolver;
use crate::diagnostic::Problem;
use crate::ir::{Attributes, Language};
use crate::syntax::ast::{self, AttributeValue};

/// What an extended attribute stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Interface,
    Namespace,
    Dictionary,
    Data,
    Constructor,
    Operation,
    Function,
    Property,
    Collection,
    Argument,
    DictionaryMember,
}

impl Target {
    fn shown(self) -> &'static str {
        match self {
            Target::Interface => "an interface",
            Target::Namespace => "a namespace",
            Target::Dictionary => "a dictionary",
            Target::Data => "an enum, a callback or a typedef",
            Target::Constructor => "a constructor",
            Target::Operation => "an operation",
            Target::Function => "a function",
            Target::Property => "an attribute",
            Target::Collection => "`iterable` or `maplike`",
            Target::Argument => "an argument",
            Target::DictionaryMember => "a member of a dictionary",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Takes {
    Nothing,
    Text,
    Texts,
    Languages,
}

use Target::{
    Argument, Constructor, Data, Dictionary, DictionaryMember, Function, Interface, Operation,
    Property,
};

const EVERYWHERE: &[Target] = &[
    Interface,
    Dictionary,
    Data,
    Constructor,
    Operation,
    Function,
    Property,
    Argument,
    DictionaryMember,
];

/// Name, value and places of every extended attribute there is.
const KNOWN: &[(&str, Takes, &[Target])] = &[
    (
        "Throws",
        Takes::Nothing,
        &[Constructor, Operation, Function, Property],
    ),
    ("Borrow", Takes::Nothing, &[Argument]),
    ("Share", Takes::Nothing, &[Operation, Function, Property]),
    (
        "Custom",
        Takes::Nothing,
        &[Interface, Operation, Function, Property],
    ),
    ("Quick", Takes::Nothing, &[Operation, Function]),
    ("Rows", Takes::Nothing, &[Function]),
    ("Value", Takes::Nothing, &[Interface]),
    (
        "Name",
        Takes::Text,
        &[Interface, Constructor, Operation, Function, Property],
    ),
    (
        "Skip",
        Takes::Languages,
        &[
            Interface,
            Constructor,
            Operation,
            Function,
            Property,
            Dictionary,
        ],
    ),
    ("Rust", Takes::Texts, &[Interface, Function]),
    ("Python", Takes::Texts, &[Interface, Function]),
    (
        "Node",
        Takes::Texts,
        &[Interface, Function, DictionaryMember],
    ),
    ("Cpp", Takes::Texts, &[Interface, Function]),
    ("PurePython", Takes::Nothing, &[Interface, Function]),
    ("Since", Takes::Text, EVERYWHERE),
    ("Deprecated", Takes::Text, EVERYWHERE),
];

/// What the attributes of one declaration say.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub attributes: Attributes,
    pub value: bool,
    pub borrow: bool,
}

impl Resolver<'_> {
    /// Reads the extended attributes of a declaration of one kind.
    pub(super) fn attributes(&mut self, list: &[ast::Attribute], target: Target) -> Found {
        let mut found = Found::default();
        self.check_unique(
            "the extended attribute",
            list.iter().map(|attribute| &attribute.name),
        );
        for attribute in list {
            if self.check_attribute(attribute, target) {
                self.read(attribute, &mut found);
            }
        }
        self.check_by_hand(list, &found.attributes);
        found
    }

    /// A language has a declaration or has it not.
    fn check_by_hand(&mut self, list: &[ast::Attribute], found: &Attributes) {
        for attribute in list {
            let text = &attribute.name.text;
            let mut all = Language::ALL.iter();
            if let Some(language) = all.find(|language| language.attribute() == text)
                && !found.is_in(*language)
            {
                let message = format!("`[{text}]` says how it is declared where `[Skip]` has none");
                let problem = Problem::new(attribute.name.span, message);
                self.problem(problem.hint(format!("take `{language}` out of `[Skip]`")));
            }
        }
    }

    fn check_attribute(&mut self, attribute: &ast::Attribute, target: Target) -> bool {
        let ast::Ident { text, span } = &attribute.name;
        let Some((_, takes, places)) = KNOWN.iter().find(|(name, ..)| name == text) else {
            let problem = Problem::new(*span, format!("`[{text}]` is not an extended attribute"));
            self.problem(problem.did_you_mean(text, KNOWN.iter().map(|(name, ..)| *name)));
            return false;
        };
        if !places.contains(&target) {
            let allowed = places
                .iter()
                .map(|place| place.shown())
                .collect::<Vec<_>>()
                .join(", ");
            let problem = Problem::new(
                *span,
                format!("`[{text}]` cannot stand on {}", target.shown()),
            );
            self.problem(problem.hint(format!("it stands on {allowed}")));
            return false;
        }
        let (fits, wanted) = match takes {
            Takes::Nothing => (
                attribute.value == AttributeValue::None,
                format!("`[{text}]` takes no value"),
            ),
            Takes::Text => (
                matches!(attribute.value, AttributeValue::Text(_)),
                format!("`[{text}]` takes a text: `[{text}=\"…\"]`"),
            ),
            Takes::Texts => (
                matches!(
                    attribute.value,
                    AttributeValue::Text(_) | AttributeValue::Texts(_)
                ),
                format!(
                    "`[{text}]` takes declarations: `[{text}=\"…\"]`, `[{text}=(\"…\", \"…\")]`"
                ),
            ),
            Takes::Languages => (
                matches!(attribute.value, AttributeValue::Names(_)),
                format!("`[{text}]` takes languages: `[{text}=(cpp, node)]`"),
            ),
        };
        if !fits {
            self.problem(Problem::new(*span, wanted));
        }
        fits
    }

    fn read(&mut self, attribute: &ast::Attribute, found: &mut Found) {
        let to = &mut found.attributes;
        match (attribute.name.text.as_str(), &attribute.value) {
            ("Throws", _) => to.throws = true,
            ("Share", _) => to.share = true,
            ("Custom", _) => to.custom = true,
            ("Quick", _) => to.quick = true,
            ("Rows", _) => to.rows = true,
            ("Value", _) => found.value = true,
            ("Borrow", _) => found.borrow = true,
            ("PurePython", _) => to.pure_python = true,
            ("Name", AttributeValue::Text(text)) => to.rename = Some(text.text.clone()),
            ("Since", AttributeValue::Text(text)) => to.since = Some(text.text.clone()),
            ("Deprecated", AttributeValue::Text(text)) => to.deprecated = Some(text.text.clone()),
            ("Skip", AttributeValue::Names(names)) => {
                for name in names {
                    match Language::ALL
                        .iter()
                        .find(|language| language.as_str() == name.text)
                    {
                        Some(language) => _ = to.skip.insert(*language),
                        None => {
                            let problem = Problem::new(
                                name.span,
                                format!("`{}` is not a language", name.text),
                            );
                            let known: Vec<&str> = Language::ALL
                                .iter()
                                .map(|language| language.as_str())
                                .collect();
                            let problem = problem.hint(format!("one of {}", known.join(", ")));
                            self.problems.push(problem.did_you_mean(&name.text, known));
                        }
                    }
                }
            }
            (of, value) => {
                let mut all = Language::ALL.iter();
                let language = all.find(|language| language.attribute() == of);
                let texts = match value {
                    AttributeValue::Text(text) => std::slice::from_ref(text),
                    AttributeValue::Texts(texts) => texts.as_slice(),
                    _ => return,
                };
                if let Some(language) = language {
                    let texts = texts.iter().map(|text| text.text.clone()).collect();
                    to.by_hand.insert(*language, texts);
                }
            }
        }
    }
}
