//! `hato dead-letters`: deliveries that finally failed.

use clap::Args;
use hato_domain::wire::{DeadLetter, Page};

use crate::connection::ServerConnection;
use crate::error::Result;
use crate::output::Output;
use crate::paging::PagingArgs;
use crate::table::Table;

/// How many of them.
#[derive(Args)]
pub struct DeadLetters {
    #[command(flatten)]
    paging: PagingArgs,
}

impl DeadLetters {
    /// Shows them.
    pub fn run(self, connection: &ServerConnection, output: &Output) -> Result<()> {
        let letters = self.paging.read(connection, "/dead-letters")?;
        output.table(&letters, table)
    }
}

fn table(letters: &Page<DeadLetter>) -> Table {
    let head = [
        "ID",
        "GIVEN_UP_UTC",
        "REASON",
        "HTTP",
        "ATTEMPTS",
        "SEND",
        "ENDPOINT",
    ];
    let mut table = Table::new(head);
    for letter in &letters.items {
        let status = letter.http_status.map(|status| status.to_string());
        table.row([
            letter.id.clone(),
            letter.created_at.to_minute(),
            letter.reason.clone(),
            status.unwrap_or_default(),
            letter.attempts.to_string(),
            letter.send_id.clone(),
            letter.endpoint.clone(),
        ]);
    }
    table
}
