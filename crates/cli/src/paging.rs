//! Lists that come in pages, newest first (CONTRACT 4): as many entries as were asked for.

use clap::Args;
use hato_domain::wire::Page;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::connection::{QueryMember, ServerConnection, query};
use crate::error::Result;

/// Most entries that the server puts into one page.
const MAX_PAGE_SIZE: usize = 100;

/// The arguments of commands that show a list.
#[derive(Args)]
pub struct PagingArgs {
    /// How many entries to show at most
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    limit: u32,
    /// Only entries older than this Unix time in milliseconds
    #[arg(long, value_name = "MS")]
    before: Option<i64>,
    /// With --before: of that time itself, only entries after the one with this id
    #[arg(long, value_name = "ID", requires = "before")]
    before_id: Option<String>,
}

impl PagingArgs {
    /// The entries, page after page, as one page; its cursor leads on behind them.
    pub fn read<T: DeserializeOwned + Serialize>(
        &self,
        connection: &ServerConnection,
        list: &str,
    ) -> Result<Page<T>> {
        self.read_where(&[], connection, list)
    }

    /// The same of those entries that meet the conditions.
    pub fn read_where<T: DeserializeOwned + Serialize>(
        &self,
        conditions: &[QueryMember<'_>],
        connection: &ServerConnection,
        list: &str,
    ) -> Result<Page<T>> {
        let path = connection.app_path(list)?;
        let wanted = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let read = |before: Option<i64>, before_id: Option<&str>, missing: usize| {
            let limit = MAX_PAGE_SIZE.min(missing).to_string();
            let before = before.map(|before| before.to_string());
            let cursor = [("before", before.as_deref()), ("before_id", before_id)];
            let members = [&[("limit", Some(&*limit))][..], conditions, &cursor].concat();
            let page = format!("{path}?{}", query(&members));
            connection.api().get::<Page<T>>(&page)
        };
        let mut list = read(self.before, self.before_id.as_deref(), wanted)?;
        while list.items.len() < wanted && list.next_before.is_some() {
            let before = list.next_before.map(|before| before.0);
            let missing = wanted - list.items.len();
            let page = read(before, list.next_before_id.as_deref(), missing)?;
            list.items.extend(page.items);
            (list.next_before, list.next_before_id) = (page.next_before, page.next_before_id);
        }
        Ok(list)
    }
}
