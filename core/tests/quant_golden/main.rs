//! Codecs against the recorded results of GGML, and against arithmetic written a second time here.
//!
//! The recorded cases stand in `tests/vectors/quant`; its README tells their origin and layout. The
//! tests loop over [`CODECS`](tenspan::quant::CODECS), so a new block format without vectors fails.

mod layouts;
mod lengths;
mod properties;
mod recorded;
mod vectors;
