//! `hato-server copy-data`: everything from one database into another, empty one (CONTRACT 17).

use clap::Args;
use hato_store::{CopyError, CopyProgress, CopyStage, PostgresOpenError, StoreOpenError};

/// Between two lines about a table that has more rows.
const REPORTED_ROWS: u64 = 100_000;

/// The arguments of `hato-server copy-data`.
#[derive(Args)]
pub struct CopyDataArgs {
    /// The database to copy.
    #[arg(
        help = "The database to copy: sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE",
        long,
        value_name = "URL"
    )]
    from: String,
    /// An empty one to copy it into, of either kind
    #[arg(long, value_name = "URL")]
    to: String,
}

/// Copies, tells standard error how far it is, and standard output that it is done.
pub async fn run(args: &CopyDataArgs) -> Result<(), CopyError> {
    let summary = hato_store::copy(&args.from, &args.to, &mut report).await?;
    println!(
        "copied {} rows of {} tables; counts and checksums agree",
        summary.rows, summary.tables
    );
    Ok(())
}

fn report(progress: CopyProgress) {
    let CopyProgress {
        stage,
        table,
        rows,
        of,
    } = progress;
    let done = match stage {
        CopyStage::Copying => "",
        CopyStage::Comparing => " compared",
    };
    if rows == of {
        eprintln!("{table}: {rows} rows{done}");
    } else if rows.is_multiple_of(REPORTED_ROWS) {
        eprintln!("{table}: {rows} of {of} rows{done}");
    }
}

/// 2 after an address that leads to no database, 1 otherwise (CONTRACT 1).
pub const fn exit_code(error: &CopyError) -> u8 {
    match error {
        CopyError::Open {
            source:
                StoreOpenError::UnknownScheme
                | StoreOpenError::InvalidPath
                | StoreOpenError::Postgres(
                    PostgresOpenError::Url | PostgresOpenError::UnknownParameter { .. },
                ),
            ..
        } => 2,
        _ => 1,
    }
}
