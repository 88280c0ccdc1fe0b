//! The connection on which an operation runs, under which name its statements go there, and how long their answers are waited for.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt as _, TryStreamExt as _};
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArguments, PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{Either, Execute, Executor, PgConnection, Postgres, SqlStr};
use tokio::runtime::Handle;

use crate::app_turns::{AppTurn, AppTurns, NoTurnError};
use crate::failure::answered;
use crate::pool::PooledConnection;

/// A connection within a transaction, which is rolled back when this is dropped.
#[derive(Debug)]
pub(crate) struct DbConnection {
    connection: PooledConnection,
    /// Whether each statement is prepared once, and kept under a name.
    keeps_statements: bool,
    /// How long the next part of an answer is waited for.
    answer_timeout: Duration,
    app_turns: Arc<AppTurns>,
    /// Of the apps that the transaction locks.
    turns: Vec<AppTurn>,
}

impl DbConnection {
    pub(crate) fn new(
        connection: PooledConnection,
        keeps_statements: bool,
        answer_timeout: Duration,
        app_turns: Arc<AppTurns>,
    ) -> Self {
        Self {
            connection,
            keeps_statements,
            answer_timeout,
            app_turns,
            turns: Vec::new(),
        }
    }

    /// Has this turn from now on.
    pub(crate) fn give_turn(&mut self, turn: AppTurn) {
        self.turns.push(turn);
    }

    /// Makes sure of a turn to lock the app, which others may be doing. Called before the app's row is.
    pub(crate) fn take_turn(&mut self, app: &str) -> Result<(), NoTurnError> {
        if self.turns.iter().all(|turn| turn.app != app) {
            self.turns.push(self.app_turns.try_take(app)?);
        }
        Ok(())
    }

    pub(crate) async fn commit(self) -> sqlx::Result<()> {
        self.end_with("COMMIT").await
    }

    /// Ends the transaction when the database is done with what is still running there; at once if the connection is lost.
    pub(crate) async fn rollback(self) -> sqlx::Result<()> {
        if self.connection.is_lost() {
            return Ok(());
        }
        self.end_with("ROLLBACK").await
    }

    async fn end_with(mut self, statement: &'static str) -> sqlx::Result<()> {
        let ending = answered(self.answer_timeout, self.connection.execute(statement));
        let ended = ending.await;
        self.connection.end(ended.map(drop))
    }

    /// Gives the connection back, whose transaction has ended.
    pub(crate) fn give_back(self) {
        // Nothing has failed.
        self.connection.end(Ok(())).ok();
    }

    /// Ends the transaction after its last statement, which came to this: with its changes, or after a failure without any.
    pub(crate) async fn end<T>(self, result: sqlx::Result<T>) -> sqlx::Result<T> {
        match result {
            Ok(value) => self.commit().await.map(|()| value),
            Err(error) => {
                // What failed first is the answer.
                self.rollback().await.ok();
                Err(error)
            }
        }
    }

    /// Where the transaction is ended when somebody leaves it, unless the store is gone.
    pub(crate) fn runtime(&self) -> Option<Handle> {
        self.connection.runtime()
    }

    /// The connection for who knows sqlx's own only.
    pub(crate) fn driver(&mut self) -> &mut PgConnection {
        &mut self.connection
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
        let (statement, limit) = (self.statement(query), self.answer_timeout);
        let (connection, loss) = self.connection.watched();
        let answers = connection.fetch_many(statement);
        stream::try_unfold((answers, loss), move |(mut answers, loss)| async move {
            let answer = answered(limit, answers.try_next()).await;
            let answer = answer.inspect_err(|error| loss.look_at(error))?;
            Ok(answer.map(|answer| (answer, (answers, loss))))
        })
        .boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, sqlx::Result<Option<PgRow>>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let (statement, limit) = (self.statement(query), self.answer_timeout);
        let (connection, loss) = self.connection.watched();
        Box::pin(async move {
            let answer = answered(limit, connection.fetch_optional(statement)).await;
            answer.inspect_err(|error| loss.look_at(error))
        })
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
