//! Containers and functions in Python: indices, operators, calls.

use super::super::join;
use super::expr;
use crate::cases::shared::{Class, Operation, Shared};
use crate::cases::typed::Value;

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
        true => join(items.chunks(2), |pair| format!("({})", join(pair, expr))),
        false => join(items, expr),
    };
    format!("tenspan.{}([{items}])", class.name())
}

fn ask(operation: Operation, of: &str, arguments: &[Value]) -> String {
    let all = join(arguments, expr);
    match (operation, arguments) {
        (Operation::SetAt | Operation::SetKey, [key, value]) => {
            format!("{of}[{}] = {}", expr(key), expr(value))
        }
        (Operation::Splice, [start, stop, items @ ..]) => {
            let (start, stop) = (expr(start), expr(stop));
            format!("splice({of}, {start}, {stop}, [{}])", join(items, expr))
        }
        (Operation::At | Operation::Lookup, _) => format!("{of}[{all}]"),
        (Operation::IndexOf, _) => format!("position_of({of}, {all})"),
        (Operation::Push, _) => format!("{of}.append({all})"),
        (Operation::RemoveAt, _) => format!("{of}.pop({all})"),
        (Operation::Has, _) => format!("{all} in {of}"),
        (Operation::RemoveKey, _) => format!("remove({of}, {all})"),
        (Operation::Keys, _) => format!("keys({of})"),
        (Operation::Values, _) => format!("list({of}.values())"),
        _ => format!("{of}.clear()"),
    }
}
