//! The commands of the program and how it ends: 0, or 2 after a bad setting, or 1 after any other failure, with one line.

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};

use crate::admin::{self, AdminArgs, AdminConfig};
use crate::boot::{self, BootError};
use crate::config::{Config, MigrateArgs, MigrateConfig, ServeArgs};
use crate::logging::{self, LogConfig, LogFormat};

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
    /// Manages accounts, on the database itself
    Admin(AdminArgs),
}

/// Runs the program with the arguments and the environment of the process.
pub fn main() -> ExitCode {
    let outcome = match Cli::try_parse() {
        Ok(cli) => run(cli.command),
        Err(error) => return usage_error(&error),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hato-server: {}", one_line(&error));
            ExitCode::from(error.exit_code())
        }
    }
}

/// Help and the version as clap has them; of its explanations the first paragraph, as one line.
fn usage_error(error: &clap::Error) -> ExitCode {
    let help = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if !error.use_stderr() || error.kind() == help {
        // Nobody is left to be told that nobody reads.
        let _ = error.print();
        return ExitCode::from(u8::from(error.use_stderr()) * 2);
    }
    let text = error.to_string();
    let paragraph = text.trim_start_matches("error: ").lines();
    let paragraph: Vec<&str> = paragraph
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    eprintln!("hato-server: {}", paragraph.join(" "));
    ExitCode::from(2)
}

fn run(command: Command) -> Result<(), BootError> {
    match command {
        Command::Serve(args) => serve(*args),
        Command::Migrate(args) => migrate(args),
        Command::Admin(args) => administer(args),
    }
}

fn serve(args: ServeArgs) -> Result<(), BootError> {
    let config = Config::try_from(args)?;
    logging::init(&config.log);
    in_runtime(boot::serve(config))
}

fn migrate(args: MigrateArgs) -> Result<(), BootError> {
    let config = MigrateConfig::try_from(args)?;
    logging::init(&config.log);
    in_runtime(boot::migrate(config))
}

/// The log is for what goes wrong: standard output says what was done.
fn administer(args: AdminArgs) -> Result<(), BootError> {
    logging::init(&LogConfig {
        filter: "warn".to_owned(),
        format: LogFormat::Text,
    });
    let config = AdminConfig::read(args)?;
    in_runtime(admin::run(config))
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
