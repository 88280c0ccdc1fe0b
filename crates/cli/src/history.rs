//! `hato history`: what was sent.

use clap::{Args, Subcommand};
use hato_domain::wire::{Cancelled, HistoryItem, Page};

use crate::connection::{Connection, segment};
use crate::failure::Result;
use crate::output::Output;
use crate::paging::Paging;
use crate::table::Table;
use crate::text::{people, printable};

/// The list of sends, or one of them.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct History {
    #[command(subcommand)]
    one: Option<One>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Subcommand)]
enum One {
    /// Show one send
    Show {
        /// Its id
        send_id: String,
    },
    /// Stop what of a send is not yet being delivered
    Cancel {
        /// Its id
        send_id: String,
    },
}

impl History {
    /// Shows it.
    pub fn run(self, connection: &Connection, output: &Output) -> Result<()> {
        match self.one {
            None => {
                let sends = self.paging.read(connection, "/notifications")?;
                output.table(&sends, table)
            }
            Some(One::Show { send_id }) => output.show(&read(connection, &send_id)?, lines),
            Some(One::Cancel { send_id }) => {
                let cancelled: Cancelled = connection.api().delete(&path(connection, &send_id)?)?;
                output.show(&cancelled, |it| {
                    let people = people(it.cancelled);
                    vec![format!("Spared {} {people}.", it.cancelled)]
                })
            }
        }
    }
}

fn read(connection: &Connection, send_id: &str) -> Result<HistoryItem> {
    connection.api().get(&path(connection, send_id)?)
}

/// Where one send is.
pub fn path(connection: &Connection, send_id: &str) -> Result<String> {
    connection.of_app(&format!("/notifications/{}", segment(send_id)))
}

fn table(sends: &Page<HistoryItem>) -> Table {
    let head = [
        "ID",
        "ACCEPTED_UTC",
        "STATUS",
        "RECIPIENTS",
        "SENT",
        "EXPIRED",
        "FAILED",
        "TITLE",
    ];
    let mut table = Table::new(head);
    for send in &sends.items {
        table.row([
            send.send_id.clone(),
            send.created_at.to_minute(),
            send.status.clone(),
            send.recipients.to_string(),
            send.sent_count.to_string(),
            send.failed_expired.to_string(),
            send.failed_other.to_string(),
            send.title.clone(),
        ]);
    }
    table
}

fn lines(send: &HistoryItem) -> Vec<String> {
    vec![
        format!("id              {}", send.send_id),
        format!("title           {}", printable(&send.title)),
        format!("body            {}", printable(&send.body)),
        format!(
            "url             {}",
            printable(send.url.as_deref().unwrap_or("-"))
        ),
        format!("accepted (UTC)  {}", send.created_at.to_minute()),
        format!("by              {}", printable(&send.actor.name)),
        format!("status          {}", send.status),
        format!("recipients      {}", send.recipients),
        format!("sent            {}", send.sent_count),
        format!("expired         {}", send.failed_expired),
        format!("failed          {}", send.failed_other),
        format!("skipped         {}", send.skipped_count),
        format!("cancelled       {}", send.cancelled_count),
    ]
}
