//! Who took what was sent to them, as far as finished sends tell (CONTRACT 12).

use std::collections::BTreeMap;
use std::mem::take;

use crate::PositionSet;

/// Bytes of the day and of the length before a stored set.
const HEAD_BYTES: usize = 6;
/// Stands in the place of a day before those who missed their last send.
const MISSED: u32 = u32::MAX;

/// Of the positions of one block: on which day each last took a send, and which of them did not take the last one that was for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReachBlock {
    /// By the UTC day, counted from 1970-01-01; a position stands under one of them.
    answered: BTreeMap<u32, PositionSet>,
    missed: PositionSet,
}

impl ReachBlock {
    /// Records a send that was finished on this day: it was for `included`, and all of them took it but those of `missed`.
    pub fn record(&mut self, day: i64, included: &PositionSet, missed: &PositionSet) {
        let taken = included.clone().difference(missed);
        for positions in self.answered.values_mut() {
            *positions = take(positions).difference(&taken);
        }
        let day = u32::try_from(day).unwrap_or_default().min(MISSED - 1);
        let positions = self.answered.entry(day).or_default();
        *positions = take(positions).union(taken);
        self.answered.retain(|_, positions| !positions.is_empty());
        let missed = included.clone().intersection(missed);
        self.missed = take(&mut self.missed).difference(included).union(missed);
    }

    /// The UTC day, counted from 1970-01-01, on which the position last took a send; `None` when it took none so far.
    pub fn last_success(&self, position: i64) -> Option<i64> {
        let mut days = self.answered.iter();
        let of_position = days.find(|(_, positions)| positions.contains(position));
        of_position.map(|(day, _)| i64::from(*day))
    }

    /// Whether the position took the last send that was for it.
    pub fn answered_last(&self, position: i64) -> bool {
        !self.missed.contains(position) && self.last_success(position).is_some()
    }

    /// As it is stored: for each day, and last for those who missed, the day in 4 bytes, the length of the positions in 2, and the
    /// positions as a set stores a block. All numbers are little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let missed = std::iter::once((&MISSED, &self.missed));
        for (day, positions) in self.answered.iter().chain(missed) {
            for (_, block) in positions.blocks() {
                // A block has at most 512 bytes.
                let length = u16::try_from(block.len()).unwrap_or_default();
                bytes.extend(day.to_le_bytes());
                bytes.extend(length.to_le_bytes());
                bytes.extend(block);
            }
        }
        bytes
    }

    /// What was stored for the block with this number; `None` for bytes that are none.
    pub fn from_bytes(block: i64, mut bytes: &[u8]) -> Option<Self> {
        let mut reach = Self::default();
        while let Some((head, rest)) = bytes.split_first_chunk::<HEAD_BYTES>() {
            let [d0, d1, d2, d3, l0, l1] = *head;
            let day = u32::from_le_bytes([d0, d1, d2, d3]);
            let length = u16::from_le_bytes([l0, l1]).into();
            let (stored, behind) = rest.split_at_checked(length)?;
            let positions = match day {
                MISSED => &mut reach.missed,
                day => reach.answered.entry(day).or_default(),
            };
            if !positions.insert_block(block, stored) {
                return None;
            }
            bytes = behind;
        }
        bytes.is_empty().then_some(reach)
    }
}

#[cfg(test)]
mod tests {
    use super::{PositionSet, ReachBlock};

    const FIRST: i64 = 3 * PositionSet::BLOCK_SIZE;

    fn set(offsets: impl IntoIterator<Item = i64>) -> PositionSet {
        offsets.into_iter().map(|offset| FIRST + offset).collect()
    }

    /// On which day the positions 0 to 3 of the block last took a send, and whether they took the last one.
    fn shown(reach: &ReachBlock) -> [(Option<i64>, bool); 4] {
        [0, 1, 2, 3].map(|offset| {
            let position = FIRST + offset;
            (reach.last_success(position), reach.answered_last(position))
        })
    }

    #[test]
    fn the_last_send_for_a_position_counts() {
        let mut reach = ReachBlock::default();
        assert_eq!(shown(&reach), [(None, false); 4]);
        reach.record(7, &set(0..3), &set([2]));
        let took = (Some(7), true);
        assert_eq!(shown(&reach), [took, took, (None, false), (None, false)]);
        reach.record(9, &set([0, 1, 2]), &set([0, 3]));
        let again = (Some(9), true);
        assert_eq!(
            shown(&reach),
            [(Some(7), false), again, again, (None, false)]
        );
        reach.record(9, &set([0]), &set([]));
        assert_eq!(shown(&reach)[0], (Some(9), true));
        reach.record(9, &set([0]), &set([0]));
        assert_eq!(shown(&reach)[0], (Some(9), false), "took one that day");
    }

    #[test]
    fn what_is_stored_is_read_again() {
        let mut reach = ReachBlock::default();
        assert!(reach.to_bytes().is_empty());
        for day in 0..90 {
            reach.record(20_000 + day, &set((day * 7)..4_096), &set([day, day + 600]));
        }
        let bytes = reach.to_bytes();
        assert!(bytes.len() < 9_300, "{}", bytes.len());
        assert_eq!(ReachBlock::from_bytes(3, &bytes), Some(reach));
    }

    #[test]
    fn other_bytes_are_none() {
        for bad in [
            &[1][..],
            &[0; 5],
            &[0, 0, 0, 0, 1, 0],
            &[0, 0, 0, 0, 1, 0, 9],
        ] {
            assert_eq!(ReachBlock::from_bytes(0, bad), None, "{bad:?}");
        }
    }
}
