//! What commands print on standard output: a table or a line for people, or JSON for programs.

use std::io::Write as _;

use serde::Serialize;

use crate::error::Result;
use crate::table::Table;

/// Standard output, in the form that was asked for.
pub struct Output {
    json: bool,
}

impl Output {
    pub fn new(json: bool) -> Self {
        Self { json }
    }

    /// Prints `value` as JSON, or what `lines` makes of it for people.
    pub fn show<T: Serialize>(
        &self,
        value: &T,
        lines: impl FnOnce(&T) -> Vec<String>,
    ) -> Result<()> {
        if self.json {
            let text = serde_json::to_string_pretty(value).expect("wire types are plain data");
            return self.print(&[text]);
        }
        self.print(&lines(value))
    }

    /// Prints `value` as one line of JSON, or as the line that `line` makes of it for people.
    pub fn line<T: Serialize>(&self, value: &T, line: impl FnOnce(&T) -> String) -> Result<()> {
        let text = if self.json {
            serde_json::to_string(value).expect("wire types are plain data")
        } else {
            line(value)
        };
        self.print(&[text])
    }

    /// Prints `value` as JSON, or as a table.
    pub fn table<T: Serialize>(&self, value: &T, table: impl FnOnce(&T) -> Table) -> Result<()> {
        self.show(value, |value| table(value).lines())
    }

    /// Prints bytes as they are.
    #[expect(clippy::unused_self, reason = "all printing goes through the output")]
    pub fn raw(&self, bytes: &[u8]) -> Result<()> {
        let mut stdout = std::io::stdout().lock();
        stdout.write_all(bytes)?;
        Ok(stdout.flush()?)
    }

    /// Colours are taken out unless a terminal shows them.
    #[expect(clippy::unused_self, reason = "all printing goes through the output")]
    fn print(&self, lines: &[String]) -> Result<()> {
        let mut stdout = anstream::stdout().lock();
        for line in lines {
            writeln!(stdout, "{line}")?;
        }
        Ok(stdout.flush()?)
    }
}
