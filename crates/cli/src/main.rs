//! `hato`: the command line of Hato, for owners' machines and CI jobs.
//!
//! It is a client of the API and nothing else, so that CI jobs can fetch one small program that starts at once: it knows the
//! domain's wire types, HTTP and a terminal, and has no async runtime. What it prints and its exit codes are for scripts to
//! rely on (docs/CLI.md).
//!
//! ```sh
//! export HATO_URL=https://push.example.com HATO_KEY=pk_0123
//! hato notify "Hello" "The build is done." --wait --timeout 10m || echo "exit code $?"
//! ```
//!
//! Read [`command`] first: it lists the commands, one file each. What they have in common is [`connection`] (which server,
//! with which credential, about which app), [`api`] (calls and their repetition), [`output`] (tables or JSON) and [`error`]
//! (one line and an exit code).

mod api;
mod apps;
mod audience;
mod command;
mod completions;
mod config_file;
mod connect_error;
mod connection;
mod dead_letters;
mod doctor;
mod error;
mod export;
mod hint;
mod history;
mod http;
mod import;
mod key_events;
mod keys;
mod lines;
mod listen;
mod login;
mod manual;
mod notify;
mod options;
mod output;
mod paging;
mod profiles;
mod progress_file;
mod secret;
mod selection;
mod server_url;
mod stats;
mod subscriptions;
mod table;
mod text;
mod webhook;

use std::process::ExitCode;

use clap::Parser as _;
use clap::error::ErrorKind;

use error::CliError;

fn main() -> ExitCode {
    let hato = match command::Hato::try_parse() {
        Ok(hato) => hato,
        Err(error) => return usage_error(&error),
    };
    let json = hato.options.json;
    match hato.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(json),
    }
}

/// Help is shown as clap made it; any other error of the grammar becomes one line, or JSON, like every failure.
fn usage_error(error: &clap::Error) -> ExitCode {
    use ErrorKind::{DisplayHelp, DisplayHelpOnMissingArgumentOrSubcommand, DisplayVersion};
    let help_requests = [
        DisplayHelp,
        DisplayVersion,
        DisplayHelpOnMissingArgumentOrSubcommand,
    ];
    if help_requests.contains(&error.kind()) {
        error.exit();
    }
    let text = error.to_string();
    let (message, hints) = text.split_once("\n\n").unwrap_or((&text, ""));
    let words: Vec<_> = message.split_whitespace().skip(1).collect();
    let tip = hints
        .lines()
        .find_map(|line| line.trim().strip_prefix("tip: "));
    let as_json = std::env::args_os().any(|arg| arg == "--json");
    CliError::usage(words.join(" "), tip.unwrap_or("see --help")).report(as_json)
}
