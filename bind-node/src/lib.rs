//! The front, to be.
