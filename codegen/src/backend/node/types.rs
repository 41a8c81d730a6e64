//! Types of the spec in TypeScript: wide where they come in, exact where they go out.

use crate::ir::Type;

/// Aliases that TypeScript has types of its own for; they stand at the top of the template.
pub const OWN: &[&str] = &[
    "Address",
    "DTypeLike",
    "Exports",
    "Foreign",
    "Scalar",
    "TensorLike",
    "TypedArray",
];

/// The type of an argument.
pub fn input(ty: &Type) -> String {
    if ty.alias() == Some("Address") {
        return "number | bigint".to_owned();
    }
    if let Some(own) = own(ty) {
        return own;
    }
    match ty {
        Type::Nullable(inner) => format!("{} | null", input(inner)),
        Type::Alias { target, .. } => input(target),
        Type::Union(members) => union(members.iter().map(input)),
        Type::Sequence(inner) => format!("readonly {}[]", grouped(input(inner))),
        Type::Record(inner) => format!("Named<{}>", input(inner)),
        Type::Integer { bits: 64, .. } => "number | bigint".to_owned(),
        Type::Bytes => "Bytes".to_owned(),
        Type::Any => "unknown".to_owned(),
        // Every function is one of tenspan when it is passed.
        Type::Interface(name) if name == "Function" => "Callable".to_owned(),
        other => plain(other),
    }
}

/// The type of a result, or of a property. `this` is the generic form of the class that it belongs to.
pub fn output(ty: &Type, this: Option<&str>) -> String {
    if ty.alias() == Some("TypedArray") {
        return "DataOf<D>".to_owned();
    }
    if ty.alias() == Some("Scalar") {
        // A number that is not complex can be reckoned with at once.
        return "any".to_owned();
    }
    if let Some(own) = own(ty) {
        return own;
    }
    match ty {
        Type::Nullable(inner) => format!("{} | null", output(inner, this)),
        Type::Alias { target, .. } => output(target, this),
        Type::Union(_) => output(ty.resolved(), this),
        Type::Sequence(inner) => format!("{}[]", grouped(output(inner, this))),
        Type::Record(inner) => format!("Record<string, {}>", output(inner, this)),
        Type::Bytes => "Uint8Array".to_owned(),
        Type::Interface(name) => match this.filter(|this| this.split('<').next() == Some(name)) {
            Some(this) => this.to_owned(),
            None => name.clone(),
        },
        other => plain(other),
    }
}

fn own(ty: &Type) -> Option<String> {
    match ty {
        Type::Alias { name, .. } if OWN.contains(&name.as_str()) => Some(name.clone()),
        _ => None,
    }
}

fn plain(ty: &Type) -> String {
    match ty {
        Type::Undefined => "void",
        Type::Boolean => "boolean",
        Type::Integer { .. } | Type::Double => "number",
        Type::String => "string",
        Type::Any => "any",
        Type::Object => "object",
        Type::Interface(name)
        | Type::Enum(name)
        | Type::Dictionary(name)
        | Type::Callback(name) => name,
        _ => "unknown",
    }
    .to_owned()
}

fn union(members: impl Iterator<Item = String>) -> String {
    let mut seen: Vec<String> = Vec::new();
    members.for_each(|member| {
        if !seen.contains(&member) {
            seen.push(member);
        }
    });
    seen.join(" | ")
}

fn grouped(ty: String) -> String {
    if ty.contains([' ', '|']) {
        format!("({ty})")
    } else {
        ty
    }
}
