//! The commands of the program and how it ends: 0, or 2 after a bad setting, or 1 after any other failure, with one line.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::boot::{self, BootError};
use crate::config::{Config, MigrateArgs, MigrateConfig, ServeArgs};
use crate::logging;

/// Hato: web push notifications on your own server.
#[derive(Parser)]
#[command(name = "hato-server", version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the API, the dashboard and the delivery of notifications
    Serve(Box<ServeArgs>),
    /// Brings the database to the schema of this version and ends
    Migrate(MigrateArgs),
}

/// Runs the program with the arguments and the environment of the process.
pub fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hato-server: {}", one_line(&error));
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(command: Command) -> Result<(), BootError> {
    match command {
        Command::Serve(args) => serve(*args),
        Command::Migrate(args) => migrate(args),
    }
}

fn serve(args: ServeArgs) -> Result<(), BootError> {
    let config = Config::try_from(args)?;
    logging::start(&config.log);
    in_runtime(boot::serve(config))
}

fn migrate(args: MigrateArgs) -> Result<(), BootError> {
    let config = MigrateConfig::try_from(args)?;
    logging::start(&config.log);
    in_runtime(boot::migrate(config))
}

fn in_runtime(work: impl Future<Output = Result<(), BootError>>) -> Result<(), BootError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(BootError::Runtime)?;
    let outcome = runtime.block_on(work);
    // A thread that still resolves a name or hashes a password must not hold up the end.
    runtime.shutdown_background();
    outcome
}

/// The error and what lies behind it, which an operator reads as one line.
fn one_line(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text.replace(['\n', '\r'], " ")
}
