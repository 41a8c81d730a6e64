//! One number after another: the reference, and what dtypes without a kernel are added by.

use std::marker::PhantomData;

use super::super::metric::Form;
use super::super::row::Row;
use super::super::sums::{Twofold, Wide};
use super::run::{Body, Twice, run};
use super::{Adder, Kernel, SHORT};
use crate::dtype::DTypeName as N;
use crate::quant::float8::{E4M3FN, E5M2};
use crate::quant::{bfloat16, float16};

/// The kernel of a plain dtype; `None` for what holds no numbers.
pub(super) fn find(name: N, form: Form, fast: bool) -> Option<Kernel> {
    Some(match (name, fast) {
        (N::Float64, false) => floats::<F64, Twofold>(form),
        (N::Float64, true) => floats::<F64, f64>(form),
        (N::Float32, false) => floats::<F32, f64>(form),
        (N::Float32, true) => floats::<F32, f32>(form),
        (N::Float16, _) => floats::<F16, f32>(form),
        (N::Bfloat16, _) => floats::<Bf16, f32>(form),
        (N::Float8E4m3fn, _) => floats::<E4m3, f32>(form),
        (N::Float8E5m2, _) => floats::<E5m2, f32>(form),
        (N::Complex64, false) => complex::<F32, f64>(form),
        (N::Complex64, true) => complex::<F32, f32>(form),
        (N::Complex128, false) => complex::<F64, Twofold>(form),
        (N::Complex128, true) => complex::<F64, f64>(form),
        (N::Int8, _) => wholes::<I8, i64>(form),
        (N::Uint8, _) => wholes::<U8, i64>(form),
        (N::Int16, _) => wholes::<I16, i64>(form),
        (N::Uint16, _) => wholes::<U16, i64>(form),
        (N::Int32, _) => wholes::<I32, i128>(form),
        (N::Uint32, _) => wholes::<U32, i128>(form),
        (N::Int64, _) => wholes::<I64, Wide>(form),
        (N::Uint64, _) => wholes::<U64, Wide>(form),
        _ => return None,
    })
}

fn floats<E: Element, A: Sum<Total = Twofold>>(form: Form) -> Kernel
where
    E::Number: Into<A::Number>,
{
    Kernel::Floats(Adder(match form {
        Form::Products | Form::Conjugated => add::<Real<E, A, Products>>,
        Form::Squares => add::<Real<E, A, Squares>>,
        Form::Angles => add::<Real<E, A, Angles>>,
    }))
}

fn complex<E: Element, A: Sum<Total = Twofold>>(form: Form) -> Kernel
where
    E::Number: Into<A::Number>,
{
    Kernel::Floats(Adder(match form {
        Form::Products => add::<Complex<E, A, false>>,
        Form::Conjugated => add::<Complex<E, A, true>>,
        Form::Squares => add::<Twice<Real<E, A, Squares>>>,
        Form::Angles => add::<Twice<Real<E, A, Angles>>>,
    }))
}

fn wholes<E: Element, A: Sum<Total = Wide>>(form: Form) -> Kernel
where
    E::Number: Into<A::Number>,
{
    Kernel::Wholes(Adder(match form {
        Form::Products | Form::Conjugated => add::<Real<E, A, Products>>,
        Form::Squares => add::<Real<E, A, Squares>>,
        Form::Angles => add::<Real<E, A, Angles>>,
    }))
}

/// Adds two rows: a few packed numbers, which is what most calls are for, straight away.
///
/// # Safety
/// None: no instruction is needed.
unsafe fn add<B: Body>(a: &Row<'_>, b: &Row<'_>, sums: &mut [B::Sum; 3]) {
    let len = a.len();
    if len > SHORT || !a.is_packed(B::SIZE) || !b.is_packed(B::SIZE) {
        // SAFETY: as said.
        return unsafe { add_any::<B>(a, b, sums) };
    }
    let (a, b) = (a.range(0, len, B::SIZE), b.range(0, len, B::SIZE));
    // SAFETY: as said.
    let mut state = unsafe { B::zero() };
    // SAFETY: as said.
    unsafe { B::add(&mut state, a, b) };
    // SAFETY: as said.
    unsafe { B::finish(state, sums) };
}

/// Adds any rows.
///
/// # Safety
/// As [`add`].
#[inline(never)]
unsafe fn add_any<B: Body>(a: &Row<'_>, b: &Row<'_>, sums: &mut [B::Sum; 3]) {
    // SAFETY: as said.
    unsafe { run::<B>(a, b, sums) }
}

/// How a number is stored.
trait Element {
    /// What it is read as.
    type Number: Copy;
    /// Bytes of it.
    const SIZE: usize;
    /// The first number of some bytes.
    fn read(bytes: &[u8]) -> Self::Number;
}

macro_rules! elements {
    ($($name:ident: $stored:ty => $number:ty, $read:expr;)*) => { $(
        struct $name;

        impl Element for $name {
            type Number = $number;
            const SIZE: usize = size_of::<$stored>();

            #[inline(always)]
            fn read(bytes: &[u8]) -> $number {
                let read: fn($stored) -> $number = $read;
                read(bytemuck::pod_read_unaligned(&bytes[..Self::SIZE]))
            }
        }
    )* };
}

elements! {
    F64: f64 => f64, |x| x;
    F32: f32 => f32, |x| x;
    F16: u16 => f32, float16::to_f32;
    Bf16: u16 => f32, bfloat16::to_f32;
    E4m3: u8 => f32, |x| E4M3FN.to_f32(x);
    E5m2: u8 => f32, |x| E5M2.to_f32(x);
    I8: i8 => i64, i64::from;
    U8: u8 => i64, i64::from;
    I16: i16 => i64, i64::from;
    U16: u16 => i64, i64::from;
    I32: i32 => i64, i64::from;
    U32: u32 => i64, i64::from;
    I64: i64 => i128, i128::from;
    U64: u64 => i128, i128::from;
}

/// A sum of products.
trait Sum: Copy + Default {
    /// What is multiplied.
    type Number: Copy + std::ops::Sub<Output = Self::Number> + std::ops::Neg<Output = Self::Number>;
    /// The sum of everything that this sum of a run goes to.
    type Total;
    /// Adds a product.
    fn add(&mut self, x: Self::Number, y: Self::Number);
    /// Brings the sum to another.
    fn bring(self, total: &mut Self::Total);
}

macro_rules! sums {
    ($($sum:ty: $number:ty => $total:ty, $add:expr, $bring:expr;)*) => { $(
        impl Sum for $sum {
            type Number = $number;
            type Total = $total;

            #[inline(always)]
            fn add(&mut self, x: $number, y: $number) {
                let add: fn(&mut $sum, $number, $number) = $add;
                add(self, x, y);
            }

            #[inline(always)]
            fn bring(self, total: &mut $total) {
                let bring: fn(&mut $total, $sum) = $bring;
                bring(total, self);
            }
        }
    )* };
}

sums! {
    f64: f64 => Twofold, |sum, x, y| *sum += x * y, Twofold::add;
    f32: f32 => Twofold, |sum, x, y| *sum += x * y, |total, sum| total.add(sum.into());
    Twofold: f64 => Twofold, |sum, x, y| {
        let product = x * y;
        sum.add(product);
        sum.lo += x.mul_add(y, -product);
    }, Twofold::merge;
    // 65536 products of 16 bits by 16 have 48.
    i64: i64 => Wide, |sum, x, y| *sum += x * y, |total, sum| total.add(sum.into());
    i128: i64 => Wide, |sum, x, y| *sum += i128::from(x) * i128::from(y), Wide::add;
    Wide: i128 => Wide, Wide::add_product, |total, sum| total.merge(sum);
}

/// What two numbers add to which sums.
trait Step {
    /// How many sums there are.
    const SUMS: usize;
    /// Adds it.
    fn step<A: Sum>(sums: &mut [A; 3], x: A::Number, y: A::Number);
}

struct Products;

impl Step for Products {
    const SUMS: usize = 1;

    #[inline(always)]
    fn step<A: Sum>(sums: &mut [A; 3], x: A::Number, y: A::Number) {
        sums[0].add(x, y);
    }
}

struct Squares;

impl Step for Squares {
    const SUMS: usize = 1;

    #[inline(always)]
    fn step<A: Sum>(sums: &mut [A; 3], x: A::Number, y: A::Number) {
        let difference = x - y;
        sums[0].add(difference, difference);
    }
}

struct Angles;

impl Step for Angles {
    const SUMS: usize = 3;

    #[inline(always)]
    fn step<A: Sum>(sums: &mut [A; 3], x: A::Number, y: A::Number) {
        sums[0].add(x, y);
        sums[1].add(x, x);
        sums[2].add(y, y);
    }
}

/// Real numbers.
struct Real<E, A, S>(PhantomData<(E, A, S)>);

impl<E: Element, A: Sum, S: Step> Body for Real<E, A, S>
where
    E::Number: Into<A::Number>,
{
    const SIZE: usize = E::SIZE;
    type State = [A; 3];
    type Sum = A::Total;

    #[inline(always)]
    unsafe fn zero() -> [A; 3] {
        Default::default()
    }

    #[inline(always)]
    unsafe fn add(sums: &mut [A; 3], a: &[u8], b: &[u8]) {
        for (x, y) in a.chunks_exact(E::SIZE).zip(b.chunks_exact(E::SIZE)) {
            S::step(sums, E::read(x).into(), E::read(y).into());
        }
    }

    #[inline(always)]
    unsafe fn finish(run: [A; 3], sums: &mut [A::Total; 3]) {
        for (run, sum) in run.into_iter().zip(sums).take(S::SUMS) {
            run.bring(sum);
        }
    }
}

/// Products of complex numbers: the real and the imaginary part.
struct Complex<E, A, const CONJUGATED: bool>(PhantomData<(E, A)>);

impl<E: Element, A: Sum, const CONJUGATED: bool> Body for Complex<E, A, CONJUGATED>
where
    E::Number: Into<A::Number>,
{
    const SIZE: usize = 2 * E::SIZE;
    type State = [A; 3];
    type Sum = A::Total;

    #[inline(always)]
    unsafe fn zero() -> [A; 3] {
        Default::default()
    }

    #[inline(always)]
    unsafe fn add(sums: &mut [A; 3], a: &[u8], b: &[u8]) {
        let numbers = |bytes: &[u8]| {
            let (re, im) = bytes.split_at(E::SIZE);
            (E::read(re).into(), E::read(im).into())
        };
        for (x, y) in a.chunks_exact(Self::SIZE).zip(b.chunks_exact(Self::SIZE)) {
            let ((xr, xi), (yr, yi)) = (numbers(x), numbers(y));
            let xi = if CONJUGATED { -xi } else { xi };
            sums[0].add(xr, yr);
            sums[0].add(-xi, yi);
            sums[1].add(xr, yi);
            sums[1].add(xi, yr);
        }
    }

    #[inline(always)]
    unsafe fn finish(run: [A; 3], sums: &mut [A::Total; 3]) {
        for (run, sum) in run.into_iter().zip(sums).take(2) {
            run.bring(sum);
        }
    }
}
