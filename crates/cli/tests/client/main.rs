//! The `hato` command against the real server.

mod apps_and_keys;
mod audience;
mod doctor;
mod documents;
mod failures;
mod history;
mod http_proxy;
mod listen;
mod login;
mod message_file;
mod moments;
mod moving;
mod notify;
mod setup;
mod stub_site;
mod terminal;
mod uncertain;
mod webhook;
