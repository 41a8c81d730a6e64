//! The text of the spec: characters to tokens to a tree. Nothing here knows what a name means.

pub mod ast;
pub mod lexer;
pub mod parser;
