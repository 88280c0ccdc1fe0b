//! The server from outside: the real program on a real database file, over HTTP.

mod access;
mod accounts;
mod apps;
mod crash;
mod history;
mod keys;
mod limits;
mod notify;
mod origins;
mod refusals;
mod requests;
mod secrets;
mod settings;
mod site;
mod stage;
mod subscriptions;
