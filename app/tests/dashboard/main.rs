//! The dashboard as a browser without scripts meets it: its router over a real store.

mod account;
mod app_pages;
mod audience;
mod audiences;
mod auth;
mod crowds;
mod database;
mod drafts;
mod engagement;
mod first_notification;
mod harness;
mod hostile_names;
mod import;
mod languages;
mod listeners;
mod live;
mod privacy;
mod protection;
mod queries;
mod query_counts;
mod review;
mod rich;
mod schedule;
mod sending;
mod vapid_keys;
mod webhook;
