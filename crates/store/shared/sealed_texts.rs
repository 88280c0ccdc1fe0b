//! Where sealed texts are stored, for the rotation of the encryption key. A column more is a line more.

use async_trait::async_trait;
use hato_domain::AppId;
use hato_service::SealPurpose::{self, IdentitySecret, SigningSecret, VapidKey};
use hato_service::ports::{ResealedText, SealedPlace, SealedStore, SealedText, StoreError};
use sqlx::AssertSqlSafe;

use crate::Database;
use crate::dialect::{DbConnection, readers};
use crate::error::with_context;
use crate::transaction::transaction;

/// A column of sealed texts. The two statements that are written of it hold these names and nothing that anybody has sent.
struct SealedColumn {
    table: &'static str,
    /// What names a row, a text: a column or an expression.
    key: &'static str,
    /// The column that names the app for which a text is sealed.
    app: &'static str,
    column: &'static str,
    purpose: SealPurpose,
}

impl SealedColumn {
    /// Reads keys, apps and texts, those behind a key.
    fn query(&self) -> String {
        let Self {
            table,
            key,
            app,
            column,
            ..
        } = self;
        format!(
            "SELECT {key}, {app}, {column} FROM {table}
             WHERE {key} > $1 AND {column} IS NOT NULL ORDER BY {key} LIMIT $2"
        )
    }

    fn text(&self, place: SealedPlace, app: String, text: Vec<u8>) -> SealedText {
        SealedText {
            place,
            app: AppId::trusted(app),
            purpose: self.purpose,
            text,
        }
    }
}

const fn column(
    [table, key, app, column]: [&'static str; 4],
    purpose: SealPurpose,
) -> SealedColumn {
    SealedColumn {
        table,
        key,
        app,
        column,
        purpose,
    }
}

/// All of them; a test holds that no column whose name begins with `sealed_` is missing.
const COLUMNS: [SealedColumn; 6] = [
    column(["apps", "id", "id", "sealed_private_key"], VapidKey),
    column(
        [
            "vapid_keys",
            "app_id || ':' || number",
            "app_id",
            "sealed_private_key",
        ],
        VapidKey,
    ),
    column(
        ["apps", "id", "id", "sealed_identity_secret"],
        IdentitySecret,
    ),
    column(
        ["apps", "id", "id", "sealed_previous_identity_secret"],
        IdentitySecret,
    ),
    column(
        ["webhooks", "app_id", "app_id", "sealed_secret"],
        SigningSecret,
    ),
    column(
        ["webhooks", "app_id", "app_id", "sealed_previous_secret"],
        SigningSecret,
    ),
];

#[async_trait]
impl SealedStore for Database {
    async fn sealed_texts(
        &self,
        after: Option<SealedPlace>,
        limit: i64,
    ) -> Result<Vec<SealedText>, StoreError> {
        let (first, mut key) = after.map_or((0, String::new()), |it| (it.column, it.key));
        for (number, column) in COLUMNS.iter().enumerate().skip(first) {
            let texts = texts_of(self, (number, column), &key, limit).await;
            let texts = texts.map_err(with_context("read what is sealed"))?;
            if !texts.is_empty() {
                return Ok(texts);
            }
            key = String::new();
        }
        Ok(Vec::new())
    }

    async fn replace_sealed(&self, texts: Vec<ResealedText>) -> Result<u64, StoreError> {
        transaction!(self, "write what is sealed", |c| {
            let mut replaced = 0;
            for text in &texts {
                replaced += replace(c, text).await?;
            }
            Ok(replaced)
        })
    }
}

async fn texts_of(
    database: &Database,
    (number, from): (usize, &SealedColumn),
    after: &str,
    limit: i64,
) -> sqlx::Result<Vec<SealedText>> {
    let rows: Vec<(String, String, Vec<u8>)> = sqlx::query_as(AssertSqlSafe(from.query()))
        .bind(after)
        .bind(limit)
        .fetch_all(readers(database))
        .await?;
    let texts = rows.into_iter().map(|(key, app, text)| {
        let place = SealedPlace {
            column: number,
            key,
        };
        from.text(place, app, text)
    });
    Ok(texts.collect())
}

async fn replace(c: &mut DbConnection, text: &ResealedText) -> sqlx::Result<u64> {
    let Some(SealedColumn {
        table, key, column, ..
    }) = COLUMNS.get(text.place.column)
    else {
        return Ok(0);
    };
    let update = format!("UPDATE {table} SET {column} = $3 WHERE {key} = $1 AND {column} = $2");
    let updated = sqlx::query(AssertSqlSafe(update))
        .bind(&text.place.key)
        .bind(&text.before)
        .bind(&text.after)
        .execute(c)
        .await?;
    Ok(updated.rows_affected())
}
