//! The commands of the program and how it ends: 0, or 2 after a bad setting, or 1 after any other failure, with one line.

use std::io::{self, Write as _};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use hato_store::CopyError;

use crate::admin::{self, AdminArgs, AdminConfig, AdminError};
use crate::background_threads;
use crate::backup::{self, BackupArgs, BackupError, RestoreArgs};
use crate::boot::{self, BootError};
use crate::check::{self, CheckArgs, CheckError};
use crate::config::{self, Config, LogConfig, LogFormat, MigrateConfig, PrintSecretsConfig};
use crate::copy_data::{self, CopyDataArgs};
use crate::database::{self, DatabaseError};
use crate::healthcheck::{self, HealthcheckConfig, HealthcheckError};
use crate::logging;
use crate::rotation::{self, RotationArgs, RotationError};
use crate::secrets_file::{self, SecretsFileError};
use crate::telemetry::{Telemetry, TelemetryError};

/// Hato: web push notifications on your own server.
#[derive(Parser)]
#[command(name = "hato-server", version, about)]
struct Cli {
    #[command(subcommand)]
    command: ServerCommand,
}

#[derive(Subcommand)]
enum ServerCommand {
    /// Runs the API, the dashboard and the delivery of notifications
    Serve(Box<Config>),
    /// Asks the server on this machine whether it is ready; exit code 0 if it is, 1 if not
    Healthcheck(HealthcheckConfig),
    /// Brings the database to the schema of this version and ends
    Migrate(MigrateConfig),
    /// Writes the secrets of secrets.toml, or new ones, as lines of an environment file
    PrintSecrets(PrintSecretsConfig),
    /// Copies everything from one database into another, empty one, while no server runs on either
    CopyData(CopyDataArgs),
    /// Saves the database and the secrets in one file, also while servers run
    Backup(BackupArgs),
    /// Puts the database and the secrets of a back-up where no server runs
    Restore(RestoreArgs),
    /// Checks whether the database is whole and agrees with itself; exit code 0 if nothing is wrong any more, 1 otherwise
    Check(CheckArgs),
    /// Makes another encryption key, and encrypts everything anew that is encrypted
    RotateEncryptionKey(RotationArgs),
    /// Manages accounts, on the database itself
    Admin(AdminArgs),
}

/// A command did not do what it was asked.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error(transparent)]
    Serve(#[from] BootError),
    #[error(transparent)]
    Telemetry(#[from] TelemetryError),
    #[error(transparent)]
    Migrate(#[from] DatabaseError),
    #[error(transparent)]
    Admin(#[from] AdminError),
    #[error(transparent)]
    Healthcheck(#[from] HealthcheckError),
    #[error(transparent)]
    PrintSecrets(#[from] SecretsFileError),
    #[error(transparent)]
    CopyData(#[from] CopyError),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error(transparent)]
    Check(#[from] CheckError),
    #[error(transparent)]
    Rotation(#[from] RotationError),
    #[error("the secrets cannot be written")]
    Output(#[source] io::Error),
    #[error("the threads cannot be started")]
    Runtime(#[source] io::Error),
}

impl CommandError {
    const fn exit_code(&self) -> u8 {
        match self {
            Self::Serve(error) => error.exit_code(),
            Self::Migrate(error) => error.exit_code(),
            Self::Admin(error) => error.exit_code(),
            Self::CopyData(error) => copy_data::exit_code(error),
            Self::Backup(error) => error.exit_code(),
            Self::Check(error) => error.exit_code(),
            Self::Rotation(error) => error.exit_code(),
            Self::Healthcheck(_)
            | Self::PrintSecrets(_)
            | Self::Output(_)
            | Self::Telemetry(_)
            | Self::Runtime(_) => 1,
        }
    }
}

/// Runs the program with the arguments and the environment of the process.
pub fn main() -> ExitCode {
    let cli = match parse() {
        Ok(cli) => cli,
        Err(error) => return usage_error(&error),
    };
    match run(cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let line = logging::with_causes(&error).replace(['\n', '\r'], " ");
            eprintln!("hato-server: {line}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn parse() -> Result<Cli, clap::Error> {
    let command = config::read_environment(Cli::command());
    Cli::from_arg_matches(&command.try_get_matches()?)
}

fn run(command: ServerCommand) -> Result<(), CommandError> {
    match command {
        ServerCommand::Serve(config) => serve(*config),
        ServerCommand::Healthcheck(config) => in_runtime(healthcheck::run(&config)),
        ServerCommand::Migrate(config) => migrate(&config),
        ServerCommand::PrintSecrets(config) => print_secrets(&config),
        ServerCommand::CopyData(args) => at_work(copy_data::run(&args)),
        ServerCommand::Backup(args) => at_work(backup::run(&args)),
        ServerCommand::Restore(args) => at_work(backup::restore(&args)),
        ServerCommand::Check(args) => at_work(check::run(&args)),
        ServerCommand::RotateEncryptionKey(args) => at_work(rotation::run(&args)),
        ServerCommand::Admin(args) => administer(args),
    }
}

fn serve(config: Config) -> Result<(), CommandError> {
    let threads = background_threads::start().map_err(CommandError::Runtime)?;
    let background = threads.handle().clone();
    let served = in_runtime(async {
        let telemetry = Telemetry::start(&config.otlp, config.role.as_str())?;
        logging::init(&config.log, telemetry.as_ref());
        let served = Box::pin(boot::serve(config, background)).await;
        if let Some(telemetry) = telemetry {
            telemetry.finish().await;
        }
        Ok::<_, CommandError>(served?)
    });
    threads.shutdown_background();
    served
}

fn migrate(config: &MigrateConfig) -> Result<(), CommandError> {
    logging::init(&config.log, None);
    in_runtime(async {
        let store = database::migrate(&config.store).await?;
        store.close().await;
        tracing::info!("the database has the schema of this version");
        Ok::<_, DatabaseError>(())
    })
}

fn print_secrets(config: &PrintSecretsConfig) -> Result<(), CommandError> {
    let lines = secrets_file::environment_lines(&config.store.data_dir)?;
    let written = io::stdout().write_all(lines.as_bytes());
    written.map_err(CommandError::Output)
}

/// Runs a command that goes over the whole database.
fn at_work<E>(work: impl Future<Output = Result<(), E>>) -> Result<(), CommandError>
where
    CommandError: From<E>,
{
    // Statements that take long are none of what goes wrong.
    log_what_goes_wrong("warn,sqlx=error");
    in_runtime(work)
}

fn administer(args: AdminArgs) -> Result<(), CommandError> {
    log_what_goes_wrong("warn");
    in_runtime(admin::run(AdminConfig::try_from(args)?))
}

/// Standard output says what was done.
fn log_what_goes_wrong(filter: &str) {
    let config = LogConfig {
        filter: filter.to_owned(),
        format: LogFormat::Text,
    };
    logging::init(&config, None);
}

fn in_runtime<E>(work: impl Future<Output = Result<(), E>>) -> Result<(), CommandError>
where
    CommandError: From<E>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(CommandError::Runtime)?;
    let outcome = runtime.block_on(work);
    // A thread that still resolves a name or hashes a password must not hold up the end.
    runtime.shutdown_background();
    Ok(outcome?)
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
