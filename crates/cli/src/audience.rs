//! `hato audience`: whom a send would go to, and how many of them the last one has reached (CONTRACT 12).

use clap::Args;
use hato_domain::wire::{AgeShare, AudienceReport};

use crate::connection::{ServerConnection, query};
use crate::error::Result;
use crate::output::Output;
use crate::selection::{tag_expression, user_id};
use crate::table::Table;

/// The arguments of `hato audience`: without any it is everybody.
#[derive(Args)]
pub struct AudienceArgs {
    /// Only those whose tags meet this, for example "news && !(sports || muted)"
    #[arg(long, value_name = "EXPRESSION", value_parser = tag_expression)]
    tags: Option<String>,
    /// Only the browsers of this user
    #[arg(long, value_name = "ID", value_parser = user_id)]
    user: Option<String>,
}

impl AudienceArgs {
    pub fn run(self, connection: &ServerConnection, output: &Output) -> Result<()> {
        let conditions = [
            ("tags", self.tags.as_deref()),
            ("user_id", self.user.as_deref()),
        ];
        let path = connection.app_path(&format!("/audience?{}", query(&conditions)))?;
        output.show(&connection.api().get(&path)?, lines)
    }
}

/// Totals, then the ages and the push services.
fn lines(audience: &AudienceReport) -> Vec<String> {
    let answered: i64 = audience.by_age.iter().map(|it| it.answered_last_send).sum();
    let mut lines = vec![
        format!("recipients      {}", audience.recipients),
        format!("took last send  {answered}"),
    ];
    if audience.approximate {
        lines.push("All numbers but the recipients are estimates.".to_owned());
    }
    for table in [ages(audience), hosts(audience)] {
        lines.push(String::new());
        lines.extend(table.lines());
    }
    lines
}

fn ages(audience: &AudienceReport) -> Table {
    let mut after = 0;
    let rows = audience.by_age.iter().map(|group| {
        let days = days(group, &mut after);
        row(days, [group.recipients, group.answered_last_send])
    });
    Table::new("AGE_DAYS RECIPIENTS TOOK_LAST_SEND", rows)
}

fn hosts(audience: &AudienceReport) -> Table {
    let hosts = audience.reach_by_host.iter();
    let rows = hosts.map(|it| row(it.host.clone(), [it.recipients, it.answered_last_send]));
    Table::new("HOST RECIPIENTS TOOK_LAST_SEND", rows)
}

fn row(name: String, counts: [i64; 2]) -> [String; 3] {
    let [recipients, answered] = counts.map(|count| count.to_string());
    [name, recipients, answered]
}

/// The group's ages; it begins behind the one before.
fn days(group: &AgeShare, after: &mut i64) -> String {
    match group.days {
        Some(days) => format!("{}-{days}", std::mem::replace(after, days + 1)),
        None => format!("{after}+"),
    }
}
