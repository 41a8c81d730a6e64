//! Doubles cut to floats.

use std::arch::aarch64::*;

use crate::quant::float16::round_to_odd;

/// Cuts doubles to floats as [`round_to_odd`] does, for which there is an instruction.
pub(in crate::quant::kernel) fn narrow_to_odd(doubles: &[[u8; 8]], out: &mut [f32]) {
    let count = doubles.len().min(out.len());
    let (pairs, rest) = doubles[..count].as_chunks();
    let (places, rest_places) = out[..count].as_chunks_mut();
    for (pair, out) in pairs.iter().zip(places) {
        // SAFETY: every processor that this is compiled for has the instructions.
        unsafe { two(pair, out) };
    }
    for (x, out) in rest.iter().zip(rest_places) {
        *out = round_to_odd(f64::from_ne_bytes(*x));
    }
}

/// Cuts two doubles.
#[inline]
#[target_feature(enable = "neon")]
fn two(doubles: &[[u8; 8]; 2], out: &mut [f32; 2]) {
    // SAFETY: 16 bytes are read, without alignment.
    let doubles = unsafe { vld1q_u8(doubles.as_flattened().as_ptr()) };
    let floats = vcvtx_f32_f64(vreinterpretq_f64_u8(doubles));
    // SAFETY: two floats are written, without alignment.
    unsafe { vst1_f32(out.as_mut_ptr(), floats) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instruction_rounds_as_the_codec() {
        let mut doubles = vec![0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e-320];
        for exponent in -160..130 {
            for mantissa in [1.0, 1.5, 1.0 + 1e-7, 1.0 + 1e-15, 2.0 - 1e-9, 2.0 - 1e-16] {
                doubles.push(f64::powi(2.0, exponent) * mantissa);
                doubles.push(-f64::powi(2.0, exponent) * mantissa);
            }
        }
        doubles.push(0.1);
        let bytes: Vec<[u8; 8]> = doubles.iter().map(|x| x.to_ne_bytes()).collect();
        let mut floats = vec![0.0; doubles.len()];
        narrow_to_odd(&bytes, &mut floats);
        for (float, double) in floats.iter().zip(&doubles) {
            assert_eq!(float.to_bits(), round_to_odd(*double).to_bits(), "{double}");
        }
        let nan = [f64::NAN.to_ne_bytes(); 2];
        narrow_to_odd(&nan, &mut floats);
        assert!(floats[0].is_nan() && floats[1].is_nan());
    }
}
