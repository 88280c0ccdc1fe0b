//! The `hato` command against the real server.

mod apps_and_keys;
mod doctor;
mod documents;
mod failures;
mod history;
mod login;
mod notify;
mod pages;
mod road;
mod stage;
mod terminal;
mod unsettled;
mod webhook;
