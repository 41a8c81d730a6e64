//! Points of a codebook near any combination of levels.
//!
//! An encoder rounds each weight to a level. Where the book does not have that combination, the
//! candidates are the points at the least distances from it: as many distances as the format says,
//! whole numbers all, and all points at each. The lists are made once, when first asked for, in
//! some milliseconds; a book with its lists takes 90 KB to 710 KB.

/// No point.
const NONE: u16 = u16::MAX;

/// Neighbours that stand together in memory, and are looked at together by a kernel.
pub(in crate::quant) const ROW: usize = 8;

/// Marks a [`Grid::places`] whose neighbours fill one row.
pub(in crate::quant) const ONE_ROW: u32 = 1 << 31;
/// Marks one whose neighbours fill two rows.
pub(in crate::quant) const TWO_ROWS: u32 = 1 << 30;
/// Marks one whose neighbours fill more rows; how many stands in bits 16 to 28.
pub(in crate::quant) const MORE_ROWS: u32 = 1 << 29;

/// A codebook of `D` weights to a point, with all neighbours.
///
/// Combinations are packed as the points of [`codebook`](crate::quant::codebook) are, or counted:
/// the rank of levels `a, b, c…` is `a + b * (top + 1) + c * (top + 1)² …`.
pub(in crate::quant) struct Grid<const D: usize> {
    /// Levels of each weight: 0 to this.
    pub top: u8,
    /// The point of each rank, or [`NONE`].
    found: Vec<u16>,
    /// Of each rank: the packed point, or else the first row of its neighbours and a mark.
    pub places: Vec<u32>,
    /// Neighbours, packed, the nearest first, then those of lower numbers. A row that they do not
    /// fill is filled with the first of them.
    pub rows: Vec<[u16; ROW]>,
}

impl<const D: usize> Grid<D> {
    /// Bits of a level in a packed combination.
    pub const BITS: u32 = if D == 8 { 2 } else { 3 };

    /// The codebook of these points; neighbours are those at the first `distances`.
    pub fn new(packed: &[u16], distances: usize) -> Self {
        let top = if D == 8 { 2 } else { 7 };
        let base = usize::from(top) + 1;
        let metric = Metric::<D>::new(packed, base);
        let mut grid = Grid {
            top,
            found: vec![NONE; base.pow(D as u32)],
            places: Vec::with_capacity(base.pow(D as u32)),
            rows: Vec::new(),
        };
        for (number, &point) in (0..).zip(packed) {
            let rank = grid.rank(&Self::unpack(point));
            grid.found[rank] = number;
        }
        let (mut distance, mut list) = (Vec::new(), Vec::new());
        for rank in 0..grid.found.len() {
            let number = grid.found[rank];
            if number != NONE {
                grid.places.push(u32::from(packed[usize::from(number)]));
                continue;
            }
            list.clear();
            metric.nearest(rank, distances, &mut distance, &mut list);
            // The longest list has 1 K neighbours, all together are less than 2¹⁶ rows.
            let (start, rows) = (grid.rows.len() as u32, list.len().div_ceil(ROW));
            let first = packed[usize::from(list[0])];
            for numbers in list.chunks(ROW) {
                let mut row = [first; ROW];
                for (out, &number) in row.iter_mut().zip(numbers) {
                    *out = packed[usize::from(number)];
                }
                grid.rows.push(row);
            }
            grid.places.push(match rows {
                1 => start | ONE_ROW,
                2 => start | TWO_ROWS,
                _ => start | MORE_ROWS | (rows as u32) << 16,
            });
        }
        grid
    }

    /// The point with these levels, none above `top`.
    #[inline]
    pub fn find(&self, levels: &[u8; D]) -> Option<u16> {
        let number = self.found[self.rank(levels)];
        (number != NONE).then_some(number)
    }

    /// The point of these levels, or the nearest to them.
    #[inline]
    pub fn closest(&self, levels: &[u8; D]) -> u16 {
        let levels = levels.map(|level| level.min(self.top));
        self.find(&levels).unwrap_or_else(|| {
            let nearest = Self::unpack(self.neighbours(self.rank(&levels))[0][0]);
            self.found[self.rank(&nearest)]
        })
    }

    /// Of the neighbours of these levels, which are no point, the one that costs least. `prices`
    /// has what each level of each weight costs, to be added in that order; the first of equal ones
    /// wins, and where no cost is finite the nearest.
    #[inline]
    pub fn cheapest(&self, levels: &[u8; D], prices: &[[f32; 8]; D]) -> [u8; D] {
        let rows = self.neighbours_of(levels);
        let mut cheapest = rows[0][0];
        let mut least = f32::MAX;
        for &point in rows.as_flattened() {
            let levels = Self::unpack(point).into_iter();
            let cost = levels.zip(prices).fold(0.0, |sum, (level, prices)| {
                // Levels have at most 3 bits.
                sum + prices[usize::from(level & 7)]
            });
            if cost < least {
                least = cost;
                cheapest = point;
            }
        }
        Self::unpack(cheapest)
    }

    /// The levels of a packed combination.
    #[inline(always)]
    pub fn unpack(packed: u16) -> [u8; D] {
        std::array::from_fn(|i| (packed >> (Self::BITS * i as u32)) as u8 & ((1 << Self::BITS) - 1))
    }

    /// The packed form of levels; one above `top` counts as that.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub fn pack(&self, levels: &[u8; D]) -> u16 {
        let levels = levels.iter().rev();
        levels.fold(0, |packed, &level| {
            packed << Self::BITS | u16::from(level.min(self.top))
        })
    }

    /// The entry of levels in [`Self::places`].
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub fn place(&self, levels: &[u8; D]) -> u32 {
        self.places[self.rank(levels)]
    }

    /// The rows of neighbours of levels that are no point.
    #[inline]
    pub fn neighbours_of(&self, levels: &[u8; D]) -> &[[u16; ROW]] {
        self.neighbours(self.rank(levels))
    }

    /// The rows of neighbours of a rank that is no point.
    #[inline]
    fn neighbours(&self, rank: usize) -> &[[u16; ROW]] {
        let place = self.places[rank];
        let rows = match place {
            _ if place & ONE_ROW != 0 => 1,
            _ if place & TWO_ROWS != 0 => 2,
            _ => (place & !MORE_ROWS) >> 16,
        };
        let start = place as u16;
        &self.rows[usize::from(start)..][..rows as usize]
    }

    #[inline(always)]
    fn rank(&self, levels: &[u8; D]) -> usize {
        let base = usize::from(self.top) + 1;
        let levels = levels.iter().rev();
        levels.fold(0, |rank, &level| rank * base + usize::from(level))
    }
}

/// Squared distances between combinations and points, half of their levels at a time. The points are
/// a multiple of eight.
struct Metric<const D: usize> {
    points: usize,
    /// The ranks of halves: 0 to this.
    halves: usize,
    /// From each lower half to each point, then from each upper half.
    distances: [Vec<u8>; 2],
}

impl<const D: usize> Metric<D> {
    /// `base` is the number of levels that combinations have.
    fn new(points: &[u16], base: usize) -> Self {
        let halves = base.pow(D as u32 / 2);
        let distances = [0, D / 2].map(|first| {
            let mut distances = Vec::with_capacity(halves * points.len());
            for half in 0..halves {
                let mut levels = [0; D];
                let mut rest = half;
                for level in &mut levels[first..first + D / 2] {
                    *level = (rest % base) as u8;
                    rest /= base;
                }
                distances.extend(points.iter().map(|&point| {
                    let pairs = Grid::<D>::unpack(point).into_iter().zip(levels);
                    let pairs = pairs.skip(first).take(D / 2);
                    pairs.fold(0, |distance, (a, b)| distance + a.abs_diff(b).pow(2))
                }));
            }
            distances
        });
        Metric {
            points: points.len(),
            halves,
            distances,
        }
    }

    /// Appends the points at the first `count` distances from a combination, by distance, then by
    /// number. `distance` is room for the distances.
    fn nearest(&self, rank: usize, count: usize, distance: &mut Vec<u8>, out: &mut Vec<u16>) {
        let [lower, upper] = &self.distances;
        let lower = &lower[rank % self.halves * self.points..][..self.points];
        let upper = &upper[rank / self.halves * self.points..][..self.points];
        distance.clear();
        // None is greater than 4 * 7².
        distance.extend(lower.iter().zip(upper).map(|(lower, upper)| lower + upper));
        let mut next = 0;
        for _ in 0..count {
            // What is below wraps around to great numbers.
            let least = |least: u8, distance: &u8| least.min(distance.wrapping_sub(next));
            let wanted = next.saturating_add(distance.iter().fold(u8::MAX, least));
            for (eight, first) in distance.as_chunks().0.iter().zip((0..).step_by(8)) {
                let mut equal = equal_bytes(u64::from_le_bytes(*eight), wanted);
                while equal != 0 {
                    out.push(first + equal.trailing_zeros() as u16 / 8);
                    equal &= equal - 1;
                }
            }
            next = wanted.saturating_add(1);
        }
    }
}

/// The bytes of a word that equal one, as their highest bits.
#[inline]
fn equal_bytes(word: u64, byte: u8) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let difference = word ^ u64::from_le_bytes([byte; 8]);
    !(((difference & LOW) + LOW) | difference | LOW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quant::codebook::packed;

    /// Neighbours of all combinations off the grid, also of levels that no encoder asks for, as
    /// their number and a checksum over the first, the last and the length of each list.
    fn statistics<const D: usize>(points: &[u16], distances: usize) -> (usize, u64) {
        let metric = Metric::<D>::new(points, 1 << Grid::<D>::BITS);
        let (mut total, mut check) = (0, 0);
        let (mut room, mut list) = (Vec::new(), Vec::new());
        for packed in 0..if D == 8 { 43_692 } else { 4096 } {
            if points.binary_search(&packed).is_ok() {
                continue;
            }
            list.clear();
            metric.nearest(usize::from(packed), distances, &mut room, &mut list);
            total += list.len();
            let (first, last) = (u64::from(list[0]), u64::from(list[list.len() - 1]));
            check = (check * 31 + first + 7 * list.len() as u64 + 13 * last) % 1_000_000_007;
        }
        (total, check)
    }

    #[test]
    fn neighbours_are_those_of_ggml() {
        let iq1 = statistics::<8>(&packed::IQ1, 3);
        assert_eq!(iq1, (1_333_695, 462_386_037));
        let iq2_xxs = statistics::<8>(&packed::IQ2_XXS, 2);
        assert_eq!(iq2_xxs, (373_964, 578_881_384));
        let iq2_xs = statistics::<8>(&packed::IQ2_XS, 2);
        assert_eq!(iq2_xs, (508_542, 890_318_800));
        let iq2_s = statistics::<8>(&packed::IQ2_S, 1);
        assert_eq!(iq2_s, (166_432, 803_342_326));
        let iq3_xxs = statistics::<4>(&packed::IQ3_XXS, 2);
        assert_eq!(iq3_xxs, (18_985, 981_846_877));
        let iq3_s = statistics::<4>(&packed::IQ3_S, 3);
        assert_eq!(iq3_s, (24_733, 352_758_690));
    }

    #[test]
    fn a_point_finds_itself_and_nothing_else_is_found() {
        let grid: Grid<4> = Grid::new(&packed::IQ3_S, 3);
        let mut count = 0;
        for rank in 0..4096 {
            let levels = Grid::<4>::unpack(rank);
            match grid.find(&levels) {
                Some(number) => {
                    assert_eq!(packed::IQ3_S[usize::from(number)], rank);
                    count += 1;
                }
                None => assert_ne!(packed::IQ3_S[usize::from(grid.closest(&levels))], rank),
            }
        }
        assert_eq!(count, packed::IQ3_S.len());
    }

    #[test]
    fn no_cost_that_is_a_number_leaves_the_nearest() {
        let grid: Grid<4> = Grid::new(&packed::IQ3_XXS, 2);
        let levels = [1, 0, 0, 0];
        assert_eq!(grid.find(&levels), None);
        let cheapest = grid.cheapest(&levels, &[[f32::NAN; 8]; 4]);
        assert_eq!(grid.find(&cheapest), Some(grid.closest(&levels)));
    }
}
