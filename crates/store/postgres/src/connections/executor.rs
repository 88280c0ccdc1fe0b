//! How single statements are run on the connections, each as a transaction of its own.

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use sqlx::postgres::{PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{Either, Execute, Executor, Postgres, SqlStr};

use super::Connections;

impl<'d> Executor<'d> for &'d Connections {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, sqlx::Result<Either<PgQueryResult, PgRow>>>
    where
        'd: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        stream::once(self.write(query))
            .map_ok(|answers| stream::iter(answers).map(Ok))
            .try_flatten()
            .boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, sqlx::Result<Option<PgRow>>>
    where
        'd: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        Box::pin(async move {
            let mut answers = self.write(query).await?.into_iter();
            Ok(answers.find_map(Either::right))
        })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, sqlx::Result<PgStatement>>
    where
        'd: 'e,
    {
        Box::pin(async move {
            let mut connection = self.acquire(self.wait()).await?;
            let prepared = connection.prepare_with(sql, parameters).await;
            connection.end(prepared)
        })
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, sqlx::Result<sqlx::Describe<Postgres>>>
    where
        'd: 'e,
    {
        Box::pin(async move {
            let mut connection = self.acquire(self.wait()).await?;
            let described = connection.describe(sql).await;
            connection.end(described)
        })
    }
}
