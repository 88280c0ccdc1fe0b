//! `hato history`: what was sent.

use clap::{Args, Subcommand};
use hato_domain::wire::{Cancelled, HistoryItem, Page};

use crate::connection::{ServerConnection, segment};
use crate::error::Result;
use crate::output::Output;
use crate::paging::PagingArgs;
use crate::table::Table;
use crate::text::{printable, recipient_noun};

/// The arguments of `hato history`: those of the list, or a subcommand about one send.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct History {
    #[command(subcommand)]
    command: Option<HistoryCommand>,
    #[command(flatten)]
    paging: PagingArgs,
}

#[derive(Subcommand)]
enum HistoryCommand {
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
    pub fn run(self, connection: &ServerConnection, output: &Output) -> Result<()> {
        match self.command {
            None => {
                let sends = self.paging.read(connection, "/notifications")?;
                output.table(&sends, table)
            }
            Some(HistoryCommand::Show { send_id }) => {
                output.show(&connection.api().get(&path(connection, &send_id)?)?, lines)
            }
            Some(HistoryCommand::Cancel { send_id }) => {
                let cancelled: Cancelled = connection.api().delete(&path(connection, &send_id)?)?;
                output.show(&cancelled, |it| {
                    let noun = recipient_noun(it.cancelled);
                    vec![format!("Spared {} {noun}.", it.cancelled)]
                })
            }
        }
    }
}

/// The path of one send.
pub fn path(connection: &ServerConnection, send_id: &str) -> Result<String> {
    connection.app_path(&format!("/notifications/{}", segment(send_id)))
}

fn table(sends: &Page<HistoryItem>) -> Table {
    let head = "ID ACCEPTED_UTC STATUS RECIPIENTS SENT EXPIRED FAILED TITLE";
    let rows = sends.items.iter().map(|send| {
        [
            send.send_id.clone(),
            send.created_at.to_minute(),
            send.status.clone(),
            send.recipients.to_string(),
            send.sent_count.to_string(),
            send.failed_expired.to_string(),
            send.failed_other.to_string(),
            send.title.clone(),
        ]
    });
    Table::new(head, rows)
}

fn lines(send: &HistoryItem) -> Vec<String> {
    let mut lines = vec![
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
        format!("displayed       {}", send.displayed_count),
        format!("clicked         {}", send.clicked_count),
        format!("dismissed       {}", send.dismissed_count),
    ];
    let by_action = send.clicks_by_action.iter();
    lines.extend(by_action.map(|(action, clicks)| {
        let action = printable(action);
        format!("  {action:<14}{clicks}")
    }));
    lines
}
