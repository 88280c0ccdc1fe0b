//! The migrations that a database has, beside those of this version.

use std::collections::BTreeMap;

use sqlx::migrate::{MigrateError, Migration};

use super::migrations;
use crate::connection::DbConnection;
use crate::connections::Connections;

/// The migrations that a database has, by version: whether each is done, and its checksum.
pub(super) type Applied = BTreeMap<i64, (bool, Vec<u8>)>;

/// The first migration of this version that the database does not have. One that it has otherwise than this version is an error.
pub(super) fn first_missing(applied: &Applied) -> Result<Option<Migration>, MigrateError> {
    for migration in migrations().iter() {
        match applied.get(&migration.version) {
            None => return Ok(Some(migration.clone())),
            Some((false, _)) => return Err(MigrateError::Dirty(migration.version)),
            Some((true, checksum)) if *checksum != *migration.checksum => {
                return Err(MigrateError::VersionMismatch(migration.version));
            }
            Some(_) => {}
        }
    }
    Ok(None)
}

pub(super) fn last_later(applied: &Applied) -> Option<i64> {
    let newest = migrations().iter().map(|migration| migration.version).max();
    let last = applied.last_key_value().map(|(version, _)| *version);
    last.filter(|version| Some(*version) > newest)
}

/// The migrations that the database has; none when it never had any.
pub(super) async fn applied(connections: &Connections) -> sqlx::Result<Applied> {
    let mut connection = connections.begin_read().await?;
    let applied = applied_on(&mut connection).await?;
    connection.commit().await?;
    Ok(applied)
}

pub(super) async fn applied_on(connection: &mut DbConnection) -> sqlx::Result<Applied> {
    let table: Option<String> = sqlx::query_scalar("SELECT to_regclass('_sqlx_migrations')::text")
        .fetch_one(&mut *connection)
        .await?;
    let mut applied: Vec<(i64, bool, Vec<u8>)> = Vec::new();
    if table.is_some() {
        let all = sqlx::query_as("SELECT version, success, checksum FROM _sqlx_migrations");
        applied = all.fetch_all(connection).await?;
    }
    let applied = applied.into_iter();
    Ok(applied
        .map(|(version, success, checksum)| (version, (success, checksum)))
        .collect())
}
