//! Types of cases, checked against the spec: from [`ast`](super::ast) to [`typed`](super::typed).
//!
//! Loops around cases and loops over constants are unrolled here, so that what holds for one value is checked for each.
//! Texts keep their variables, so that printers can put the loops back.

mod accept;
mod arguments;
mod expr;
mod shared;

use std::collections::BTreeMap;

use super::ast::{self, Check, Item, Statement, Word};
use super::constant::{Constant, Text};
use super::print;
use super::typed::{Action, Case, Round, Step, Suite, Test, Ty};
use crate::diagnostic::{Problem, Sources};
use crate::ir::{Api, Language, Type};

/// Checks one file.
pub fn check(
    api: &Api,
    sources: &Sources,
    concept: &str,
    items: &[Item],
    problems: &mut Vec<Problem>,
) -> Suite {
    let mut checker = Checker {
        api,
        sources,
        problems,
        constants: BTreeMap::new(),
        variables: Vec::new(),
        scopes: Vec::new(),
    };
    let mut suite = Suite {
        concept: concept.to_owned(),
        cases: Vec::new(),
    };
    checker.items(items, &mut suite);
    suite
}

/// A mistake was reported.
struct Reported;

type Checked<T> = Result<T, Reported>;

struct Checker<'a> {
    api: &'a Api,
    sources: &'a Sources,
    problems: &'a mut Vec<Problem>,
    constants: BTreeMap<String, Constant>,
    /// Variables of the loops around, outermost first, and the texts they stand for.
    variables: Vec<(String, Constant)>,
    /// Variables of the case, innermost block last.
    scopes: Vec<BTreeMap<String, Ty>>,
}

impl Checker<'_> {
    fn report<T>(&mut self, problem: Problem) -> Checked<T> {
        self.problems.push(problem);
        Err(Reported)
    }

    fn items(&mut self, items: &[Item], suite: &mut Suite) {
        for item in items {
            // A mistake in one item is reported; the next is looked at all the same.
            _ = match item {
                Item::Case(case) => self.case(case, suite),
                Item::Constant(name, value) => {
                    self.constant(value).map(|value| self.bind(name, value))
                }
                Item::For(loops) => self.repeated(&loops.variable, &loops.source, |checker| {
                    checker.items(&loops.items, suite);
                    Ok(())
                }),
            };
        }
    }

    fn bind(&mut self, name: &Word, value: Constant) {
        self.constants.insert(name.text.clone(), value);
    }

    /// Does something for each item of a constant list, bound to a name.
    fn repeated(
        &mut self,
        variable: &Word,
        source: &ast::Expr,
        mut each: impl FnMut(&mut Self) -> Checked<()>,
    ) -> Checked<()> {
        if self
            .variables
            .iter()
            .any(|(name, _)| *name == variable.text)
        {
            let message = format!("`{}` is the variable of a loop around", variable.text);
            return self.report(Problem::new(variable.span, message));
        }
        self.check_free(variable)?;
        let list = self.constant(source)?;
        let Some(items) = list.items() else {
            let message = format!("{} cannot be gone through", list.describe());
            return self.report(
                Problem::new(source.span, message).hint("a list or an enumeration is wanted"),
            );
        };
        let shadowed = self.constants.get(&variable.text).cloned();
        for item in items {
            let item = match item {
                Constant::Text(text) => {
                    Constant::Text(Text::variable(&variable.text, &text.to_string()))
                }
                other => other,
            };
            self.bind(variable, item.clone());
            self.variables.push((variable.text.clone(), item));
            let outcome = each(self);
            self.variables.pop();
            outcome?;
        }
        match shadowed {
            Some(value) => self.bind(variable, value),
            None => _ = self.constants.remove(&variable.text),
        }
        Ok(())
    }

    fn case(&mut self, case: &ast::Case, suite: &mut Suite) -> Checked<()> {
        let name = self.interpolate(&case.name.text, case.name.span)?;
        let function = function_name(&name.to_string());
        if suite.cases.iter().any(|other| other.function == function) {
            let message = format!("another case of this file is named \"{name}\"");
            return self.report(Problem::new(case.name.span, message));
        }
        let mut skips = BTreeMap::new();
        for (word, reason) in &case.skips {
            skips.insert(self.language(word)?, reason.clone());
        }
        self.scopes = vec![BTreeMap::new()];
        let body = self.statements(&case.body)?;
        if !expects(&body) {
            return self.report(Problem::new(case.name.span, "this case expects nothing"));
        }
        let position = self.sources.position(case.name.span);
        let place = format!("tests/cases/{}.case:{}", suite.concept, position.line);
        suite.cases.push(Case {
            name,
            values: self.values(),
            function,
            skips,
            body,
            place,
        });
        Ok(())
    }

    /// The variables of the loops around that stand for texts.
    fn values(&self) -> Vec<(String, String)> {
        let texts = self
            .variables
            .iter()
            .filter_map(|(name, value)| match value {
                Constant::Text(text) => Some((name.clone(), text.to_string())),
                _ => None,
            });
        texts.collect()
    }

    fn language(&mut self, word: &Word) -> Checked<Language> {
        if let Some(language) = Language::ALL
            .iter()
            .find(|language| language.as_str() == word.text)
        {
            return Ok(*language);
        }
        let known = Language::ALL.iter().map(|language| language.as_str());
        let message = format!("`{}` is not a language", word.text);
        self.report(Problem::new(word.span, message).did_you_mean(&word.text, known))
    }

    fn statements(&mut self, statements: &[Statement]) -> Checked<Vec<Step>> {
        let mut steps = Vec::new();
        let mut failed = false;
        for statement in statements {
            match self.statement(statement) {
                Ok(Some(step)) => steps.push(step),
                Ok(None) => {}
                Err(Reported) => {
                    failed = true;
                    // The variable exists all the same: that it is unknown would be told for every use.
                    if let Statement::Let(name, _) = statement {
                        self.declare(name, Ty::Api(Type::Any))?;
                    }
                }
            }
        }
        if failed { Err(Reported) } else { Ok(steps) }
    }

    fn declare(&mut self, name: &Word, ty: Ty) -> Checked<()> {
        let known = self
            .scopes
            .iter()
            .any(|scope| scope.contains_key(&name.text));
        if known || self.constants.contains_key(&name.text) {
            let message = format!("`{}` is there already", name.text);
            return self.report(Problem::new(name.span, message));
        }
        self.check_free(name)?;
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.text.clone(), ty);
        }
        Ok(())
    }

    /// Checks that printed tests do not need the name of a variable for something else.
    fn check_free(&mut self, name: &Word) -> Checked<()> {
        let users = print::users(&name.text);
        if users.is_empty() {
            return Ok(());
        }
        let users: Vec<&str> = users.iter().map(|language| language.as_str()).collect();
        let message = format!("`{}` cannot be the name of a variable", name.text);
        let hint = format!(
            "printed tests call something else so in {}",
            users.join(", ")
        );
        self.report(Problem::new(name.span, message).hint(hint))
    }

    fn block(&mut self, statements: &[Statement]) -> Checked<Vec<Step>> {
        self.scopes.push(BTreeMap::new());
        let steps = self.statements(statements);
        self.scopes.pop();
        steps
    }

    fn statement(&mut self, statement: &Statement) -> Checked<Option<Step>> {
        Ok(Some(match statement {
            Statement::Let(name, value) => {
                let value = self.expr(value)?;
                if value.ty == Ty::Open {
                    let message = "a variable holds what a call returns";
                    return self.report(
                        Problem::new(name.span, message)
                            .hint("constants are declared with `const` before the cases"),
                    );
                }
                self.declare(name, value.ty.clone())?;
                Step::Let(name.text.clone(), value)
            }
            Statement::Drop(name) => {
                match self
                    .scopes
                    .iter()
                    .rev()
                    .find_map(|scope| scope.get(&name.text))
                {
                    Some(Ty::Api(ty)) if matches!(ty.resolved(), Type::Interface(_)) => {}
                    Some(_) => {
                        return self.report(Problem::new(
                            name.span,
                            format!("`{}` is no object", name.text),
                        ));
                    }
                    None => {
                        return self.report(Problem::new(
                            name.span,
                            format!("`{}` is not defined", name.text),
                        ));
                    }
                }
                for scope in &mut self.scopes {
                    scope.remove(&name.text);
                }
                Step::Drop(name.text.clone())
            }
            Statement::Action(action) => Step::Do(self.action(action)?),
            Statement::Expect(expectation) => {
                let action = self.action(&expectation.action)?;
                let test = self.test(&expectation.check)?;
                if matches!(test, Test::Compare(..) | Test::Near(..))
                    && matches!(action, Action::Set { .. })
                {
                    return self.report(Problem::new(
                        expectation.span,
                        "setting gives no value to compare",
                    ));
                }
                Step::Expect(action, test)
            }
            Statement::For {
                variable,
                over,
                condition,
                body,
            } => return self.for_loop(variable, over, condition.as_ref(), body),
        }))
    }

    fn for_loop(
        &mut self,
        variable: &Word,
        over: &ast::Expr,
        condition: Option<&ast::Expr>,
        body: &[Statement],
    ) -> Checked<Option<Step>> {
        let list = self.expr(over)?;
        if list.ty == Ty::Open {
            if let Some(condition) = condition {
                let message = "a loop over constants goes through all of them";
                return self.report(Problem::new(condition.span, message));
            }
            let mut rounds = Vec::new();
            self.repeated(variable, over, |checker| {
                let text = match checker.constants.get(&variable.text) {
                    Some(Constant::Text(text)) => Some(text.to_string()),
                    _ => None,
                };
                let body = checker.block(body)?;
                rounds.push(Round { text, body });
                Ok(())
            })?;
            return Ok(Some(Step::Each {
                variable: variable.text.clone(),
                rounds,
            }));
        }
        let element = match list.api() {
            Some(Type::Sequence(element)) => (**element).clone(),
            Some(Type::Interface(name))
                if self
                    .api
                    .interface(name)
                    .is_some_and(|class| class.iterable.is_some()) =>
            {
                self.api
                    .interface(name)
                    .and_then(|class| class.iterable.clone())
                    .unwrap_or(Type::Any)
            }
            _ => return self.report(Problem::new(over.span, "this cannot be gone through")),
        };
        self.scopes.push(BTreeMap::new());
        let inner = (|| {
            self.declare(variable, Ty::Api(element))?;
            let condition = condition
                .map(|condition| self.expr(condition))
                .transpose()?;
            Ok((condition, self.statements(body)?))
        })();
        self.scopes.pop();
        let (condition, body) = inner?;
        Ok(Some(Step::For {
            variable: variable.text.clone(),
            over: list,
            condition,
            body,
        }))
    }

    fn action(&mut self, action: &ast::Action) -> Checked<Action> {
        match action {
            ast::Action::Evaluate(expr) => Ok(Action::Evaluate(self.expr(expr)?)),
            ast::Action::Set { map, key, value } => {
                let typed = self.expr(map)?;
                if let Some(class) = shared::class_of(&typed) {
                    return Ok(Action::Evaluate(self.put(class, typed, key, value)?));
                }
                let maplike = self.maplike(&typed).cloned();
                let Some(maplike) = maplike.filter(|maplike| !maplike.readonly) else {
                    return self.report(Problem::new(
                        map.span,
                        "this is no mapping that can be changed",
                    ));
                };
                let key = self.expr_of(key, &maplike.key)?;
                let value = self.expr_of(value, &maplike.value)?;
                Ok(Action::Set {
                    map: typed,
                    key,
                    ty: maplike.value,
                    value,
                })
            }
        }
    }

    fn test(&mut self, check: &Check) -> Checked<Test> {
        Ok(match check {
            Check::Compare(comparison, value) => Test::Compare(*comparison, self.expr(value)?),
            Check::Near(value, tolerance) => {
                let default = Constant::Float("1e-6".to_owned());
                let tolerance = tolerance
                    .as_ref()
                    .map_or(Ok(default), |tolerance| self.constant(tolerance))?;
                Test::Near(self.expr(value)?, tolerance)
            }
            Check::Throws(kind, part) => {
                let kinds = self
                    .api
                    .enumeration("ErrorKind")
                    .map(|kinds| kinds.values.as_slice())
                    .unwrap_or_default();
                if !kinds.iter().any(|known| known.value == kind.text) {
                    let message = format!("`{}` is not a kind of error", kind.text);
                    let known = kinds.iter().map(|known| known.value.as_str());
                    return self
                        .report(Problem::new(kind.span, message).did_you_mean(&kind.text, known));
                }
                let part = part.as_deref().unwrap_or_default();
                Test::Throws {
                    kind: kind.text.clone(),
                    part: self.interpolate(part, kind.span)?,
                }
            }
        })
    }
}

/// Whether any step looks at something.
fn expects(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::Expect(..) => true,
        Step::For { body, .. } => expects(body),
        Step::Each { rounds, .. } => rounds.iter().any(|round| expects(&round.body)),
        _ => false,
    })
}

/// `zeros of q4_k are zero` becomes `zeros_of_q4_k_are_zero`.
pub(super) fn function_name(sentence: &str) -> String {
    let lower = sentence.to_ascii_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let name = words.join("_");
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name
    } else {
        format!("case_{name}")
    }
}
