//! Sends and subscriptions that a search finds in all apps of an account.
//!
//! No index knows the sends of an account, so those of its apps are put in order first. As in a search of one history, what it costs is
//! bounded by how long it may take, and by how many are looked at.

use async_trait::async_trait;
use futures_util::TryStreamExt as _;
use hato_domain::{AccountId, AppId, SendId, SubscriptionId};
use hato_service::ports::{
    AccountSearchStore, Findings, FoundSend, FoundSubscription, StoreError, SubscriptionKey,
    has_text,
};
use tokio::task::yield_now;

use crate::Database;
use crate::bounded_reads::is_out_of_time;
use crate::dialect::{bounded_reader, from_stored};
use crate::error::with_context;

/// Most sends that are looked at.
const MAX_SCANNED: i64 = 5_000;

/// How many are looked at until others have their turn on this thread.
const YIELD_INTERVAL: i64 = 256;

#[async_trait]
impl AccountSearchStore for Database {
    async fn sends_of_account(
        &self,
        account: &AccountId,
        text: &str,
        limit: usize,
    ) -> Result<Findings<FoundSend>, StoreError> {
        let found = search_sends(self, account, &text.to_lowercase(), limit).await;
        in_time(found).map_err(with_context("search the sends of an account"))
    }

    async fn subscriptions_of_account(
        &self,
        account: &AccountId,
        key: &SubscriptionKey,
        limit: usize,
    ) -> Result<Findings<FoundSubscription>, StoreError> {
        let found = search_subscriptions(self, account, key, limit).await;
        in_time(found).map_err(with_context("search the subscriptions of an account"))
    }
}

/// A search whose time was up has found nothing.
fn in_time<T>(found: sqlx::Result<Findings<T>>) -> sqlx::Result<Findings<T>> {
    match found {
        Err(error) if is_out_of_time(&error) => Ok(Findings::unscanned()),
        found => found,
    }
}

async fn search_sends(
    database: &Database,
    account: &AccountId,
    text: &str,
    limit: usize,
) -> sqlx::Result<Findings<FoundSend>> {
    let mut connection = bounded_reader(database).await?;
    let mut rows = sqlx::query_as!(
        SearchedSendRow,
        r#"SELECT s.id AS "id!", s.title AS "title!", s.body AS "body!", s.url, p.id AS "app_id!",
                  p.name AS "app_name!"
           FROM (SELECT id FROM sends
                 WHERE app_id IN (SELECT id FROM apps WHERE account_id = $1 AND deleted_at IS NULL)
                 ORDER BY created_at DESC, id DESC LIMIT $2) AS latest
           JOIN sends AS s ON s.id = latest.id JOIN apps AS p ON p.id = s.app_id
           ORDER BY s.created_at DESC, s.id DESC"#,
        account.as_str(),
        MAX_SCANNED
    )
    .fetch(&mut *connection);
    let (mut items, mut scanned) = (Vec::new(), 0);
    while let Some(row) = rows.try_next().await? {
        scanned += 1;
        let (found, url) = row.into_found();
        if has_text([&found.title, &found.body, &url], text) {
            items.push(found);
        }
        if items.len() == limit {
            break;
        }
        if scanned % YIELD_INTERVAL == 0 {
            yield_now().await;
        }
    }
    Ok(Findings {
        is_cut_short: scanned == MAX_SCANNED && items.len() < limit,
        items,
    })
}

async fn search_subscriptions(
    database: &Database,
    account: &AccountId,
    key: &SubscriptionKey,
    limit: usize,
) -> sqlx::Result<Findings<FoundSubscription>> {
    let mut connection = bounded_reader(database).await?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    macro_rules! found {
        ($condition:literal, $key:expr) => {
            sqlx::query_as!(
                SubscriptionTexts,
                "SELECT s.public_id, s.endpoint, s.platform, s.user_id, p.id AS app_id, p.name AS app_name
                 FROM apps AS p JOIN subscriptions AS s ON s.app_id = p.id
                 WHERE p.account_id = $1 AND p.deleted_at IS NULL AND "
                    + $condition
                    + " ORDER BY s.created_at DESC, s.public_id DESC LIMIT $3",
                account.as_str(),
                $key,
                limit
            )
            .fetch_all(&mut *connection)
            .await?
        };
    }
    let found = match key {
        SubscriptionKey::Id(id) => found!("s.public_id = $2", id.as_str()),
        SubscriptionKey::User(user) => found!("s.user_id = $2", user.as_str()),
    };
    Ok(Findings {
        items: found
            .into_iter()
            .map(SubscriptionTexts::into_found)
            .collect(),
        is_cut_short: false,
    })
}

struct SearchedSendRow {
    id: String,
    title: String,
    body: String,
    url: Option<String>,
    app_id: String,
    app_name: String,
}

impl SearchedSendRow {
    /// The send, and the address that it leads to.
    fn into_found(self) -> (FoundSend, String) {
        let found = FoundSend {
            id: SendId::trusted(self.id),
            title: from_stored(self.title),
            body: from_stored(self.body),
            app: AppId::trusted(self.app_id),
            app_name: self.app_name,
        };
        (found, self.url.unwrap_or_default())
    }
}

struct SubscriptionTexts {
    public_id: String,
    endpoint: String,
    platform: Option<String>,
    user_id: Option<String>,
    app_id: String,
    app_name: String,
}

impl SubscriptionTexts {
    fn into_found(self) -> FoundSubscription {
        FoundSubscription {
            id: SubscriptionId::trusted(self.public_id),
            endpoint: self.endpoint,
            platform: self.platform,
            user_id: self.user_id,
            app: AppId::trusted(self.app_id),
            app_name: self.app_name,
        }
    }
}
