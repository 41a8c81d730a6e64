//! Containers and functions in JavaScript: `at`, `get`, `set`, calls.

use super::super::join;
use super::expr;
use crate::cases::constant::Constant;
use crate::cases::shared::{Class, Operation, Shared};
use crate::cases::typed::{Kind, Value};

pub(super) fn shared(value: &Shared) -> String {
    match value {
        Shared::Make(class, items) => make(*class, items),
        Shared::Ask(operation, of, arguments) => ask(*operation, &expr(of), arguments),
        Shared::Call(function, arguments) => {
            format!("{}({})", expr(function), join(arguments, expr))
        }
    }
}

fn make(class: Class, items: &[Value]) -> String {
    let items = match class.is_mapping() {
        true => join(items.chunks(2), |pair| format!("[{}]", join(pair, expr))),
        false => join(items, expr),
    };
    format!("new tenspan.{}([{items}])", class.name())
}

fn ask(operation: Operation, of: &str, arguments: &[Value]) -> String {
    let all = join(arguments, expr);
    match (operation, arguments) {
        // JavaScript counts what goes, and does not say where it ends.
        (Operation::Splice, [start, stop, items @ ..]) => {
            let count = number(stop) - number(start);
            let items: String = items
                .iter()
                .map(|item| format!(", {}", expr(item)))
                .collect();
            format!("{of}.splice({}, {count}{items})", expr(start))
        }
        (Operation::At, _) => format!("{of}.at({all})"),
        (Operation::SetAt | Operation::SetKey, _) => format!("{of}.set({all})"),
        (Operation::IndexOf, _) => format!("positionOf({of}, {all})"),
        (Operation::Push, _) => format!("{of}.push({all})"),
        (Operation::RemoveAt, _) => format!("{of}.splice({all}, 1)[0]"),
        (Operation::Lookup, _) => format!("lookup({of}, {all})"),
        (Operation::Has, _) => format!("{of}.has({all})"),
        (Operation::RemoveKey, _) => format!("{of}.delete({all})"),
        (Operation::Keys, _) => format!("keys({of})"),
        (Operation::Values, _) => format!("[...{of}.values()]"),
        _ => format!("{of}.clear()"),
    }
}

/// A position that is written out.
fn number(value: &Value) -> i128 {
    match &value.kind {
        Kind::Constant(Constant::Integer(number)) => *number,
        _ => 0,
    }
}
