//! `hato key-events`: who made and deleted API keys.

use clap::Args;
use hato_domain::wire::{KeyEvent, Page};

use crate::connection::ServerConnection;
use crate::error::Result;
use crate::output::Output;
use crate::paging::PagingArgs;
use crate::table::Table;

/// How many of them.
#[derive(Args)]
pub struct KeyEvents {
    #[command(flatten)]
    paging: PagingArgs,
}

impl KeyEvents {
    /// Shows them.
    pub fn run(self, connection: &ServerConnection, output: &Output) -> Result<()> {
        let events = self.paging.read(connection, "/key-events")?;
        output.table(&events, table)
    }
}

fn table(events: &Page<KeyEvent>) -> Table {
    let mut table = Table::new(["AT_UTC", "EVENT", "KEY", "NAME", "SCOPE", "BY"]);
    for event in &events.items {
        table.row([
            event.created_at.to_minute(),
            event.event.clone(),
            event.key_id.clone(),
            event.key_name.clone(),
            event.key_scope.clone(),
            event.actor.name.clone(),
        ]);
    }
    table
}
