//! Cases that are one in their file and differ in the values of the loops around.
//!
//! What a language prints alike for all values it prints once, in a loop; what it does not, once for each value.

use std::collections::{BTreeSet, HashMap};

use crate::cases::check::function_name;
use crate::cases::constant::{Part, Text};
use crate::cases::typed::{Case, Round, Suite};
use crate::ir::Language;

/// The cases of one `case` of a file, in the order of their values.
pub struct Family<'a> {
    /// Its sentence with the names of variables, as the name of a function that nothing else of the file has.
    pub function: String,
    /// At least one.
    pub cases: Vec<&'a Case>,
}

/// A variable of loops and all that it stands for.
#[derive(Debug, PartialEq)]
pub struct Axis<'a> {
    /// Its name.
    pub variable: &'a str,
    /// Its values, in their order.
    pub values: Vec<&'a str>,
}

/// The families of a file, in the order of their first cases.
pub fn families(suite: &Suite) -> Vec<Family<'_>> {
    let mut families: Vec<Family<'_>> = Vec::new();
    let mut places = HashMap::new();
    let mut taken: BTreeSet<String> = suite
        .cases
        .iter()
        .map(|case| case.function.clone())
        .collect();
    for case in &suite.cases {
        let key = (&case.place, case.name.pattern());
        let place = *places.entry(key).or_insert_with(|| {
            families.push(Family {
                function: free_name(&mut taken, &case.name),
                cases: Vec::new(),
            });
            families.len() - 1
        });
        families[place].cases.push(case);
    }
    families
}

fn free_name(taken: &mut BTreeSet<String>, sentence: &Text) -> String {
    let first = function_name(&sentence.pattern());
    let mut name = first.clone();
    let mut number = 1;
    while !taken.insert(name.clone()) {
        number += 1;
        name = format!("{first}_{number}");
    }
    name
}

impl<'a> Family<'a> {
    /// The first case, which stands for all that is alike.
    pub fn first(&self) -> &'a Case {
        self.cases[0]
    }

    /// Why it is known to fail in a language.
    pub fn fails(&self, language: Language) -> Option<&'a String> {
        self.first().skips.get(&language)
    }

    /// The loops that make these cases, outermost first; `None` when no loops around texts do.
    pub fn axes(&self) -> Option<Vec<Axis<'a>>> {
        let mut axes: Vec<Axis<'a>> = Vec::new();
        for (variable, value) in self.cases.iter().flat_map(|case| &case.values) {
            match axes.iter_mut().find(|axis| axis.variable == variable) {
                Some(axis) if axis.values.contains(&value.as_str()) => {}
                Some(axis) => axis.values.push(value),
                None => axes.push(Axis {
                    variable,
                    values: vec![value],
                }),
            }
        }
        let mut rows: Vec<Vec<&str>> = vec![Vec::new()];
        for axis in &axes {
            let longer = rows.iter().flat_map(|row| {
                let with = |value: &&'a str| row.iter().copied().chain([*value]).collect();
                axis.values.iter().map(with)
            });
            rows = longer.collect();
        }
        let found = self.cases.iter().map(|case| values(case));
        (!axes.is_empty() && found.eq(rows)).then_some(axes)
    }
}

/// The texts of a case's loops.
pub fn values(case: &Case) -> Vec<&str> {
    case.values
        .iter()
        .map(|(_, value)| value.as_str())
        .collect()
}

/// The texts of the rounds of a loop and what all rounds print; `None` when they do not print alike.
pub fn alike<'a>(
    rounds: &'a [Round],
    mut print: impl FnMut(&'a Round) -> String,
) -> Option<(Vec<&'a str>, String)> {
    let texts: Option<Vec<&str>> = rounds.iter().map(|round| round.text.as_deref()).collect();
    let body = same(rounds.iter().map(&mut print))?;
    texts.map(|texts| (texts, body))
}

/// The one text that all are; `None` when they differ or there are none.
pub fn same(mut texts: impl Iterator<Item = String>) -> Option<String> {
    let first = texts.next()?;
    texts.all(|text| text == first).then_some(first)
}

/// A text in a language with `"…{name}…"`: what is written out and what stands for variables, one after the other.
pub fn woven(
    text: &Text,
    mut written: impl FnMut(&str) -> String,
    mut variable: impl FnMut(&str) -> String,
) -> String {
    let parts = text.parts().iter().map(|part| match part {
        Part::Written(text) => written(text),
        Part::Variable { name, .. } => variable(name),
    });
    parts.collect()
}

/// The variable that the text is and nothing else.
pub fn bare(text: &Text) -> Option<&str> {
    match text.parts() {
        [Part::Variable { name, .. }] => Some(name),
        _ => None,
    }
}

/// The text when no variable is in it.
pub fn fixed(text: &Text) -> Option<&str> {
    match text.parts() {
        [] => Some(""),
        [Part::Written(text)] => Some(text),
        _ => None,
    }
}
