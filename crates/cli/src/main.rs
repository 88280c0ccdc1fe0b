//! `hato`: a client of Hato's API for owners' machines and CI jobs, and a small one: it knows the domain's wire types, HTTP
//! and a terminal.
//!
//! Read [`command`] first: it lists the commands, one file each. What they have in common is [`connection`] (which server,
//! with which credential, about which app), [`api`] (requests, time-outs, retries), [`output`] (tables or JSON) and
//! [`failure`] (one line and an exit code).

mod api;
mod apps;
mod command;
mod completions;
mod config_file;
mod connection;
mod contact;
mod dead_letters;
mod doctor;
mod failure;
mod history;
mod key_events;
mod keys;
mod login;
mod manual;
mod notify;
mod output;
mod paging;
mod profiles;
mod remedy;
mod secret;
mod stats;
mod subscriptions;
mod table;
mod text;
mod webhook;

use std::process::ExitCode;

use clap::Parser as _;

fn main() -> ExitCode {
    let hato = command::Hato::parse();
    let json = hato.options.json;
    match hato.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(json),
    }
}
