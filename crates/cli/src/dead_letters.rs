//! `hato dead-letters`: deliveries that finally failed.

use hato_domain::wire::{DeadLetter, Page};

use crate::connection::ServerConnection;
use crate::error::Result;
use crate::output::Output;
use crate::paging::PagingArgs;
use crate::table::Table;

pub fn run(paging: &PagingArgs, connection: &ServerConnection, output: &Output) -> Result<()> {
    output.table(&paging.read(connection, "/dead-letters")?, table)
}

fn table(letters: &Page<DeadLetter>) -> Table {
    let head = "ID GIVEN_UP_UTC REASON HTTP ATTEMPTS SEND ENDPOINT DETAIL";
    let rows = letters.items.iter().map(|letter| {
        let status = letter.http_status.map(|status| status.to_string());
        [
            letter.id.clone(),
            letter.created_at.to_minute(),
            letter.reason.clone(),
            status.unwrap_or_default(),
            letter.attempts.to_string(),
            letter.send_id.clone(),
            letter.endpoint.clone(),
            letter.detail.clone().unwrap_or_default(),
        ]
    });
    Table::new(head, rows)
}
