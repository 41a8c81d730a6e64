//! Rows cut into parts and dealt out to threads, for work that has to know where it is.
//!
//! A part lies in one row and is whole blocks. Parts go out in batches, so that short rows cost nothing beside what
//! is done with them, and results come back in order, whichever thread was first.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use super::rows::Rows;
use crate::error::{Error, Result};
use crate::threads;

/// Elements of a batch where each costs about as much as moving it.
pub const LIGHT: u64 = threads::SHARE;

const NOTHING: &[u8] = &[];

/// A part of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Which row.
    pub row: u64,
    /// Which of its elements.
    pub elements: Range<u64>,
}

/// How the elements are dealt out.
#[derive(Debug, Clone, Copy)]
pub struct Parts {
    rows: u64,
    elements: u64,
    longest: u64,
    per_row: u64,
    per_batch: u64,
    cost: u64,
}

impl Parts {
    /// Rows of which each element costs `cost` moves of one, cut into whole blocks such that all threads get some.
    pub fn by_cost(rows: u64, elements: u64, cost: u64) -> Self {
        let share = threads::share_of_elements(rows * elements, cost);
        Parts {
            cost,
            ..Parts::new(rows, elements, share, share)
        }
    }

    /// As [`by_cost`](Parts::by_cost), with whole rows only.
    pub fn whole_rows(rows: u64, elements: u64, cost: u64) -> Self {
        let share = threads::share_of_elements(rows * elements, cost);
        Parts {
            cost,
            ..Parts::new(rows, elements, elements.max(1), share)
        }
    }

    /// Rows cut into parts of at most `longest` elements, a multiple of the block length; batches of about `batch`. The
    /// same for any number of threads, for what is gathered.
    pub fn new(rows: u64, elements: u64, longest: u64, batch: u64) -> Self {
        let per_row = elements.div_ceil(longest);
        let per_batch = if per_row == 1 {
            (batch / elements).max(1)
        } else {
            1
        };
        Parts {
            rows,
            elements,
            longest,
            per_row,
            per_batch,
            cost: 1,
        }
    }

    /// How many batches there are.
    pub fn batches(&self) -> u64 {
        // Counts of elements fit 63 bits, so those of parts do.
        (self.rows * self.per_row).div_ceil(self.per_batch)
    }

    fn batch(self, batch: u64) -> impl Iterator<Item = Part> {
        let first = batch * self.per_batch;
        let last = (first + self.per_batch).min(self.rows * self.per_row);
        (first..last).map(move |i| {
            let start = i % self.per_row * self.longest;
            Part {
                row: i / self.per_row,
                elements: start..(start + self.longest).min(self.elements),
            }
        })
    }

    /// All elements by what they cost.
    fn work(&self) -> u64 {
        (self.rows * self.elements).saturating_mul(self.cost)
    }

    /// What `work` gathers from the parts of each of some batches, in order. The parts are read from several tensors
    /// at once.
    pub fn gather<R: Default + Send, const N: usize>(
        &self,
        batches: Range<u64>,
        sources: &[Rows<'_>; N],
        work: impl Fn(&mut R, Part, [&[u8]; N]) -> Result<()> + Sync,
    ) -> Result<Vec<R>> {
        let run = |batch: u64| {
            let mut gathered = R::default();
            let mut scratch = [const { Vec::new() }; N];
            for part in self.batch(batch) {
                let mut bytes = [const { Cow::Borrowed(NOTHING) }; N];
                let each = bytes.iter_mut().zip(sources).zip(&mut scratch);
                for ((bytes, rows), scratch) in each {
                    *bytes = rows.part(part.row, part.elements.clone(), scratch)?;
                }
                work(
                    &mut gathered,
                    part,
                    bytes.each_ref().map(|bytes| &bytes[..]),
                )?;
            }
            Ok(gathered)
        };
        threads::run(self.work(), || {
            if threads::in_a_pool() {
                batches.into_par_iter().map(run).collect()
            } else {
                batches.map(run).collect()
            }
        })
    }

    /// Calls `work` with each part of `to`, the bytes of the same elements of row `source(row)` of `from`, and the
    /// room for them. Scratch space of `work` is made by `scratch`, once for many parts.
    ///
    /// # Errors
    /// Of those that `work` reports, the one of the first part.
    pub fn convert<S>(
        &self,
        from: &Rows<'_>,
        source: impl Fn(u64) -> u64 + Sync,
        to: &Rows<'_>,
        scratch: impl Fn() -> S + Sync + Send,
        work: impl Fn(&mut S, Part, &[u8], &mut [u8]) -> Result<()> + Sync,
    ) -> Result<()> {
        let run = |(read, written, scratch): &mut (Vec<u8>, Vec<u8>, S), batch: u64| {
            self.batch(batch)
                .try_for_each(|part| {
                    let bytes = from.part(source(part.row), part.elements.clone(), read)?;
                    to.write(part.row, part.elements.clone(), written, |room| {
                        work(scratch, part, &bytes, room)
                    })
                })
                .err()
        };
        let init = || (Vec::new(), Vec::new(), scratch());
        let first: Option<Error> = threads::run(self.work(), || {
            if threads::in_a_pool() {
                let batches = (0..self.batches()).into_par_iter();
                batches.map_init(init, run).find_map_first(|error| error)
            } else {
                let mut state = init();
                (0..self.batches()).find_map(|batch| run(&mut state, batch))
            }
        });
        first.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(parts: Parts) -> Vec<Vec<Part>> {
        (0..parts.batches())
            .map(|batch| parts.batch(batch).collect())
            .collect()
    }

    #[test]
    fn long_rows_are_cut_and_short_ones_batched() {
        let cut = all(Parts::new(2, 100, 64, 64));
        let ranges: Vec<_> = cut.concat().into_iter().map(|part| part.elements).collect();
        assert_eq!(ranges, [0..64, 64..100, 0..64, 64..100]);
        assert_eq!(cut.len(), 4);
        let batched = all(Parts::new(5, 10, 64, 20));
        let rows: Vec<Vec<u64>> = batched
            .iter()
            .map(|batch| batch.iter().map(|part| part.row).collect())
            .collect();
        assert_eq!(rows, [vec![0, 1], vec![2, 3], vec![4]]);
    }

    #[test]
    fn few_rows_of_what_costs_much_are_cut_for_all_threads() {
        let costly = all(Parts::by_cost(2, 4096, 800));
        assert_eq!(costly.len(), 16);
        assert!(
            costly
                .iter()
                .flatten()
                .all(|part| part.elements.start % 512 == 0)
        );
        assert_eq!(all(Parts::by_cost(1, 1000, 1)).concat().len(), 1);
        let whole = all(Parts::whole_rows(3, 4096, 800)).concat();
        assert!(whole.iter().all(|part| part.elements == (0..4096)));
        assert_eq!(whole.len(), 3);
    }

    #[test]
    fn nothing_is_no_part() {
        assert!(all(Parts::new(3, 0, 64, 64)).is_empty());
        assert!(all(Parts::new(0, 10, 64, 64)).is_empty());
    }
}
