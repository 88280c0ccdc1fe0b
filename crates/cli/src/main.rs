//! `hato`: a client of Hato's API for owners' machines and CI jobs, and a small one: it knows the domain's wire types, HTTP
//! and a terminal.
//!
//! Read [`command`] first: it lists the commands, one file each. What they have in common is [`connection`] (which server,
//! with which credential, about which app), [`api`] (requests, time-outs, retries), [`output`] (tables or JSON) and
//! [`error`] (one line and an exit code).

mod api;
mod apps;
mod command;
mod completions;
mod config_file;
mod connect_error;
mod connection;
mod dead_letters;
mod doctor;
mod error;
mod history;
mod http;
mod key_events;
mod keys;
mod login;
mod manual;
mod notify;
mod options;
mod output;
mod paging;
mod profiles;
mod remedy;
mod secret;
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

/// Help is shown as it is, wherever it was asked for; what the grammar does not know is a failure like any other.
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
