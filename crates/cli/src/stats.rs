//! `hato stats`: what was sent and who is subscribed.

use hato_domain::wire::{DailyStats, Stats};

use crate::connection::ServerConnection;
use crate::error::Result;
use crate::output::Output;
use crate::table::Table;

/// Shows the app's statistics: totals, then the days on which something was sent.
pub fn run(connection: &ServerConnection, output: &Output) -> Result<()> {
    let stats: Stats = connection.api().get(&connection.app_path("/stats")?)?;
    output.show(&stats, lines)
}

/// The days on which something was sent.
fn days(stats: &Stats) -> Table {
    let active = stats.daily.iter().filter(|day| day.sends > 0);
    let columns = "DAY_UTC SENDS SENT FAILED DISPLAYED CLICKED";
    Table::new(columns, active.map(row))
}

fn row(day: &DailyStats) -> [String; 6] {
    let counts = [day.sends, day.sent, day.failed, day.displayed, day.clicked];
    let [sends, sent, failed, displayed, clicked] = counts.map(|count| count.to_string());
    [day.date.clone(), sends, sent, failed, displayed, clicked]
}

fn lines(stats: &Stats) -> Vec<String> {
    let limit = stats.monthly_limit.map(|limit| format!(" of {limit}"));
    let month = format!("{}{}", stats.monthly_sent, limit.unwrap_or_default());
    let mut lines = vec![
        format!("subscribers      {}", stats.active_subscribers),
        format!("deactivated      {}", stats.deactivated_subscribers),
        format!("sent in all      {}", stats.total_sent),
        format!("failed in all    {}", stats.total_failed),
        format!("displayed        {}", stats.total_displayed),
        format!("clicked          {}", stats.total_clicked),
        format!("dismissed        {}", stats.total_dismissed),
        format!("this month       {month}"),
        format!("starts anew UTC  {}", stats.month_resets_at.to_minute()),
    ];
    let days = days(stats).lines();
    if days.len() > 1 {
        lines.push(String::new());
        lines.extend(days);
    }
    lines
}
