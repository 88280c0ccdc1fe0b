//! Random numbers that can be repeated: a generator whose seed is printed.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::ops::Range;

/// The variable that repeats a run.
const SEED: &str = "HATO_SEED";

/// A generator of numbers (SplitMix64): the same seed gives the same numbers.
#[derive(Clone, Debug)]
pub struct SeededRng(u64);

impl SeededRng {
    /// From the seed in `HATO_SEED`, or a new one; either is printed, for a test that fails to be repeated.
    pub fn from_env() -> Self {
        let given = std::env::var(SEED).ok();
        let seed = given.map_or_else(
            || RandomState::new().hash_one(0),
            |seed| seed.parse().expect("HATO_SEED is a number"),
        );
        println!("{SEED}={seed}");
        Self(seed)
    }

    /// Any number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number within `range`, which must not be empty.
    pub fn range(&mut self, range: Range<u64>) -> u64 {
        range.start + self.next_u64() % (range.end - range.start)
    }

    /// One of `choices`, which must not be empty.
    pub fn choose<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        let index = self.range(0..choices.len() as u64);
        &choices[usize::try_from(index).expect("an index")]
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, percent: u64) -> bool {
        self.range(0..100) < percent
    }
}

#[cfg(test)]
mod tests {
    use super::SeededRng;

    #[test]
    fn the_same_seed_gives_the_same_numbers() {
        let mut first = SeededRng(7);
        let mut second = first.clone();
        for _ in 0..100 {
            let number = first.range(3..9);
            assert!((3..9).contains(&number));
            assert_eq!(second.range(3..9), number);
        }
    }
}
