//! Searches for the scale, or scale and minimum, that cost least: the heart of the better encoders.
//!
//! Each is a fixed sequence of candidates, and which one wins may hang on the last bit of a sum. So
//! sums run from the first weight to the last and products from left to right. What may run side by
//! side are different groups of weights, see [`lanes`].

pub(super) mod affine;
pub(super) mod grid;
pub(super) mod lanes;
pub(super) mod lattice;
pub(super) mod points;
pub(super) mod positive;
pub(super) mod split;
pub(super) mod sweep;
pub(super) mod symmetric;
