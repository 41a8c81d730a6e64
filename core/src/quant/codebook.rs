//! Codebooks: the combinations of levels that the `iq1`, `iq2` and `iq3` formats can store.
//!
//! A format stores the number of a point, 8 or 4 weights at once, instead of a level per weight.
//! The points stand once, in [`packed`]; decoders read them as bytes from the tables here, which
//! the compiler unpacks, and encoders search them in [`super::search::grid`].

pub(super) mod packed;

/// Magnitudes of the weights of `iq2_xxs`, in units of an eighth.
pub(super) static IQ2_XXS: [[u8; 8]; 256] = unpack(&packed::IQ2_XXS, &EIGHTHS);
/// Magnitudes of the weights of `iq2_xs`, in units of an eighth.
pub(super) static IQ2_XS: [[u8; 8]; 512] = unpack(&packed::IQ2_XS, &EIGHTHS);
/// Magnitudes of the weights of `iq2_s`, in units of an eighth.
pub(super) static IQ2_S: [[u8; 8]; 1024] = unpack(&packed::IQ2_S, &EIGHTHS);
/// Magnitudes of the weights of `iq3_xxs`, in units of a quarter.
pub(super) static IQ3_XXS: [[u8; 4]; 256] = unpack(&packed::IQ3_XXS, &QUARTERS);
/// Magnitudes of the weights of `iq3_s`.
pub(super) static IQ3_S: [[u8; 4]; 512] = unpack(&packed::IQ3_S, &ODD);
/// Levels of the weights of `iq1_s` and `iq1_m`, less one.
pub(super) static IQ1: [[i8; 8]; 2048] = unpack(&packed::IQ1, &[-1, 0, 1]);

const EIGHTHS: [u8; 3] = [8, 25, 43];
const QUARTERS: [u8; 8] = [4, 12, 20, 28, 36, 44, 52, 62];
const ODD: [u8; 8] = [1, 3, 5, 7, 9, 11, 13, 15];

/// The value of each level of each point. The bits of a level follow from the number of levels.
const fn unpack<T: Copy, const N: usize, const D: usize, const K: usize>(
    packed: &[u16; N],
    values: &[T; K],
) -> [[T; D]; N] {
    let bits = (K - 1).ilog2() + 1;
    let mut points = [[values[0]; D]; N];
    let mut i = 0;
    while i < N {
        let mut j = 0;
        while j < D {
            points[i][j] = values[(packed[i] >> (bits * j as u32)) as usize & ((1 << bits) - 1)];
            j += 1;
        }
        i += 1;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    /// FNV-1a of all values, as bytes.
    fn digest<'a, const D: usize>(points: impl IntoIterator<Item = &'a [u8; D]>) -> u64 {
        let bytes = points.into_iter().flatten();
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    #[test]
    fn the_books_are_those_of_ggml() {
        let iq1 = IQ1.map(|point| point.map(|value| value as u8));
        assert_eq!(digest(&iq1), 0x6703_ed86_3501_ae2e);
        assert_eq!(digest(&IQ2_XXS), 0xbb4e_e025_b5ac_6e8e);
        assert_eq!(digest(&IQ2_XS), 0xc9b1_ee61_e799_09bd);
        assert_eq!(digest(&IQ2_S), 0x123e_dd38_a3b6_2b90);
        assert_eq!(digest(&IQ3_XXS), 0xdfa5_dc83_d6a1_55d5);
        assert_eq!(digest(&IQ3_S), 0xfa37_020c_25b4_4829);
    }
}
