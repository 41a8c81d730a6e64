//! Points of a codebook near any combination of levels.
//!
//! An encoder rounds each weight to a level. Where the book does not have that combination, the
//! candidates are the points at the least distances from it: as many distances as the format says,
//! whole numbers all, and all points at each. The lists are made once, when first asked for.

/// No point.
const NONE: u16 = u16::MAX;

/// A codebook of `D` weights to a point, with all neighbours.
pub(in crate::quant) struct Grid<const D: usize> {
    /// Levels of each weight: 0 to this.
    pub top: u8,
    levels: Vec<[u8; D]>,
    /// `2 * level + 1`.
    values: Vec<[f32; D]>,
    /// The point of each combination of levels, or [`NONE`]. The first level counts ones.
    found: Vec<u16>,
    /// Where the neighbours of each combination begin; those of the next one are the end.
    starts: Vec<u32>,
    neighbours: Vec<u16>,
}

impl<const D: usize> Grid<D> {
    /// The codebook of these points, of 16 / `D` bits per level at most; neighbours are those at
    /// the first `distances`.
    pub fn new(packed: &[u16], distances: usize) -> Self {
        let (bits, top) = if D == 8 { (2, 2) } else { (3, 7) };
        let unpack =
            |point: u16| std::array::from_fn(|i| (point >> (bits * i)) as u8 & ((1 << bits) - 1));
        let levels: Vec<[u8; D]> = packed.iter().map(|&point| unpack(point)).collect();
        let values = levels
            .iter()
            .map(|point| point.map(|level| f32::from(2 * level + 1)))
            .collect();
        let mut grid = Grid {
            top,
            values,
            found: vec![NONE; (usize::from(top) + 1).pow(D as u32)],
            starts: vec![0],
            neighbours: Vec::new(),
            levels,
        };
        for (number, levels) in (0..).zip(&grid.levels) {
            grid.found[rank(top, levels)] = number;
        }
        let metric = Metric::new(packed, bits);
        for combination in 0..grid.found.len() {
            if grid.found[combination] == NONE {
                let packed = pack(top, bits, D, combination);
                metric.nearest(packed, distances, &mut grid.neighbours);
            }
            // At most 8 levels to the 4th power of combinations, each with 2048 neighbours.
            grid.starts.push(grid.neighbours.len() as u32);
        }
        grid
    }

    /// The point with these levels, none above `top`.
    #[inline]
    pub fn find(&self, levels: &[u8; D]) -> Option<u16> {
        let number = self.found[rank(self.top, levels)];
        (number != NONE).then_some(number)
    }

    /// The point of these levels, or the nearest to them.
    #[inline]
    pub fn closest(&self, levels: &[u8; D]) -> u16 {
        let levels = levels.map(|level| level.min(self.top));
        self.find(&levels).unwrap_or_else(|| {
            let start = self.starts[rank(self.top, &levels)] as usize;
            self.neighbours[start]
        })
    }

    /// Of the neighbours of these levels, which are no point, the one that costs least. The cost is
    /// that of values `2 * level + 1`; the first of equal ones wins, and where no cost is finite
    /// the nearest.
    #[inline]
    pub fn cheapest(&self, levels: &[u8; D], cost: impl Fn(&[f32; D]) -> f32) -> u16 {
        let rank = rank(self.top, levels);
        let range = self.starts[rank] as usize..self.starts[rank + 1] as usize;
        let neighbours = &self.neighbours[range];
        let mut cheapest = neighbours[0];
        let mut least = f32::MAX;
        for &number in neighbours {
            let cost = cost(&self.values[usize::from(number)]);
            if cost < least {
                least = cost;
                cheapest = number;
            }
        }
        cheapest
    }

    /// The levels of a point.
    #[inline]
    pub fn levels(&self, number: u16) -> [u8; D] {
        self.levels[usize::from(number)]
    }
}

#[inline]
fn rank<const D: usize>(top: u8, levels: &[u8; D]) -> usize {
    levels.iter().rev().fold(0, |rank, &level| {
        rank * (usize::from(top) + 1) + usize::from(level)
    })
}

/// The packed form of a combination.
fn pack(top: u8, bits: usize, count: usize, mut rank: usize) -> u16 {
    let mut packed = 0;
    for i in 0..count {
        packed |= (rank % (usize::from(top) + 1)) << (bits * i);
        rank /= usize::from(top) + 1;
    }
    packed as u16
}

/// Squared distances between packed combinations, half of their levels at a time.
struct Metric<'a> {
    points: &'a [u16],
    half: u32,
    halves: Vec<u8>,
}

impl<'a> Metric<'a> {
    fn new(points: &'a [u16], bits: usize) -> Self {
        // Four levels of 2 bits, or two of 3.
        let half = if bits == 2 { 8 } else { 6 };
        let count = 1 << half;
        let mut halves = vec![0; count * count];
        for (i, distance) in halves.iter_mut().enumerate() {
            let (a, b) = (i / count, i % count);
            for shift in (0..half).step_by(bits) {
                let mask = (1 << bits) - 1;
                let difference = (a >> shift & mask).abs_diff(b >> shift & mask);
                *distance += (difference * difference) as u8;
            }
        }
        Metric {
            points,
            half: half as u32,
            halves,
        }
    }

    /// Appends the points at the first `count` distances from a combination, by distance, then by
    /// number.
    fn nearest(&self, packed: u16, count: usize, out: &mut Vec<u16>) {
        let size = 1 << self.half;
        let row = |part: u16| &self.halves[usize::from(part) * size..][..size];
        let low = row(packed & (size - 1) as u16);
        let high = row(packed >> self.half);
        let distance = |point: u16| {
            low[usize::from(point) & (size - 1)] + high[usize::from(point >> self.half)]
        };
        // No distance is greater than 4 * 7².
        let mut seen = [false; 256];
        let distances: Vec<u8> = self.points.iter().map(|&point| distance(point)).collect();
        for &distance in &distances {
            seen[usize::from(distance)] = true;
        }
        for wanted in (0..=u8::MAX)
            .filter(|&distance| seen[usize::from(distance)])
            .take(count)
        {
            for (number, &distance) in (0..).zip(&distances) {
                if distance == wanted {
                    out.push(number);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quant::codebook::packed;

    /// Neighbours of all combinations off the grid, also of levels that no encoder asks for, as
    /// their number and a checksum over the first, the last and the length of each list.
    fn statistics(points: &[u16], bits: usize, distances: usize) -> (usize, u64) {
        let metric = Metric::new(points, bits);
        let (mut total, mut check) = (0, 0);
        let mut list = Vec::new();
        for packed in 0..if bits == 2 { 43_692 } else { 4096 } {
            if points.binary_search(&packed).is_ok() {
                continue;
            }
            list.clear();
            metric.nearest(packed, distances, &mut list);
            total += list.len();
            let (first, last) = (u64::from(list[0]), u64::from(list[list.len() - 1]));
            check = (check * 31 + first + 7 * list.len() as u64 + 13 * last) % 1_000_000_007;
        }
        (total, check)
    }

    #[test]
    fn neighbours_are_those_of_ggml() {
        assert_eq!(statistics(&packed::IQ2_XXS, 2, 2), (373_964, 578_881_384));
        assert_eq!(statistics(&packed::IQ2_XS, 2, 2), (508_542, 890_318_800));
        assert_eq!(statistics(&packed::IQ2_S, 2, 1), (166_432, 803_342_326));
        assert_eq!(statistics(&packed::IQ1, 2, 3), (1_333_695, 462_386_037));
        assert_eq!(statistics(&packed::IQ3_XXS, 3, 2), (18_985, 981_846_877));
        assert_eq!(statistics(&packed::IQ3_S, 3, 3), (24_733, 352_758_690));
    }

    #[test]
    fn a_point_finds_itself_and_nothing_else_is_found() {
        let grid: Grid<4> = Grid::new(&packed::IQ3_S, 3);
        let mut count = 0;
        for rank in 0..4096 {
            let levels = std::array::from_fn(|i| (rank >> (3 * i)) as u8 & 7);
            match grid.find(&levels) {
                Some(number) => {
                    assert_eq!(grid.levels(number), levels);
                    count += 1;
                }
                None => assert_ne!(grid.levels(grid.closest(&levels)), levels),
            }
        }
        assert_eq!(count, packed::IQ3_S.len());
    }

    #[test]
    fn no_cost_that_is_a_number_leaves_the_nearest() {
        let grid: Grid<4> = Grid::new(&packed::IQ3_XXS, 2);
        let levels = [1, 0, 0, 0];
        assert_eq!(grid.find(&levels), None);
        assert_eq!(grid.cheapest(&levels, |_| f32::NAN), grid.closest(&levels));
    }
}
