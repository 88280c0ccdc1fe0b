//! `hato key-events`: who made and deleted API keys.

use hato_domain::wire::{KeyEvent, Page};

use crate::connection::ServerConnection;
use crate::error::Result;
use crate::output::Output;
use crate::paging::PagingArgs;
use crate::table::Table;

pub fn run(paging: &PagingArgs, connection: &ServerConnection, output: &Output) -> Result<()> {
    output.table(&paging.read(connection, "/key-events")?, table)
}

fn table(events: &Page<KeyEvent>) -> Table {
    let rows = events.items.iter().map(|event| {
        [
            event.created_at.to_minute(),
            event.event.clone(),
            event.key_id.clone(),
            event.key_name.clone(),
            event.key_scope.clone(),
            event.actor.name.clone(),
        ]
    });
    Table::new("AT_UTC EVENT KEY NAME SCOPE BY", rows)
}
