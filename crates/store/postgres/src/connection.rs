//! The connection on which an operation runs, and under which name its statements go there.

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArguments, PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{Either, Execute, Executor, PgConnection, Postgres, SqlStr, Transaction};

/// A connection within a transaction, which is rolled back when this is dropped.
#[derive(Debug)]
pub(crate) struct DbConnection {
    transaction: Transaction<'static, Postgres>,
    /// Whether each statement is prepared once, and kept under a name.
    keeps_statements: bool,
}

impl DbConnection {
    pub(crate) const fn new(
        transaction: Transaction<'static, Postgres>,
        keeps_statements: bool,
    ) -> Self {
        Self {
            transaction,
            keeps_statements,
        }
    }

    pub(crate) async fn commit(self) -> sqlx::Result<()> {
        self.transaction.commit().await
    }

    pub(crate) async fn rollback(self) -> sqlx::Result<()> {
        self.transaction.rollback().await
    }

    /// The connection for who knows sqlx's own only.
    pub(crate) fn driver(&mut self) -> &mut PgConnection {
        &mut self.transaction
    }

    fn statement<E>(&self, query: E) -> Statement<E> {
        Statement {
            query,
            is_kept: self.keeps_statements,
        }
    }
}

/// A query whose statement is kept under a name on the connection, or sent without one.
struct Statement<E> {
    query: E,
    is_kept: bool,
}

impl<'q, E: Execute<'q, Postgres>> Execute<'q, Postgres> for Statement<E> {
    fn sql(self) -> SqlStr {
        self.query.sql()
    }

    fn statement(&self) -> Option<&PgStatement> {
        self.query.statement()
    }

    fn take_arguments(&mut self) -> Result<Option<PgArguments>, BoxDynError> {
        self.query.take_arguments()
    }

    fn persistent(&self) -> bool {
        self.is_kept && self.query.persistent()
    }
}

impl<'c> Executor<'c> for &'c mut DbConnection {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, sqlx::Result<Either<PgQueryResult, PgRow>>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let statement = self.statement(query);
        self.driver().fetch_many(statement)
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, sqlx::Result<Option<PgRow>>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let statement = self.statement(query);
        self.driver().fetch_optional(statement)
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, sqlx::Result<PgStatement>>
    where
        'c: 'e,
    {
        self.driver().prepare_with(sql, parameters)
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, sqlx::Result<sqlx::Describe<Postgres>>>
    where
        'c: 'e,
    {
        self.driver().describe(sql)
    }
}
