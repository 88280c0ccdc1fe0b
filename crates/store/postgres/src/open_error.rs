//! Why a PostgreSQL database was not opened: one line each, without the URL, which may hold a password.

use std::error::Error as _;
use std::io;

use sqlx::error::{BoxDynError, DatabaseError};
use sqlx::migrate::MigrateError;

use crate::failure::{is_of_another_session, is_without_connection};

/// The oldest version that is supported, as PostgreSQL's `server_version_num`.
pub(crate) const OLDEST_VERSION: u32 = 150_000;

/// A PostgreSQL database could not be opened as a store.
#[derive(Debug, thiserror::Error)]
pub enum PostgresOpenError {
    /// The URL cannot be read.
    #[error(
        "not a PostgreSQL URL; use postgres://USER:PASSWORD@HOST:PORT/DATABASE, the password percent-encoded, and so an @ in a parameter"
    )]
    Url,
    /// The URL has a parameter that nothing here reads: what it asks for would not be done.
    #[error(
        "the PostgreSQL URL has the parameter {key:?}, which is not known; known are sslmode, sslrootcert, sslcert, sslkey, host, hostaddr, port, dbname, user, password, application_name and options"
    )]
    UnknownParameter {
        /// Its name.
        key: String,
    },
    /// No server of PostgreSQL answers at the address.
    #[error("cannot reach PostgreSQL at {address}: {source}")]
    Unreachable {
        /// Host and port, or the folder of the socket.
        address: String,
        /// What the network answered.
        source: io::Error,
    },
    /// It did not answer, or had no connection left, for as long as the setting says.
    #[error("PostgreSQL at {address} gave no connection in time")]
    TimedOut {
        /// Host and port, or the folder of the socket.
        address: String,
    },
    /// It refuses who asks: the user, the password, or how they are proved.
    #[error("PostgreSQL refuses the user or the password: {reason}")]
    Unauthorized {
        /// What PostgreSQL says of it.
        reason: String,
    },
    /// There is no database of this name.
    #[error("{reason}; make it with: createdb --owner=USER DATABASE")]
    NoDatabase {
        /// What PostgreSQL says of it.
        reason: String,
    },
    /// TLS with it cannot be had as the URL asks for it: it offers none, or its certificate is not trusted.
    #[error("no TLS connection to PostgreSQL at {address} as sslmode asks: {source}")]
    Tls {
        /// Host and port, or the folder of the socket.
        address: String,
        /// What the TLS library or the connection answered.
        source: BoxDynError,
    },
    /// It has no connection left for this process.
    #[error(
        "PostgreSQL has no connection left: {reason}; raise its max_connections, or lower HATO_DATABASE_CONNECTIONS"
    )]
    TooManyConnections {
        /// What PostgreSQL says of it.
        reason: String,
    },
    /// A pooler gives each transaction another session, which knows no prepared statement and no setting of the one before.
    #[error(
        "a pooler gives each transaction another session of PostgreSQL; set HATO_DATABASE_PREPARED_STATEMENTS=false"
    )]
    TransactionPooler,
    /// It is a version that lacks what the statements need.
    #[error("this PostgreSQL is version {found}; version 15 or later is needed")]
    TooOld {
        /// Its own major version.
        found: u32,
    },
    /// It takes no writes: a standby, or one that was set so.
    #[error("this PostgreSQL is read-only: a standby, or default_transaction_read_only is on")]
    ReadOnly,
    /// Its texts cannot hold every character.
    #[error(
        "the database has the encoding {found}, and UTF8 is needed; make it with: createdb --encoding=UTF8 --template=template0 --owner=USER DATABASE"
    )]
    Encoding {
        /// The encoding that it has.
        found: String,
    },
    /// Its tables are older than this version needs, and nobody has migrated them in time.
    #[error("the database lacks migration {missing}; run hato-server migrate")]
    NotMigrated {
        /// The first migration that is missing.
        missing: i64,
    },
    /// A later version has migrated it, whose tables may hold what this one does not know.
    #[error("the database was migrated by a later version; use its hato-server")]
    TooNew {
        /// The last migration that the database has.
        version: i64,
    },
    /// A server has it open, and it was to be opened for one alone.
    #[error("a server has the database open, is halted, or was killed less than 30 s ago")]
    InUse,
    /// Its tables cannot be brought up to this version's.
    #[error("cannot migrate the database: {0}")]
    Migration(MigrateError),
    /// Anything else that PostgreSQL answered.
    #[error("cannot open the PostgreSQL database: {0}")]
    Database(sqlx::Error),
}

impl PostgresOpenError {
    /// Says what the failure means for who has to mend it.
    pub(crate) fn from_connecting(error: sqlx::Error, address: &str) -> Self {
        let address = address.to_owned();
        match error {
            error if is_of_another_session(&error) => Self::TransactionPooler,
            error if is_without_connection(&error) => Self::TimedOut { address },
            sqlx::Error::Io(source) if is_of_tls(&source, &address) => Self::Tls {
                address,
                source: source.into(),
            },
            sqlx::Error::Io(source) => Self::Unreachable { address, source },
            sqlx::Error::Configuration(_) => Self::Url,
            sqlx::Error::Tls(source) => Self::Tls { address, source },
            sqlx::Error::Database(error) => {
                let reason = error.message().to_owned();
                match error.code().as_deref() {
                    Some("28000" | "28P01") => Self::Unauthorized { reason },
                    Some("3D000") => Self::NoDatabase { reason },
                    Some("53300") => Self::TooManyConnections { reason },
                    Some("25006") => Self::ReadOnly,
                    _ => Self::Database(sqlx::Error::Database(error)),
                }
            }
            other => Self::Database(other),
        }
    }

    /// For the version as PostgreSQL numbers it.
    pub(crate) const fn too_old(version: u32) -> Self {
        Self::TooOld {
            found: version / 10_000,
        }
    }

    /// The same for a failure while the tables were made.
    pub(crate) fn from_migrating(error: MigrateError) -> Self {
        let cause = error
            .source()
            .and_then(|it| it.downcast_ref::<sqlx::Error>());
        if cause.is_some_and(is_of_another_session) {
            return Self::TransactionPooler;
        }
        let code = cause.and_then(sqlx::Error::as_database_error);
        match code.and_then(DatabaseError::code).as_deref() {
            Some("25006") => Self::ReadOnly,
            _ => Self::Migration(error),
        }
    }
}

/// Whether the failure is that of a certificate, or of the file of `sslrootcert`, which is not there. A file that is missing may also
/// be the socket, where the address is its folder.
fn is_of_tls(error: &io::Error, address: &str) -> bool {
    match error.kind() {
        io::ErrorKind::InvalidData => true,
        io::ErrorKind::NotFound => !address.starts_with('/'),
        _ => false,
    }
}
