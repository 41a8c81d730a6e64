//! A number for each dimension, without an allocation for as many as tensors mostly have.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// A number for each dimension: a shape, or strides. It is used as the slice it holds.
#[derive(Clone)]
pub struct Dims<T> {
    short: [T; 6],
    len: usize,
    /// All of them, when they are more than [`Dims::SHORT`]; else empty.
    long: Vec<T>,
}

impl<T> Dims<T> {
    /// Dimensions that stand in the value itself.
    pub const SHORT: usize = 6;
}

impl<T: Copy + Default> Dims<T> {
    /// None yet.
    #[inline]
    pub fn new() -> Dims<T> {
        Dims {
            short: [T::default(); 6],
            len: 0,
            long: Vec::new(),
        }
    }

    /// As many zeros.
    #[inline]
    pub fn zeros(len: usize) -> Dims<T> {
        let mut dims = Dims::new();
        dims.len = len;
        if len > Self::SHORT {
            dims.long = vec![T::default(); len];
        }
        dims
    }

    /// One more, innermost.
    pub fn push(&mut self, value: T) {
        match self.short.get_mut(self.len) {
            Some(place) => *place = value,
            None => {
                if self.long.is_empty() {
                    self.long.extend_from_slice(&self.short);
                }
                self.long.push(value);
            }
        }
        self.len += 1;
    }
}

impl<T: Copy + Default> Default for Dims<T> {
    fn default() -> Self {
        Dims::new()
    }
}

impl<T> Deref for Dims<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self.short.get(..self.len) {
            Some(short) => short,
            None => &self.long,
        }
    }
}

impl<T> DerefMut for Dims<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        match self.short.get_mut(..self.len) {
            Some(short) => short,
            None => &mut self.long,
        }
    }
}

impl<T: Copy + Default> FromIterator<T> for Dims<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut dims = Dims::new();
        values.into_iter().for_each(|value| dims.push(value));
        dims
    }
}

impl<T: Copy + Default> From<&[T]> for Dims<T> {
    fn from(values: &[T]) -> Self {
        let mut dims = Dims::new();
        dims.len = values.len();
        match dims.short.get_mut(..values.len()) {
            Some(short) => short.copy_from_slice(values),
            None => dims.long = values.to_vec(),
        }
        dims
    }
}

impl<T: fmt::Debug> fmt::Debug for Dims<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_dimensions_is_held() {
        for len in 0..=2 * Dims::<u64>::SHORT as u64 + 1 {
            let wanted: Vec<u64> = (1..=len).collect();
            let mut pushed: Dims<u64> = wanted.iter().copied().collect();
            assert_eq!(*pushed, *wanted);
            assert_eq!(*Dims::from(&wanted[..]), *wanted);
            assert_eq!(*Dims::<u64>::zeros(wanted.len()), *vec![0; wanted.len()]);
            pushed.reverse();
            assert_eq!(pushed.first().copied().unwrap_or(0), len);
        }
    }
}
