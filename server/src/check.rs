//! `hato-server check`: whether the database is whole, and agrees with itself (CONTRACT 1).

use std::sync::Arc;

use clap::Args;
use hato_service::Secrets;
use hato_service::access::Operator;
use hato_store::SnapshotError;

use crate::admin;
use crate::config::{RetentionConfig, StoreConfig};
use crate::database::{self, DatabaseError};

/// The arguments of `hato-server check`.
#[derive(Args)]
pub struct CheckArgs {
    /// Repairs what can be repaired: removes rows that belong to nothing, and counts anew
    #[arg(long)]
    repair: bool,
    /// For how long servers keep things: what is older may be half removed.
    #[command(flatten)]
    retention: RetentionConfig,
    /// Where the data is.
    #[command(flatten)]
    store: StoreConfig,
}

/// The database has flaws, or was not checked.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// There is no database to work on.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The file is missing or cannot be read.
    #[error(transparent)]
    File(#[from] SnapshotError),
    /// SQLite has found the file damaged.
    #[error("the file is damaged: restore a back-up; nothing else was checked")]
    Damaged,
    /// Reading or writing failed.
    #[error("the check failed: {0}")]
    Failed(String),
    /// There are flaws that --repair would repair.
    #[error("{0} flaws were found; --repair repairs them")]
    Flaws(usize),
    /// There are flaws that nothing repairs.
    #[error("{0} flaws cannot be repaired")]
    Unrepaired(usize),
}

impl CheckError {
    /// 2 after a bad setting (CONTRACT 1), 1 otherwise.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Database(error) => error.exit_code(),
            _ => 1,
        }
    }
}

/// Checks, and says on standard output what was found.
pub async fn run(args: &CheckArgs) -> Result<(), CheckError> {
    if let Some(file) = args.store.sqlite_file() {
        let found = hato_store::check_integrity(&file).await?;
        for line in &found {
            println!("{line}");
        }
        if !found.is_empty() {
            return Err(CheckError::Damaged);
        }
    }
    let store = database::open(&args.store).await?;
    let service = admin::service(Arc::clone(&store), Secrets::default());
    let operator = Operator::local();
    let checked = service.check(&operator, args.retention.span(), args.repair);
    let checked = checked.await;
    store.close().await;
    let checked = checked.map_err(|error| CheckError::Failed(admin::cause(&error)))?;
    let repaired = checked.flaws.iter().filter(|flaw| flaw.is_repaired).count();
    for flaw in &checked.flaws {
        let end = if flaw.is_repaired { " (repaired)" } else { "" };
        println!("{}{end}", flaw.what);
    }
    match (checked.flaws.len() - repaired, args.repair) {
        (0, _) => {
            println!(
                "checked {} apps; {repaired} flaws, none is left",
                checked.apps
            );
            Ok(())
        }
        (left, true) => Err(CheckError::Unrepaired(left)),
        (left, false) => Err(CheckError::Flaws(left)),
    }
}
