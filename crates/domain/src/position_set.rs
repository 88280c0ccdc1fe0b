//! Sets of positions in an app's audience: who has a tag, and who gets a send.
//!
//! A set is stored in blocks of 4,096 positions, the unit that a change of one position rewrites: large enough that a million
//! subscribers are 250 rows, small enough that a row never leaves its page in PostgreSQL (2 kB) or SQLite (4 kB).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Bytes of a block's bit map.
const MAP_BYTES: usize = 512;
const WORDS: usize = 64;

/// The positions of a block, one bit each.
type BitBlock = Box<[u64; WORDS]>;

/// A set of positions, which are not negative.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionSet(BTreeMap<i64, BitBlock>);

impl PositionSet {
    /// Positions of a block: `block * BLOCK_SIZE` is its first one.
    pub const BLOCK_SIZE: i64 = 4_096;

    /// The block that has the position.
    pub const fn block_of(position: i64) -> i64 {
        position.div_euclid(Self::BLOCK_SIZE)
    }

    /// Adds a position, and says whether it is new.
    pub fn insert(&mut self, position: i64) -> bool {
        let (word, bit) = place(position);
        let block = self.0.entry(Self::block_of(position));
        let word = &mut block.or_insert_with(|| Box::new([0; WORDS]))[word];
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// Removes a position, and says whether it was there.
    pub fn remove(&mut self, position: i64) -> bool {
        let (word, bit) = place(position);
        let Entry::Occupied(mut block) = self.0.entry(Self::block_of(position)) else {
            return false;
        };
        let was_there = block.get()[word] & bit != 0;
        block.get_mut()[word] &= !bit;
        if block.get().iter().all(|word| *word == 0) {
            block.remove();
        }
        was_there
    }

    /// Whether it has the position.
    pub fn contains(&self, position: i64) -> bool {
        let (word, bit) = place(position);
        let block = self.0.get(&Self::block_of(position));
        block.is_some_and(|block| block[word] & bit != 0)
    }

    /// The positions of this block from `first` to `last`.
    pub fn part_of_block(block: i64, first: i64, last: i64) -> Self {
        let start = block * Self::BLOCK_SIZE;
        let end = start + Self::BLOCK_SIZE - 1;
        if first <= start && last >= end {
            return Self(BTreeMap::from([(block, Box::new([u64::MAX; WORDS]))]));
        }
        (first.max(start)..=last.min(end)).collect()
    }

    /// Those of its positions that are in this block.
    #[must_use]
    pub fn only_block(&self, number: i64) -> Self {
        let block = self.0.get(&number);
        let block = block.map(|block| (number, block.clone()));
        Self(block.into_iter().collect())
    }

    /// How many positions it has.
    pub fn len(&self) -> usize {
        let words = self.0.values().flat_map(|block| block.iter());
        words.map(|word| word.count_ones() as usize).sum()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The positions, in their order.
    pub fn iter(&self) -> impl Iterator<Item = i64> {
        self.0.iter().flat_map(|(block, words)| {
            let first = block * Self::BLOCK_SIZE;
            offsets(words).map(move |offset| first + offset)
        })
    }

    /// The positions that are in both.
    #[must_use]
    pub fn intersection(mut self, other: &Self) -> Self {
        self.0.retain(|number, block| {
            let Some(other) = other.0.get(number) else {
                return false;
            };
            combine(block, other, |left, right| left & right);
            block.iter().any(|word| *word != 0)
        });
        self
    }

    /// The positions that are in either.
    #[must_use]
    pub fn union(mut self, other: Self) -> Self {
        for (number, other) in other.0 {
            match self.0.entry(number) {
                Entry::Occupied(mut block) => {
                    combine(block.get_mut(), &other, |left, right| left | right);
                }
                Entry::Vacant(place) => {
                    place.insert(other);
                }
            }
        }
        self
    }

    /// The positions that are not in the other.
    #[must_use]
    pub fn difference(mut self, other: &Self) -> Self {
        self.0.retain(|number, block| {
            if let Some(other) = other.0.get(number) {
                combine(block, other, |left, right| left & !right);
            }
            block.iter().any(|word| *word != 0)
        });
        self
    }

    /// The blocks as they are stored, in their order: each with its number and, while they are fewer than 512 bytes, the offsets of its
    /// positions as 2 bytes each (little-endian), else a bit map of 512 bytes.
    pub fn blocks(&self) -> impl Iterator<Item = (i64, Vec<u8>)> {
        self.0
            .iter()
            .map(|(number, block)| (*number, encode(block)))
    }

    /// Adds a stored block; false for bytes that are none.
    #[must_use]
    pub fn insert_block(&mut self, number: i64, bytes: &[u8]) -> bool {
        let Some(block) = decode(bytes) else {
            return false;
        };
        if block.iter().any(|word| *word != 0) {
            self.0.insert(number, block);
        }
        true
    }
}

impl FromIterator<i64> for PositionSet {
    fn from_iter<I: IntoIterator<Item = i64>>(positions: I) -> Self {
        let mut set = Self::default();
        for position in positions {
            set.insert(position);
        }
        set
    }
}

/// The word of the block, and the bit of the word.
fn place(position: i64) -> (usize, u64) {
    let offset = position.rem_euclid(PositionSet::BLOCK_SIZE);
    // An offset is below 4,096.
    (
        usize::try_from(offset / 64).unwrap_or_default(),
        1 << (offset % 64),
    )
}

fn combine(block: &mut BitBlock, other: &BitBlock, operation: impl Fn(u64, u64) -> u64) {
    for (word, other) in block.iter_mut().zip(other.iter()) {
        *word = operation(*word, *other);
    }
}

fn offsets(block: &[u64; WORDS]) -> impl Iterator<Item = i64> {
    block.iter().zip(0_i64..).flat_map(|(word, number)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| i64::from(rest.trailing_zeros()))?;
            rest &= rest - 1;
            Some(number * 64 + bit)
        })
    })
}

fn encode(block: &BitBlock) -> Vec<u8> {
    let positions: u32 = block.iter().map(|word| word.count_ones()).sum();
    if (positions as usize) < MAP_BYTES / 2 {
        let offsets = offsets(block).filter_map(|offset| u16::try_from(offset).ok());
        offsets.flat_map(u16::to_le_bytes).collect()
    } else {
        let mut map = Vec::with_capacity(MAP_BYTES);
        for word in block.iter() {
            map.extend_from_slice(&word.to_le_bytes());
        }
        map
    }
}

fn decode(bytes: &[u8]) -> Option<BitBlock> {
    let mut block = Box::new([0; WORDS]);
    if bytes.len() == MAP_BYTES {
        for (word, bytes) in block.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        return Some(block);
    }
    let (offsets, rest) = bytes.as_chunks();
    for offset in offsets {
        let offset = usize::from(u16::from_le_bytes(*offset));
        *block.get_mut(offset / 64)? |= 1 << (offset % 64);
    }
    (bytes.len() < MAP_BYTES && rest.is_empty()).then_some(block)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fastrand::Rng;

    use super::PositionSet;

    const CASES: u64 = 100;

    /// Positions of sparse blocks, and perhaps of dense ones.
    fn positions(random: &mut Rng) -> BTreeSet<i64> {
        let sparse = std::iter::repeat_with(|| random.i64(0..50_000)).take(50);
        let mut positions: BTreeSet<i64> = sparse.collect();
        let first = random.i64(0..20_000);
        positions.extend(first..first + random.i64(0..6_000));
        positions
    }

    fn assert_same(found: &PositionSet, expected: &BTreeSet<i64>) {
        assert_eq!(
            (found.len(), found.is_empty()),
            (expected.len(), expected.is_empty())
        );
        assert!(found.iter().eq(expected.iter().copied()));
        let mut stored = PositionSet::default();
        for (number, bytes) in found.blocks() {
            assert!(stored.insert_block(number, &bytes), "{number}");
        }
        assert_eq!(&stored, found);
    }

    #[test]
    fn a_set_is_what_a_tree_is() {
        for seed in 0..CASES {
            let mut random = Rng::with_seed(seed);
            let (left, right) = (positions(&mut random), positions(&mut random));
            let set =
                |positions: &BTreeSet<i64>| positions.iter().copied().collect::<PositionSet>();
            assert_same(&set(&left).intersection(&set(&right)), &(&left & &right));
            assert_same(&set(&left).union(set(&right)), &(&left | &right));
            assert_same(&set(&left).difference(&set(&right)), &(&left - &right));
            let mut fewer = set(&left);
            for position in &right {
                assert_eq!(fewer.contains(*position), left.contains(position));
                assert_eq!(fewer.remove(*position), left.contains(position));
            }
            assert_same(&fewer, &(&left - &right));
        }
    }

    #[test]
    fn a_part_of_a_block_ends_with_it() {
        for (first, last) in [(0, 9_000), (4_096, 8_191), (5_000, 5_002), (5_000, 9_000)] {
            let expected: PositionSet = (first.max(4_096)..=last.min(8_191)).collect();
            assert_eq!(PositionSet::part_of_block(1, first, last), expected);
        }
        assert!(PositionSet::part_of_block(1, 0, 4_095).is_empty());
        let set: PositionSet = [1, 4_097, 9_000].into_iter().collect();
        assert!(set.only_block(1).iter().eq([4_097]) && set.only_block(7).is_empty());
    }

    #[test]
    fn a_block_has_at_most_512_bytes_and_others_are_none() {
        let bytes = |count: i64| {
            let set: PositionSet = (0..count).collect();
            set.blocks()
                .map(|(_, bytes)| bytes.len())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (bytes(1), bytes(255), bytes(256)),
            (vec![2], vec![510], vec![512])
        );
        assert_eq!(bytes(4_097), [512, 2]);
        let mut set = PositionSet::default();
        for bad in [vec![0; 1], vec![0, 16], vec![0; 513], vec![0; 514]] {
            assert!(!set.insert_block(0, &bad), "{}", bad.len());
        }
        assert!(set.insert_block(0, &[]) && set.is_empty());
    }
}
