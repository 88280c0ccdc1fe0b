//! What two copies of a table are compared by.

use sha2::{Digest as _, Sha256};

use super::row::{ColumnValue, Row};

/// How many rows a table has, and a checksum of them that does not depend on their order.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) rows: u64,
    /// The sum of half of each row's SHA-256. It finds what went wrong, not what somebody forged.
    sum: u128,
    /// The row number that was given last.
    last_number: Option<i64>,
}

impl Tally {
    /// Of no rows yet.
    pub(crate) const fn new(last_number: Option<i64>) -> Self {
        Self {
            rows: 0,
            sum: 0,
            last_number,
        }
    }

    /// Takes a row into account.
    pub(crate) fn add(&mut self, row: &Row) {
        self.rows += 1;
        self.sum = self.sum.wrapping_add(hash(row));
    }
}

/// The first 128 bits of the SHA-256 of its values.
fn hash(row: &Row) -> u128 {
    let mut hash = Sha256::new();
    for value in row {
        match value {
            ColumnValue::Number(value) => {
                add_value(
                    &mut hash,
                    value
                        .map(i64::to_be_bytes)
                        .as_ref()
                        .map(<[u8; 8]>::as_slice),
                );
            }
            ColumnValue::Text(value) => add_value(&mut hash, value.as_deref().map(str::as_bytes)),
            ColumnValue::Bytes(value) => add_value(&mut hash, value.as_deref()),
        }
    }
    let mut half = [0; 16];
    half.copy_from_slice(&hash.finalize()[..16]);
    u128::from_be_bytes(half)
}

/// Its length comes first, so that no two rows are the same bytes. No value is as long as NULL's.
fn add_value(hash: &mut Sha256, value: Option<&[u8]>) {
    let length = value.map_or(u64::MAX, |bytes| bytes.len() as u64);
    hash.update(length.to_be_bytes());
    hash.update(value.unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::{ColumnValue, Row, Tally};

    fn tally(rows: &[Row]) -> Tally {
        let mut tally = Tally::new(None);
        for row in rows {
            tally.add(row);
        }
        tally
    }

    fn text(text: &str) -> ColumnValue {
        ColumnValue::Text(Some(text.to_owned()))
    }

    #[test]
    fn the_order_of_rows_does_not_count_and_everything_else_does() {
        let (first, second) = (vec![text("ab"), text("c")], vec![text("a"), text("bc")]);
        let both = tally(&[first.clone(), second.clone()]);
        assert_eq!(both, tally(&[second.clone(), first.clone()]));
        for other in [
            vec![first.clone()],
            vec![first.clone(), first.clone()],
            vec![first.clone(), vec![text("a"), ColumnValue::Text(None)]],
            vec![first.clone(), vec![text("a"), text("bd")]],
            vec![first, second, vec![]],
        ] {
            assert_ne!(both, tally(&other), "{other:?}");
        }
    }

    #[test]
    fn nothing_is_not_null() {
        let null = [vec![ColumnValue::Bytes(None)]];
        assert_ne!(
            tally(&null),
            tally(&[vec![ColumnValue::Bytes(Some(vec![]))]])
        );
    }
}
