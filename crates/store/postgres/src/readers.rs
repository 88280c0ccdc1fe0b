//! Single reads, run again when their connection was lost, since reading twice does no harm; and connections for reads whose rows are
//! taken one after the other, which are not.

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use sqlx::postgres::{PgArguments, PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{Either, Execute, Executor, Postgres, SqlStr};

use crate::bounded_reads::ReadConnection;
use crate::connections::Connections;
use crate::failure::is_lost_connection;

/// How often a read is run before its failure is the answer.
const MAX_RUNS: u32 = 3;

/// Runs queries on any connection of the pool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Readers<'d>(pub(crate) &'d Connections);

impl Readers<'_> {
    /// A connection for one read whose rows are taken one after the other.
    pub(crate) async fn acquire(self) -> sqlx::Result<ReadConnection> {
        let connection = self.0.begin_read().await?;
        Ok(ReadConnection::new(connection, None))
    }

    async fn rows<'q, E>(self, mut query: E) -> sqlx::Result<Vec<PgRow>>
    where
        E: 'q + Execute<'q, Postgres>,
    {
        let arguments = query.take_arguments().map_err(sqlx::Error::Encode)?;
        let (arguments, text) = (arguments.unwrap_or_default(), query.sql());
        for _ in 1..MAX_RUNS {
            match self.run(text.clone(), arguments.clone()).await {
                Err(error) if is_lost_connection(&error) => {}
                result => return result,
            }
        }
        self.run(text, arguments).await
    }

    async fn run(self, text: SqlStr, arguments: PgArguments) -> sqlx::Result<Vec<PgRow>> {
        let answers = self.0.read(text, arguments).await?.into_iter();
        Ok(answers.filter_map(Either::right).collect())
    }
}

impl<'d> Executor<'d> for Readers<'d> {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, sqlx::Result<Either<PgQueryResult, PgRow>>>
    where
        'd: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        stream::once(self.rows(query))
            .map_ok(|rows| stream::iter(rows).map(|row| Ok(Either::Right(row))))
            .try_flatten()
            .boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, sqlx::Result<Option<PgRow>>>
    where
        'd: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        Box::pin(async move { Ok(self.rows(query).await?.into_iter().next()) })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, sqlx::Result<PgStatement>>
    where
        'd: 'e,
    {
        self.0.prepare_with(sql, parameters)
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, sqlx::Result<sqlx::Describe<Postgres>>>
    where
        'd: 'e,
    {
        self.0.describe(sql)
    }
}
