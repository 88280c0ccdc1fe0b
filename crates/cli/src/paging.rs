//! Lists that come in pages, newest first (CONTRACT 4): as many entries as were asked for.

use clap::Args;
use hato_domain::wire::Page;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::connection::{Connection, segment};
use crate::failure::Result;

/// Most entries that the server puts into one page.
const PAGE: usize = 100;

/// How much of a list to show.
#[derive(Args)]
pub struct Paging {
    /// How many entries to show at most
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    limit: u32,
    /// Only entries older than this Unix time in milliseconds
    #[arg(long, value_name = "MS")]
    before: Option<i64>,
}

impl Paging {
    /// The entries, page after page.
    pub fn read<T: DeserializeOwned + Serialize>(
        &self,
        connection: &Connection,
        list: &str,
    ) -> Result<Vec<T>> {
        let path = connection.of_app(list)?;
        let wanted = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let mut items = Vec::new();
        let mut cursor = self.before.map(|before| format!("&before={before}"));
        while items.len() < wanted {
            let limit = PAGE.min(wanted - items.len());
            let query = format!("?limit={limit}{}", cursor.unwrap_or_default());
            let page: Page<T> = connection.api().get(&format!("{path}{query}"))?;
            items.extend(page.items);
            let (Some(before), Some(id)) = (page.next_before, page.next_before_id) else {
                break;
            };
            cursor = Some(format!("&before={}&before_id={}", before.0, segment(&id)));
        }
        Ok(items)
    }
}
