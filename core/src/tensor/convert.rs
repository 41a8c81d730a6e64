//! Conversion of packed elements between any two dtypes that have one.
//!
//! Numbers convert as Rust's `as` does: whole numbers wrap, floats become whole numbers by cutting off what stands
//! behind the point, at most the largest or least there is, and 0 for NaN. Floats round to the nearest. What
//! is encoded passes through `float32`, a few thousand elements at a time; small floats are rounded once, from the
//! exact value. Real numbers become complex; complex numbers do not become real.

use super::cast::unsupported;
use crate::dtype::{Class, DType, DTypeName};
use crate::error::Result;
use crate::quant::kernel::{self, Stores};
use crate::quant::{self, Codec};

/// Elements converted at a time through `float32`: 16 KiB, which stays in the nearest cache, and whole blocks of every
/// format.
const TILE: usize = 4096;

/// As [`TILE`], for runs so short that clearing one would cost more than what is done in it.
const SMALL_TILE: usize = 256;

/// Calls `$body` with `$T` standing for the Rust type of a plain real dtype; a boolean is its byte.
macro_rules! with_type {
    ($name:expr, $T:ident => $body:expr) => {
        match $name {
            DTypeName::Float64 => {
                type $T = f64;
                $body
            }
            DTypeName::Float32 => {
                type $T = f32;
                $body
            }
            DTypeName::Int8 => {
                type $T = i8;
                $body
            }
            DTypeName::Int16 => {
                type $T = i16;
                $body
            }
            DTypeName::Int32 => {
                type $T = i32;
                $body
            }
            DTypeName::Int64 => {
                type $T = i64;
                $body
            }
            DTypeName::Uint16 => {
                type $T = u16;
                $body
            }
            DTypeName::Uint32 => {
                type $T = u32;
                $body
            }
            DTypeName::Uint64 => {
                type $T = u64;
                $body
            }
            // What is left of the plain real types is `uint8` and `bool`.
            _ => {
                type $T = u8;
                $body
            }
        }
    };
}

/// Converts packed elements; both sides are whole blocks of the same number of elements, of a supported pair.
pub(crate) fn convert(from: DType, src: &[u8], to: DType, dst: &mut [u8]) -> Result<()> {
    convert_part(from, src, to, dst, Stores::Cached)
}

/// As [`convert`], for a part of a larger whole: `stores` says how floats that are decoded are written.
pub(crate) fn convert_part(
    from: DType,
    src: &[u8],
    to: DType,
    dst: &mut [u8],
    stores: Stores,
) -> Result<()> {
    let (Some(source), Some(target)) = (from.known(), to.known()) else {
        return unsupported(from, to);
    };
    if from == to {
        dst.copy_from_slice(src);
        return Ok(());
    }
    let (decoder, encoder) = (quant::codec(source), quant::codec(target));
    // Floats that are aligned need no tile.
    if let Some(decoder) = decoder
        && target == DTypeName::Float32
        && let Ok(floats) = bytemuck::try_cast_slice_mut(dst)
    {
        kernel::decode(decoder, src, floats, stores);
        return Ok(());
    }
    if let Some(encoder) = encoder
        && source == DTypeName::Float32
        && let Ok(floats) = bytemuck::try_cast_slice::<u8, f32>(src)
    {
        kernel::encode(encoder, floats, floats.len(), None, dst);
        return Ok(());
    }
    if decoder.is_none() && encoder.is_none() {
        match from.class() == Class::Complex || to.class() == Class::Complex {
            true => complex(source, src, target, dst),
            false => numbers(source, src, target, dst),
        }
        return Ok(());
    }
    let pair = Pair {
        source,
        from,
        decoder,
        target,
        to,
        encoder,
    };
    if src.len() / from.block_bytes() as usize * from.block_len() as usize <= SMALL_TILE {
        pair.convert::<SMALL_TILE>(src, dst);
    } else {
        pair.convert::<TILE>(src, dst);
    }
    Ok(())
}

/// Two dtypes, at least one of which is encoded.
struct Pair {
    source: DTypeName,
    from: DType,
    decoder: Option<&'static dyn Codec>,
    target: DTypeName,
    to: DType,
    encoder: Option<&'static dyn Codec>,
}

impl Pair {
    /// Converts through tiles of so many floats.
    fn convert<const LEN: usize>(&self, src: &[u8], dst: &mut [u8]) {
        let step = |dtype: DType| LEN / dtype.block_len() as usize * dtype.block_bytes() as usize;
        let mut floats = [0f32; LEN];
        let (from, to) = (step(self.from), step(self.to));
        for (src, dst) in src.chunks(from).zip(dst.chunks_mut(to)) {
            let blocks = src.len() / self.from.block_bytes() as usize;
            let floats = &mut floats[..blocks * self.from.block_len() as usize];
            self.read(src, floats);
            self.write(floats, dst);
        }
    }

    fn read(&self, src: &[u8], floats: &mut [f32]) {
        match self.decoder {
            Some(decoder) => kernel::decode(decoder, src, floats, Stores::Cached),
            None if self.to.is_plain() && is_wide(self.source) => to_odd(self.source, src, floats),
            None => {
                let floats = bytemuck::cast_slice_mut(floats);
                numbers(self.source, src, DTypeName::Float32, floats);
            }
        }
    }

    fn write(&self, floats: &[f32], dst: &mut [u8]) {
        if let Some(encoder) = self.encoder {
            return kernel::encode(encoder, floats, floats.len(), None, dst);
        }
        let floats = bytemuck::cast_slice(floats);
        match self.to.class() {
            Class::Complex => complex(DTypeName::Float32, floats, self.target, dst),
            _ => numbers(DTypeName::Float32, floats, self.target, dst),
        }
    }
}

/// Whether `float32` does not hold every value of the type.
fn is_wide(name: DTypeName) -> bool {
    use DTypeName as N;
    matches!(
        name,
        N::Float64 | N::Int32 | N::Int64 | N::Uint32 | N::Uint64
    )
}

/// Wide numbers cut to floats such that rounding these to fewer bits gives what rounding the numbers would: what is lost
/// shows in the last bit, so that nothing inexact looks like a tie.
fn to_odd(source: DTypeName, src: &[u8], floats: &mut [f32]) {
    if source == DTypeName::Float64 {
        return kernel::narrow_to_odd(src.as_chunks().0, floats);
    }
    let floats = bytemuck::cast_slice_mut(floats);
    match source {
        DTypeName::Int32 => each(src, floats, |x: i32| whole_to_odd(x as f32, x.into())),
        DTypeName::Uint32 => each(src, floats, |x: u32| whole_to_odd(x as f32, x.into())),
        DTypeName::Int64 => each(src, floats, |x: i64| whole_to_odd(x as f32, x.into())),
        _ => each(src, floats, |x: u64| whole_to_odd(x as f32, x.into())),
    }
}

/// The float `near` a whole number, unless it is another number: then the one toward zero with its last bit set.
fn whole_to_odd(near: f32, x: i128) -> f32 {
    let back = near as i128;
    if back == x {
        return near;
    }
    let outward = u32::from(back.abs() > x.abs());
    f32::from_bits((near.to_bits() - outward) | 1)
}

fn size(name: DTypeName) -> usize {
    DType::Known(name).block_bytes() as usize
}

/// Real numbers that are stored as themselves.
fn numbers(source: DTypeName, src: &[u8], target: DTypeName, dst: &mut [u8]) {
    if target == DTypeName::Bool {
        with_type!(source, S => each::<S, u8>(src, dst, |x| u8::from(x != (0 as S))));
    } else if source == DTypeName::Bool {
        with_type!(target, D => each::<u8, D>(src, dst, |x| u8::from(x != 0) as D));
    } else {
        with_type!(source, S => with_type!(target, D => each::<S, D>(src, dst, |x| x as D)));
    }
}

/// Complex numbers from complex or real ones that are stored as themselves.
fn complex(source: DTypeName, src: &[u8], target: DTypeName, dst: &mut [u8]) {
    let part = |name| match name {
        DTypeName::Complex64 => DTypeName::Float32,
        _ => DTypeName::Float64,
    };
    if matches!(source, DTypeName::Complex64 | DTypeName::Complex128) {
        return numbers(part(source), src, part(target), dst);
    }
    let (from, to) = (size(source), size(target));
    for (src, dst) in src.chunks_exact(from).zip(dst.chunks_exact_mut(to)) {
        let (real, imaginary) = dst.split_at_mut(to / 2);
        numbers(source, src, part(target), real);
        imaginary.fill(0);
    }
}

fn each<S: bytemuck::Pod, D: bytemuck::Pod>(src: &[u8], dst: &mut [u8], convert: impl Fn(S) -> D) {
    for (src, dst) in src
        .chunks_exact(size_of::<S>())
        .zip(dst.chunks_exact_mut(size_of::<D>()))
    {
        // Bytes of files and of other libraries need not be aligned.
        dst.copy_from_slice(bytemuck::bytes_of(&convert(bytemuck::pod_read_unaligned(
            src,
        ))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quant::{bfloat16, float8, float16};

    /// Doubles of all exponents, and around the ties of small floats.
    fn doubles() -> Vec<f64> {
        let mut doubles = vec![
            0.0,
            -0.0,
            f64::NAN,
            -f64::NAN,
            f64::INFINITY,
            -1e300,
            5e-324,
        ];
        for bits in (0..=u32::MAX).step_by((1 << 12) + 4096 * 37) {
            let float = f64::from(f32::from_bits(bits));
            doubles.extend([
                float,
                float.next_up(),
                float.next_down(),
                float * 1.000_000_1,
            ]);
        }
        doubles.extend(
            (0..2000)
                .map(|i: i32| f64::from_bits(0x0123_4567_89ab_cdef_u64.wrapping_mul(i as u64))),
        );
        doubles
    }

    #[test]
    fn doubles_round_once_to_every_small_float() {
        let doubles = doubles();
        // One byte off: what comes from files need not be aligned.
        let mut moved = vec![0];
        moved.extend_from_slice(bytemuck::cast_slice(&doubles));
        let check = |to: DType, round: &dyn Fn(f64) -> Vec<u8>| {
            for count in [0, 1, 3, 4, 7, 8, 255, 257, doubles.len()] {
                let wanted: Vec<u8> = doubles[..count].iter().flat_map(|x| round(*x)).collect();
                let mut got = vec![1; wanted.len()];
                convert(DType::F64, &moved[1..][..8 * count], to, &mut got).unwrap();
                assert!(got == wanted, "{to}, {count} doubles");
            }
        };
        check(DType::F16, &|x| float16::from_f64(x).to_le_bytes().into());
        check(DType::BF16, &|x| bfloat16::from_f64(x).to_le_bytes().into());
        check(DType::F8_E4M3, &|x| vec![float8::E4M3FN.from_f64(x)]);
        check(DType::F8_E5M2, &|x| vec![float8::E5M2.from_f64(x)]);
        check(DType::F32, &|x| (x as f32).to_le_bytes().into());
    }

    #[test]
    fn whole_numbers_round_once() {
        for shift in 0..100 {
            for offset in -3..=3 {
                let whole = (1i128 << shift) + (1 << shift >> 8) + (1 << shift >> 11) + offset;
                for whole in [whole, -whole] {
                    let odd = whole_to_odd(whole as f32, whole);
                    // The float below or above, or the number itself.
                    assert_eq!(odd as i128 == whole, whole as f32 as i128 == whole);
                    assert!(odd as i128 == whole || odd.to_bits() & 1 == 1);
                    assert!((odd as i128 - whole).abs() <= 1 << shift >> 22);
                }
            }
        }
    }

    #[test]
    fn tiles_meet_without_a_seam() {
        let floats: Vec<f32> = (0..3 * TILE).map(|i| (i as f32 * 0.37).sin()).collect();
        for to in [DType::Q4_0, DType::Q8_0, DType::F16, DType::BF16] {
            let step = |n: usize| n / to.block_len() as usize * to.block_bytes() as usize;
            for count in [32, SMALL_TILE, SMALL_TILE + 32, TILE, TILE + 32, 3 * TILE] {
                let doubles: Vec<f64> = floats[..count].iter().map(|x| f64::from(*x)).collect();
                let (mut direct, mut tiled) = (vec![0; step(count)], vec![1; step(count)]);
                let bytes = bytemuck::cast_slice(&floats[..count]);
                convert(DType::F32, bytes, to, &mut direct).unwrap();
                convert(DType::F64, bytemuck::cast_slice(&doubles), to, &mut tiled).unwrap();
                assert_eq!(direct, tiled, "{to}");
                let mut wide = vec![0; 8 * count];
                let mut halves = vec![0; 2 * count];
                convert(to, &direct, DType::F64, &mut wide).unwrap();
                if to != DType::F16 {
                    convert(to, &direct, DType::F16, &mut halves).unwrap();
                    for (wide, half) in wide.as_chunks().0.iter().zip(halves.as_chunks().0) {
                        let wanted = float16::from_f64(f64::from_le_bytes(*wide));
                        assert_eq!(u16::from_le_bytes(*half), wanted);
                    }
                }
            }
        }
    }
}
