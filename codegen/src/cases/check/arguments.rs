//! Arguments of a call, sorted into the places of the function's signature.

use super::super::ast::{Argument, Word};
use super::super::typed::{Call, Given, Target, Ty, Value};
use super::{Checked, Checker};
use crate::diagnostic::{Problem, Span};
use crate::ir::{self, Function, Type};

impl Checker<'_> {
    /// A call of `function`; `called` is its name as written.
    pub(super) fn call(
        &mut self,
        target: Target,
        function: &Function,
        called: Span,
        given: &[Argument],
    ) -> Checked<Value> {
        self.exists(&function.attributes, function.name.as_spec(), called)?;
        let mut places: Vec<Given> = function.arguments.iter().map(|_| Given::Omitted).collect();
        let mut by_position = 0;
        for argument in given {
            match &argument.name {
                Some(name) => self.by_name(function, name, argument, &mut places)?,
                None => {
                    let Some(wanted) = function
                        .arguments
                        .get(by_position)
                        .filter(|wanted| !is_dictionary(wanted))
                    else {
                        let count = function
                            .arguments
                            .iter()
                            .filter(|wanted| !is_dictionary(wanted))
                            .count();
                        let message = format!(
                            "`{}` takes {} by position",
                            function.name.as_spec(),
                            counted(count)
                        );
                        return self.report(Problem::new(argument.value.span, message));
                    };
                    places[by_position] = Given::Value(self.expr_of(&argument.value, &wanted.ty)?);
                    by_position += 1;
                }
            }
        }
        let missing = function
            .arguments
            .iter()
            .zip(&places)
            .find(|(wanted, place)| !wanted.optional && matches!(place, Given::Omitted));
        if let Some((wanted, _)) = missing {
            let message = format!(
                "`{}` needs its argument `{}`",
                function.name.as_spec(),
                wanted.name.as_spec()
            );
            return self.report(Problem::new(called, message));
        }
        let ty = match &target {
            Target::Constructor(class) => Type::Interface(class.clone()),
            _ => function.returns.clone(),
        };
        let call = Call {
            target,
            function: function.clone(),
            arguments: places,
        };
        Ok(Value {
            kind: super::super::typed::Kind::Call(call),
            ty: Ty::Api(ty),
        })
    }

    fn by_name(
        &mut self,
        function: &Function,
        name: &Word,
        argument: &Argument,
        places: &mut [Given],
    ) -> Checked<()> {
        let api = self.api;
        let named = |wanted: &&ir::Argument| wanted.name.as_spec() == name.text;
        for (place, wanted) in function.arguments.iter().enumerate() {
            if let Some(member) =
                dictionary(api, wanted).and_then(|dictionary| dictionary.members.iter().find(named))
            {
                let value = self.expr_of(&argument.value, &member.ty)?;
                if !matches!(places[place], Given::Options(_)) {
                    places[place] = Given::Options(Vec::new());
                }
                if let Given::Options(options) = &mut places[place] {
                    if options.iter().any(|(other, _)| other.name == member.name) {
                        return self.report(Problem::new(
                            name.span,
                            format!("`{}` is given twice", name.text),
                        ));
                    }
                    options.push((member.clone(), value));
                }
                return Ok(());
            }
            if named(&wanted) && !is_dictionary(wanted) {
                if !matches!(places[place], Given::Omitted) {
                    return self.report(Problem::new(
                        name.span,
                        format!("`{}` is given twice", name.text),
                    ));
                }
                places[place] = Given::Value(self.expr_of(&argument.value, &wanted.ty)?);
                return Ok(());
            }
        }
        let known = function
            .arguments
            .iter()
            .flat_map(|wanted| match dictionary(api, wanted) {
                Some(dictionary) => dictionary
                    .members
                    .iter()
                    .map(|member| member.name.as_spec())
                    .collect(),
                None => vec![wanted.name.as_spec()],
            });
        let message = format!(
            "`{}` has no argument `{}`",
            function.name.as_spec(),
            name.text
        );
        let problem = Problem::new(name.span, message).did_you_mean(&name.text, known);
        self.report(problem)
    }

    /// Refuses what some language does not have: a shared case runs in all.
    pub(super) fn exists(
        &mut self,
        attributes: &ir::Attributes,
        name: &str,
        span: Span,
    ) -> Checked<()> {
        if attributes.skip.is_empty() {
            return Ok(());
        }
        let without: Vec<&str> = attributes
            .skip
            .iter()
            .map(|language| language.as_str())
            .collect();
        let message = format!("`{name}` does not exist in {}", without.join(", "));
        self.report(
            Problem::new(span, message).hint("its tests stand in the folder of its language"),
        )
    }
}

fn is_dictionary(argument: &ir::Argument) -> bool {
    matches!(argument.ty.resolved(), Type::Dictionary(_))
}

fn dictionary<'a>(api: &'a ir::Api, argument: &ir::Argument) -> Option<&'a ir::Dictionary> {
    match argument.ty.resolved() {
        Type::Dictionary(name) => api.dictionary(name),
        _ => None,
    }
}

/// How many arguments are wanted, in words.
pub(super) fn counted(wanted: usize) -> String {
    match wanted {
        1 => "1 argument".to_owned(),
        _ => format!("{wanted} arguments"),
    }
}

/// How many arguments there were, in words.
pub(super) fn given(found: usize) -> String {
    match found {
        1 => "1 was given".to_owned(),
        _ => format!("{found} were given"),
    }
}
