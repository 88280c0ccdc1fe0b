//! Tables for people, whose columns `awk` and `cut` can read as well.

use std::io::IsTerminal as _;
use std::iter::once;

use unicode_width::UnicodeWidthStr as _;

use crate::text::printable;

/// The widest cell on a terminal, in its columns; what is longer is cut there.
const MAX_CELL_WIDTH: usize = 48;

/// Rows below a row of headings.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a heading for each column, in words between blanks. An empty cell is shown as a dash, so that columns can
    /// be counted.
    pub fn new<const N: usize>(head: &str, rows: impl IntoIterator<Item = [String; N]>) -> Self {
        let shown = |cell: String| match printable(cell.trim()) {
            cell if cell.is_empty() => "-".to_owned(),
            cell => cell,
        };
        let head = head.split(' ').map(str::to_owned).collect();
        let rows = rows.into_iter().map(|cells| cells.map(shown).into());
        Self {
            rows: once(head).chain(rows).collect(),
        }
    }

    /// The lines; long cells are whole unless a terminal shows them.
    pub fn lines(&self) -> Vec<String> {
        if !std::io::stdout().is_terminal() {
            return aligned(&self.rows);
        }
        let narrow = |row: &Vec<String>| row.iter().map(|cell| cut(cell)).collect();
        aligned(&self.rows.iter().map(narrow).collect::<Vec<_>>())
    }
}

/// Lines whose last cell is not filled up.
fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column| {
        let cells = rows.iter().filter_map(|row: &Vec<String>| row.get(column));
        cells.map(|cell: &String| cell.width()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| {
            let room = width.saturating_sub(cell.width());
            format!("{cell}{}", " ".repeat(room))
        });
        let cells: Vec<_> = cells.collect();
        cells.join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

fn cut(cell: &str) -> String {
    if cell.width() <= MAX_CELL_WIDTH {
        return cell.to_owned();
    }
    let mut kept = String::new();
    for c in cell.chars() {
        if kept.width() + 2 >= MAX_CELL_WIDTH {
            break;
        }
        kept.push(c);
    }
    format!("{kept}…")
}

#[cfg(test)]
mod tests {
    use super::{Table, aligned, cut};

    #[test]
    fn columns_are_aligned_whatever_the_script() {
        let rows = [["鳩", "1"], ["", "2"]].map(|row| row.map(str::to_owned));
        let table = Table::new("NAME N", rows);
        assert_eq!(aligned(&table.rows), ["NAME  N", "鳩    1", "-     2"]);
    }

    #[test]
    fn a_long_cell_is_cut() {
        assert_eq!(cut(&"鳩".repeat(100)), format!("{}…", "鳩".repeat(23)));
    }
}
