//! What all kernels share: loads, widening, scaling, and stores.
//!
//! Every product of a level and a scale is exact in `f32`, so no order of factors matters.

use std::arch::asm;
use std::arch::x86_64::*;

/// Four floats anywhere.
pub(super) type QuadFloats = [f32; 4];

/// Four floats at a multiple of 16 bytes.
#[repr(C, align(16))]
pub(super) struct Quad(QuadFloats);

/// Where results go: four floats.
///
/// # Safety
/// The type is four floats and nothing else, and where `STREAM` is set, it is aligned to 16 bytes.
pub(super) unsafe trait Sink: Sized {
    /// Whether stores pass the caches.
    const STREAM: bool;
}

// SAFETY: four floats; not streamed.
unsafe impl Sink for QuadFloats {
    const STREAM: bool = false;
}

// SAFETY: `repr(C, align(16))` around four floats, whose size is a multiple of that.
unsafe impl Sink for Quad {
    const STREAM: bool = true;
}

/// Stores eight floats.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store<S: Sink>(out: &mut [S; 2], x: __m256) {
    let place = out.as_mut_ptr().cast::<f32>();
    if !S::STREAM {
        // SAFETY: two sinks are eight floats; this store needs no alignment.
        unsafe { _mm256_storeu_ps(place, x) };
    } else if place.addr().is_multiple_of(32) {
        // SAFETY: eight floats at a multiple of 32 bytes. Whoever calls the kernel fences.
        unsafe { _mm256_stream_ps(place, x) };
    } else {
        let [first, second] = out;
        let (low, high) = (_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
        // SAFETY: a sink is four floats; one that is streamed to stands at a multiple of 16 bytes.
        // Whoever calls the kernel fences.
        unsafe { _mm_stream_ps((&raw mut *first).cast(), low) };
        // SAFETY: as above.
        unsafe { _mm_stream_ps((&raw mut *second).cast(), high) };
    }
}

/// Loads eight floats.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load(floats: &[f32; 8]) -> __m256 {
    // SAFETY: eight floats are read, without alignment.
    unsafe { _mm256_loadu_ps(floats.as_ptr()) }
}

/// Loads 32 bytes.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn load32(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: 32 bytes are read, without alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// Loads 16 bytes.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn load16(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: 16 bytes are read, without alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

/// Eight bytes in the lower half.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn load8(bytes: [u8; 8]) -> __m128i {
    _mm_cvtsi64_si128(i64::from_le_bytes(bytes))
}

/// The 32 bytes of a table of 16, twice.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn table(values: &[u8; 16]) -> __m256i {
    _mm256_broadcastsi128_si256(load16(values))
}

/// A `float16`, eight times.
///
/// Widened after it was copied: a lone half would be inserted into a register that is in use, and wait
/// for it.
#[inline]
#[target_feature(enable = "avx2,f16c")]
pub(in crate::quant::kernel::avx2) fn half_each(low: u8, high: u8) -> __m256 {
    let bits = u16::from_le_bytes([low, high]);
    _mm256_cvtph_ps(_mm_set1_epi16(bits.cast_signed()))
}

/// Eight unsigned bytes as floats.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn floats(bytes: [u8; 8]) -> __m256 {
    _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(load8(bytes)))
}

/// Eight floats in memory, to be read one by one.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn spill(x: __m256) -> [f32; 8] {
    let mut floats = [[0.0; 4]; 2];
    store(&mut floats, x);
    let [[a, b, c, d], [e, f, g, h]] = floats;
    [a, b, c, d, e, f, g, h]
}

/// 16 bytes of pairs of levels: the low nibbles, then the high ones.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn nibbles(pairs: &[u8; 16]) -> __m256i {
    let pairs = load16(pairs);
    let both = _mm256_set_m128i(_mm_srli_epi16(pairs, 4), pairs);
    _mm256_and_si256(both, _mm256_set1_epi8(15))
}

/// A byte of ones for each bit that is set, the lowest first.
#[inline]
#[target_feature(enable = "avx2")]
pub(in crate::quant::kernel::avx2) fn spread(bits: u32) -> __m256i {
    let whole = _mm256_set1_epi32(bits.cast_signed());
    let places = _mm256_setr_epi64x(
        0,
        0x0101_0101_0101_0101,
        0x0202_0202_0202_0202,
        0x0303_0303_0303_0303,
    );
    let each = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64.cast_signed());
    let kept = _mm256_and_si256(_mm256_shuffle_epi8(whole, places), each);
    _mm256_cmpeq_epi8(kept, each)
}

/// What stands in memory to be read piece by piece, where whole registers fit: a piece can then be read
/// while the register is still on its way, behind all that is streamed.
#[repr(C, align(32))]
#[derive(Clone, Copy)]
pub(super) struct Kept<T>(pub T);

/// Keeps eight floats.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn keep(x: __m256) -> Kept<[f32; 8]> {
    Kept(spill(x))
}

/// Keeps sixteen floats.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn keep_both(low: __m256, high: __m256) -> Kept<[f32; 16]> {
    let mut kept = Kept([[0.0; 4]; 4]);
    let places = kept.0.as_chunks_mut().0;
    store(&mut places[0], low);
    store(&mut places[1], high);
    let [[a, b, c, d], [e, f, g, h], [i, j, k, l], [m, n, o, p]] = kept.0;
    Kept([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p])
}

/// Puts levels into memory, whence eight at a time are widened on the way: that is one instruction,
/// and several from a register.
#[inline]
#[target_feature(enable = "avx2")]
fn in_memory(levels: __m256i, room: &mut Kept<[u8; 32]>) -> &[u8; 32] {
    // SAFETY: 32 bytes at a multiple of 32.
    unsafe { _mm256_store_si256((&raw mut room.0).cast(), levels) };
    &opaque(room).0
}

/// The same place, but the compiler does not know what stands there: what was put into memory to be read
/// piece by piece is read from there, not taken apart in registers.
#[inline(always)]
fn opaque<T>(place: &T) -> &T {
    let mut pointer = std::ptr::from_ref(place);
    // SAFETY: no instruction at all.
    unsafe { asm!("/* {0} */", inout(reg) pointer, options(nostack, preserves_flags)) };
    // SAFETY: nothing happened to the pointer.
    unsafe { &*pointer }
}

/// Eight signed bytes as floats.
#[inline]
#[target_feature(enable = "avx2")]
fn widened(levels: &[u8; 8]) -> __m256 {
    _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(load8(*levels)))
}

/// A number from memory, eight times.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn all(number: &f32) -> __m256 {
    _mm256_broadcast_ss(number)
}

/// The number of a point, from where it stands in memory. Left the choice, the compiler loads several at
/// once and takes them apart again.
#[inline(always)]
pub(super) fn number<T: Copy + Into<usize>>(place: &T) -> usize {
    // SAFETY: a reference may be read.
    unsafe { std::ptr::from_ref(place).read_volatile() }.into()
}

/// Two numbers from memory, each eight times.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn both([first, second]: &[f32; 2]) -> [__m256; 2] {
    [all(first), all(second)]
}

/// Writes 32 signed levels, each half times its scale.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn scaled<S: Sink>(levels: __m256i, scales: [__m256; 2], out: &mut [S; 8]) {
    let mut room = Kept([0; 32]);
    scaled_bytes(in_memory(levels, &mut room), scales, out);
}

/// Writes 32 signed levels that stand in memory, each half times its scale.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn scaled_bytes<S: Sink>(levels: &[u8; 32], scales: [__m256; 2], out: &mut [S; 8]) {
    let eights = levels.as_chunks().0.iter().zip(out.as_chunks_mut().0);
    for (i, (levels, out)) in eights.enumerate() {
        store(out, _mm256_mul_ps(widened(levels), scales[i / 2]));
    }
}

/// Writes 32 levels, each half times its scale, plus its offset.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn shifted<S: Sink>(
    levels: __m256i,
    scales: [__m256; 2],
    offsets: [__m256; 2],
    out: &mut [S; 8],
) {
    let mut room = Kept([0; 32]);
    let levels = in_memory(levels, &mut room);
    let eights = levels.as_chunks().0.iter().zip(out.as_chunks_mut().0);
    for (i, (levels, out)) in eights.enumerate() {
        // Two roundings, of which the first is exact: no fused operation is needed or wanted.
        let product = _mm256_mul_ps(widened(levels), scales[i / 2]);
        store(out, _mm256_add_ps(product, offsets[i / 2]));
    }
}

/// Eight pairs of levels as integers: the low nibbles, and the high ones.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn split(pairs: &[u8; 8]) -> [__m256i; 2] {
    let pairs = _mm256_cvtepu8_epi32(load8(*pairs));
    [
        _mm256_and_si256(pairs, _mm256_set1_epi32(15)),
        _mm256_srli_epi32(pairs, 4),
    ]
}

/// Of 32 bits in every lane, that of each of the weights `8 k` to `8 k + 7` as 16 or nothing.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn sixteens(bits: __m256i, k: usize) -> __m256i {
    let order = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    let moved = if k == 0 {
        _mm256_srlv_epi32(_mm256_slli_epi32(bits, 4), order)
    } else {
        let places = _mm256_add_epi32(order, _mm256_set1_epi32(8 * k as i32 - 4));
        _mm256_srlv_epi32(bits, places)
    };
    _mm256_and_si256(moved, _mm256_set1_epi32(16))
}

/// Of 32 bits in every lane, brings those of weights `8 k` to `8 k + 7` to the places of the signs.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn at_signs(bits: __m256i, k: usize) -> __m256 {
    let first = _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24);
    let places = _mm256_sub_epi32(first, _mm256_set1_epi32(8 * k as i32));
    _mm256_castsi256_ps(_mm256_sllv_epi32(bits, places))
}

/// The same with the other sign.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn negative(x: __m256) -> __m256 {
    _mm256_xor_ps(x, _mm256_set1_ps(-0.0))
}
