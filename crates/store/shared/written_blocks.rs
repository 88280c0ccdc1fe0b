//! Blocks of positions as a statement takes them: the bytes of all in one parameter. In hexadecimal digits, the blocks of half a million
//! positions would keep the one writer for another millisecond.

use crate::error::json;

/// What the word `BLOCKS` of `sql!` takes as `$1` and `$3`.
pub(crate) struct WrittenBlocks {
    /// A JSON array: of each block its number, the place of its first byte, counted from 1, and how many they are.
    pub(crate) places: String,
    pub(crate) bytes: Vec<u8>,
}

impl WrittenBlocks {
    /// Of blocks with their numbers.
    pub(crate) fn new(blocks: &[(i64, Vec<u8>)]) -> sqlx::Result<Self> {
        let mut places = Vec::with_capacity(blocks.len());
        let mut bytes = Vec::new();
        for (number, block) in blocks {
            places.push((number, bytes.len() + 1, block.len()));
            bytes.extend_from_slice(block);
        }
        Ok(Self {
            places: json(&places)?,
            bytes,
        })
    }
}
