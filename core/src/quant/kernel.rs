//! Kernels: what a codec does block by block, done with the vector instructions of this processor.
//!
//! [`InstructionSet::chosen`] is decided once, at first use: the best set that the processor has,
//! or the one that the environment variable `TENSPAN_SIMD` names: `scalar`, `neon`, `avx2` or `avx512`. A
//! name that is unknown, or of a set that the processor lacks, is as if it were not there. Every kernel gives
//! the bits of the scalar codec (any NaN for a NaN), which stays the reference and decodes what has
//! no kernel.
//!
//! What does not fit into the last-level cache is written past the caches ([`Stores`]): the lines
//! need not be read first, and the blocks still to come are not driven out.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod dot;
#[cfg(target_arch = "aarch64")]
mod neon;

pub(crate) use self::dot::{DotKernel, dot_floats};

use std::sync::OnceLock;

use super::Codec;
use super::float16::round_to_odd;

/// The environment variable that pins the instruction set.
const VARIABLE: &str = "TENSPAN_SIMD";

/// The size of a last-level cache whose size the system does not tell.
const USUAL_CACHE: u64 = 32 << 20;

/// Instructions that kernels exist for, the plainest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// Whatever the compiler makes of the codecs.
    Scalar,
    /// NEON, which every 64-bit ARM processor has.
    Neon,
    /// AVX2, FMA and F16C.
    Avx2,
    /// AVX-512 with its foundation, bytes and words (BW), double and quad words (DQ) and shorter
    /// vectors (VL), which all processors with it have but the first. A kernel that wants more asks
    /// for it itself.
    Avx512,
}

impl InstructionSet {
    /// Every set, the best last.
    pub const ALL: [InstructionSet; 4] = [
        InstructionSet::Scalar,
        InstructionSet::Neon,
        InstructionSet::Avx2,
        InstructionSet::Avx512,
    ];

    /// What `TENSPAN_SIMD` calls it.
    pub fn name(self) -> &'static str {
        match self {
            InstructionSet::Scalar => "scalar",
            InstructionSet::Neon => "neon",
            InstructionSet::Avx2 => "avx2",
            InstructionSet::Avx512 => "avx512",
        }
    }

    /// Whether this processor has it.
    pub fn is_available(self) -> bool {
        match self {
            InstructionSet::Scalar => true,
            InstructionSet::Neon => cfg!(target_arch = "aarch64"),
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx2 => {
                std::arch::is_x86_feature_detected!("avx2")
                    && std::arch::is_x86_feature_detected!("fma")
                    && std::arch::is_x86_feature_detected!("f16c")
            }
            #[cfg(target_arch = "x86_64")]
            InstructionSet::Avx512 => {
                InstructionSet::Avx2.is_available()
                    && std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                    && std::arch::is_x86_feature_detected!("avx512vl")
            }
            #[cfg(not(target_arch = "x86_64"))]
            InstructionSet::Avx2 | InstructionSet::Avx512 => false,
        }
    }

    /// The one that is used in this process.
    pub fn chosen() -> Self {
        static CHOSEN: OnceLock<InstructionSet> = OnceLock::new();
        *CHOSEN.get_or_init(|| Self::choose(std::env::var(VARIABLE).ok().as_deref()))
    }

    /// The available set of that name, else the best one.
    fn choose(name: Option<&str>) -> Self {
        let mut available = Self::ALL.into_iter().filter(|set| set.is_available());
        let named = available
            .clone()
            .find(|set| name.is_some_and(|name| name.eq_ignore_ascii_case(set.name())));
        named
            .or_else(|| available.next_back())
            .unwrap_or(InstructionSet::Scalar)
    }
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stores {
    /// Into the caches, from where they are read soon.
    Cached,
    /// Past the caches.
    Streaming,
}

impl Stores {
    /// What is faster for a call that writes so many floats in all, on any number of threads, which share
    /// the last-level cache.
    pub fn for_output(floats: u64) -> Self {
        if floats >= last_level_cache() / 4 {
            Stores::Streaming
        } else {
            Stores::Cached
        }
    }

    /// What is faster for memory that nobody has touched yet: the system has just cleared each page when
    /// it is written, so that its lines are in the caches.
    pub fn for_new_output() -> Self {
        Stores::Cached
    }
}

/// Decodes whole blocks with the chosen instruction set.
///
/// As with [`Codec::decode`], the caller checked that `blocks` and `out` hold the same number of
/// blocks.
pub(crate) fn decode(codec: &dyn Codec, blocks: &[u8], out: &mut [f32], stores: Stores) {
    decode_with(InstructionSet::chosen(), codec, blocks, out, stores);
}

/// Decodes whole blocks with an instruction set; with the scalar codec where it is not available or
/// has no kernel for the format.
///
/// Blocks that lack their place in `out`, and places that lack their block, are left alone.
pub fn decode_with(
    set: InstructionSet,
    codec: &dyn Codec,
    blocks: &[u8],
    out: &mut [f32],
    stores: Stores,
) {
    let count = (blocks.len() / codec.block_bytes()).min(out.len() / codec.block_len());
    let blocks = &blocks[..count * codec.block_bytes()];
    let out = &mut out[..count * codec.block_len()];
    #[cfg(target_arch = "x86_64")]
    match set {
        InstructionSet::Avx512 if set.is_available() => {
            return avx512::decode(codec, blocks, out, stores);
        }
        InstructionSet::Avx2 if set.is_available() => {
            return avx2::decode(codec, blocks, out, stores);
        }
        _ => {}
    }
    #[cfg(target_arch = "aarch64")]
    if set == InstructionSet::Neon {
        return neon::decode(codec, blocks, out);
    }
    let _ = (set, stores);
    codec.decode(blocks, out);
}

/// Encodes whole rows with the chosen instruction set.
///
/// As with [`Codec::encode`], the caller checked the lengths.
pub(crate) fn encode(
    codec: &dyn Codec,
    weights: &[f32],
    row_len: usize,
    importance: Option<&[f32]>,
    out: &mut [u8],
) {
    encode_with(
        InstructionSet::chosen(),
        codec,
        weights,
        row_len,
        importance,
        out,
    );
}

/// Encodes whole rows with an instruction set; with the scalar codec where it is not available or
/// has no kernel for the format. Writes the bytes that [`Codec::encode`] writes.
pub fn encode_with(
    set: InstructionSet,
    codec: &dyn Codec,
    weights: &[f32],
    row_len: usize,
    importance: Option<&[f32]>,
    out: &mut [u8],
) {
    #[cfg(target_arch = "x86_64")]
    match set {
        InstructionSet::Avx512 if set.is_available() => {
            return avx512::encode(codec, weights, row_len, importance, out);
        }
        InstructionSet::Avx2 if set.is_available() => {
            return avx2::encode(codec, weights, row_len, importance, out);
        }
        _ => {}
    }
    #[cfg(target_arch = "aarch64")]
    if set == InstructionSet::Neon {
        return neon::encode(codec, weights, row_len, importance, out);
    }
    let _ = set;
    codec.encode(weights, row_len, importance, out);
}

/// Cuts doubles to floats such that rounding these to fewer bits gives what rounding the doubles would.
///
/// What is lost shows in the last bit, so that nothing inexact looks like a tie.
pub(crate) fn narrow_to_odd(doubles: &[[u8; 8]], out: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if InstructionSet::chosen() >= InstructionSet::Avx2 {
        return avx2::narrow_to_odd(doubles, out);
    }
    #[cfg(target_arch = "aarch64")]
    if InstructionSet::chosen() == InstructionSet::Neon {
        return neon::narrow_to_odd(doubles, out);
    }
    for (x, out) in doubles.iter().zip(out) {
        *out = round_to_odd(f64::from_ne_bytes(*x));
    }
}

/// Bytes of the last-level cache.
fn last_level_cache() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    *BYTES.get_or_init(|| {
        let told = (0..8).filter_map(|index| {
            let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
            parse_size(&std::fs::read_to_string(path).ok()?)
        });
        told.max().unwrap_or(USUAL_CACHE)
    })
}

/// A size as the kernel of Linux writes it, such as `32768K`.
fn parse_size(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, shift) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 10),
        b'M' => (&text[..text.len() - 1], 20),
        _ => (text, 0),
    };
    let size = digits.parse::<u64>().ok()?.checked_mul(1 << shift)?;
    (size > 0).then_some(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_pins_the_set_and_an_unknown_one_does_not() {
        let best = InstructionSet::choose(None);
        assert!(best.is_available());
        assert_eq!(
            InstructionSet::choose(Some("scalar")),
            InstructionSet::Scalar
        );
        assert_eq!(
            InstructionSet::choose(Some("Scalar")),
            InstructionSet::Scalar
        );
        assert_eq!(InstructionSet::choose(Some("mmx")), best);
        assert_eq!(InstructionSet::choose(Some("")), best);
    }

    #[test]
    fn sizes_of_caches_are_read() {
        assert_eq!(parse_size("32768K\n"), Some(32 << 20));
        assert_eq!(parse_size("1M"), Some(1 << 20));
        assert_eq!(parse_size("512"), Some(512));
        assert_eq!(parse_size("0K"), None);
        assert_eq!(parse_size(""), None);
        assert_eq!(parse_size("K"), None);
        assert_eq!(parse_size("99999999999999999999M"), None);
    }

    #[test]
    fn only_what_fills_the_cache_is_streamed() {
        let floats = last_level_cache() / 4;
        assert_eq!(Stores::for_output(floats), Stores::Streaming);
        assert_eq!(Stores::for_output(floats - 1), Stores::Cached);
    }
}
