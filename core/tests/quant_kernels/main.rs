//! Kernels: on every instruction set, bit for bit what the scalar codecs give.

#![allow(
    unexpected_cfgs,
    reason = "`cargo verify` sets `sanitized` under AddressSanitizer"
)]

mod decode;
mod encode;

/// Bytes from a seed: cheap enough for thousands of blocks.
fn noise(mut state: u64, len: usize) -> Vec<u8> {
    (0..len)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        })
        .collect()
}
