//! Products of quantized rows: kernels against the reference, the reference against arithmetic
//! written a second time here, and both against the recorded results of GGML.

#![allow(
    unexpected_cfgs,
    reason = "`cargo verify` sets `sanitized` under AddressSanitizer"
)]

mod activation;
mod exact;
mod kernels;
mod matrices;
mod recorded;
mod support;
