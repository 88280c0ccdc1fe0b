//! The test kit's peers, judged from outside.

mod control;
mod firefox;
mod processes;
mod push_service;
mod sender;
