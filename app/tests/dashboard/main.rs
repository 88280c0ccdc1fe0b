//! The dashboard as a browser without scripts meets it: its router over a real store.

mod account;
mod app_pages;
mod auth;
mod drafts;
mod first_notification;
mod harness;
mod hostile_names;
mod languages;
mod live;
mod privacy;
mod protection;
mod queries;
mod review;
mod sending;
mod webhook;
