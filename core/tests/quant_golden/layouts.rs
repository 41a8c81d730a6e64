//! The layouts of all block formats, read a second time: one weight of one block, in double
//! precision, straight from the description and without a thought for speed.

use tenspan::DTypeName;

use crate::vectors::{number, read, read_index};

/// Weight `i` of one block. What the formats round is rounded once, here at the end.
pub fn weight(name: DTypeName, block: &[u8], i: usize, books: &Codebooks) -> f32 {
    let byte = |j: usize| usize::from(block[j]);
    // `count` bits, from bit `at` of byte `j` on.
    let bits = |j: usize, at: usize, count: usize| byte(j) >> at & ((1 << count) - 1);
    let word = |j: usize| {
        u32::from_le_bytes([block[j], block[j + 1], block[j + 2], block[j + 3]]) as usize
    };
    let short = |j: usize| byte(j) | byte(j + 1) << 8;
    let signed = |j: usize| f64::from(block[j] as i8);
    let half_at = |j: usize| half(short(j));
    let number = |x: usize| x as f64;
    // Blocks of 32 have weight `i` in the low nibble of byte `i`, weight `i + 16` in the high one.
    let nibble = |j: usize| bits(j + i % 16, i % 32 / 16 * 4, 4);
    let exact = match name {
        DTypeName::Q10 => half_at(0) * (2.0 * number(bits(2 + i / 8, i % 8, 1)) - 1.0),
        DTypeName::Q20 => half_at(0) * (number(bits(2 + i / 4, i % 4 * 2, 2)) - 1.0),
        DTypeName::Q40 => half_at(0) * (number(nibble(2)) - 8.0),
        DTypeName::Q41 => half_at(0) * number(nibble(4)) + half_at(2),
        DTypeName::Q50 => half_at(0) * (number(nibble(6) + 16 * bits(2 + i / 8, i % 8, 1)) - 16.0),
        DTypeName::Q51 => {
            half_at(0) * number(nibble(8) + 16 * bits(4 + i / 8, i % 8, 1)) + half_at(2)
        }
        DTypeName::Q80 => half_at(0) * signed(2 + i),
        DTypeName::Q81 => half_at(0) * signed(4 + i),
        DTypeName::Q8K => f64::from(f32::from_bits(word(0) as u32)) * signed(4 + i),
        DTypeName::Q2K => {
            let q = bits(16 + i / 128 * 32 + i % 32, i / 32 % 4 * 2, 2);
            half_at(80) * number(bits(i / 16, 0, 4)) * number(q)
                - half_at(82) * number(bits(i / 16, 4, 4))
        }
        DTypeName::Q3K => {
            let j = i / 16;
            let scale = bits(96 + j % 8, j / 8 * 4, 4) | bits(104 + j % 4, j / 4 * 2, 2) << 4;
            let low = bits(32 + i / 128 * 32 + i % 32, i / 32 % 4 * 2, 2);
            let q = low | bits(i % 32, i / 32, 1) << 2;
            half_at(108) * (number(scale) - 32.0) * (number(q) - 4.0)
        }
        DTypeName::Q4K | DTypeName::Q5K => {
            let g = i / 32;
            let (scale, min) = if g < 4 {
                (bits(4 + g, 0, 6), bits(8 + g, 0, 6))
            } else {
                (
                    bits(8 + g, 0, 4) | bits(g, 6, 2) << 4,
                    bits(8 + g, 4, 4) | bits(4 + g, 6, 2) << 4,
                )
            };
            let five = name == DTypeName::Q5K;
            let nibbles = if five { 48 } else { 16 };
            let low = bits(nibbles + g / 2 * 32 + i % 32, g % 2 * 4, 4);
            let high = if five { bits(16 + i % 32, g, 1) } else { 0 };
            half_at(0) * number(scale) * number(low | high << 4) - half_at(2) * number(min)
        }
        DTypeName::Q6K => {
            let (n, k, l) = (i / 128, i / 32 % 4, i % 32);
            let low = bits(64 * n + k % 2 * 32 + l, k / 2 * 4, 4);
            let q = low | bits(128 + 32 * n + l, 2 * k, 2) << 4;
            half_at(208) * signed(192 + i / 16) * (number(q) - 32.0)
        }
        DTypeName::Iq1S => {
            let upper = short(34 + i / 32 * 2);
            let point = byte(2 + i / 8) | (upper >> (i / 8 % 4 * 3) & 7) << 8;
            let shift = if upper >> 15 == 0 { 0.125 } else { -0.125 };
            let value = f64::from(books.value("iq1", point, i % 8) as i8);
            half_at(0) * number(2 * (upper >> 12 & 7) + 1) * (value + shift)
        }
        DTypeName::Iq1M => {
            let unit = (0..4).map(|n| short(48 + 2 * n) >> 12 << (4 * n)).sum();
            let scale = short(48 + i / 64 * 2) >> (i / 16 % 4 * 3) & 7;
            let upper = bits(32 + i / 16, i / 8 % 2 * 4, 4);
            let shift = if upper >> 3 == 0 { 0.125 } else { -0.125 };
            let value = books.value("iq1", byte(i / 8) | (upper & 7) << 8, i % 8) as i8;
            half(unit) * number(2 * scale + 1) * (f64::from(value) + shift)
        }
        DTypeName::Iq2Xxs => {
            let group = 2 + i / 32 * 8;
            let signs = word(group + 4);
            let scale = half_at(0) * (0.5 + number(signs >> 28)) / 4.0;
            let value = books.value("iq2_xxs", byte(group + i / 8 % 4), i % 8);
            scale * f64::from(value) * seven(signs >> (i / 8 % 4 * 7), i % 8)
        }
        DTypeName::Iq2Xs => {
            let point = short(2 + i / 8 * 2);
            let scale = half_at(0) * (0.5 + number(bits(66 + i / 32, i / 16 % 2 * 4, 4))) / 4.0;
            let value = books.value("iq2_xs", point & 511, i % 8);
            scale * f64::from(value) * seven(point >> 9, i % 8)
        }
        DTypeName::Iq2S => {
            let point = byte(2 + i / 8) | bits(66 + i / 32, i / 8 % 4 * 2, 2) << 8;
            let scale = half_at(0) * (0.5 + number(bits(74 + i / 32, i / 16 % 2 * 4, 4))) / 4.0;
            let value = books.value("iq2_s", point, i % 8);
            scale * f64::from(value) * sign(bits(34 + i / 8, i % 8, 1))
        }
        DTypeName::Iq3Xxs => {
            let signs = word(66 + i / 32 * 4);
            let scale = half_at(0) * (0.5 + number(signs >> 28)) / 2.0;
            let value = books.value("iq3_xxs", byte(2 + i / 4), i % 4);
            scale * f64::from(value) * seven(signs >> (i / 8 % 4 * 7), i % 8)
        }
        DTypeName::Iq3S => {
            let point = byte(2 + i / 4) | bits(66 + i / 32, i / 4 % 8, 1) << 8;
            let scale = half_at(0) * number(1 + 2 * bits(106 + i / 64, i / 32 % 2 * 4, 4));
            let value = books.value("iq3_s", point, i % 4);
            scale * f64::from(value) * sign(bits(74 + i / 8, i % 8, 1))
        }
        DTypeName::Iq4Nl => half_at(0) * UNEVEN[nibble(2)],
        DTypeName::Iq4Xs => {
            let g = i / 32;
            let scale = bits(4 + g / 2, g % 2 * 4, 4) | (short(2) >> (2 * g) & 3) << 4;
            half_at(0) * (number(scale) - 32.0) * UNEVEN[nibble(8 + 16 * g)]
        }
        DTypeName::Tq10 => {
            // Which byte, and which of its digits to the base 3.
            let (j, n) = match i {
                0..160 => (i % 32, i / 32),
                160..240 => (32 + (i - 160) % 16, (i - 160) / 16),
                _ => (48 + (i - 240) % 4, (i - 240) / 4),
            };
            let fraction = byte(j) * 3usize.pow(n as u32) % 256;
            half_at(52) * (number(fraction * 3 / 256) - 1.0)
        }
        DTypeName::Tq20 => {
            let q = bits(i / 128 * 32 + i % 32, i / 32 % 4 * 2, 2);
            half_at(64) * (number(q) - 1.0)
        }
        DTypeName::Mxfp4 => FOUR_BITS[nibble(1)] * 2f64.powi(i32::from(block[0]) - 127),
        DTypeName::Nvfp4 => {
            let scale = match block[i / 16] {
                0x7f => 0.0,
                code => {
                    let (exponent, mantissa) = (i32::from(code >> 3 & 15), f64::from(code & 7));
                    let whole = if exponent == 0 { 0.0 } else { 8.0 };
                    (whole + mantissa) * 2f64.powi(exponent.max(1) - 10)
                }
            };
            scale * FOUR_BITS[bits(4 + i / 16 * 8 + i % 8, i / 8 % 2 * 4, 4)]
        }
        name => panic!(
            "{} needs a second reading of its layout here",
            name.as_str()
        ),
    };
    exact as f32
}

const UNEVEN: [f64; 16] = [
    -127.0, -104.0, -83.0, -65.0, -49.0, -35.0, -22.0, -10.0, 1.0, 13.0, 25.0, 38.0, 53.0, 69.0,
    89.0, 113.0,
];

const FOUR_BITS: [f64; 16] = [
    0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 0.0, -0.5, -1.0, -1.5, -2.0, -3.0, -4.0, -6.0,
];

fn sign(bit: usize) -> f64 {
    if bit == 0 { 1.0 } else { -1.0 }
}

/// Sign `i` of eight that are given as seven, the eighth making the minus signs even.
fn seven(signs: usize, i: usize) -> f64 {
    sign(if i < 7 {
        signs >> i & 1
    } else {
        (signs & 127).count_ones() as usize % 2
    })
}

/// The exact value of a half, from its fields.
fn half(bits: usize) -> f64 {
    let (exponent, mantissa) = ((bits >> 10 & 31) as i32, (bits & 1023) as f64);
    let magnitude = match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + mantissa) * 2f64.powi(exponent - 25),
    };
    if bits & 0x8000 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

/// The recorded codebooks.
pub struct Codebooks {
    index: serde_json::Value,
    values: Vec<u8>,
}

impl Codebooks {
    pub fn load() -> Self {
        Codebooks {
            index: read_index("codebooks.json"),
            values: read("codebooks.bin"),
        }
    }

    fn value(&self, book: &str, point: usize, weight: usize) -> u8 {
        let book = &self.index[book];
        self.values[number(&book["offset"]) + point * number(&book["weights"]) + weight]
    }
}
