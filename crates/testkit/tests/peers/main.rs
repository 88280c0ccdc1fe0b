//! The test kit's peers, judged from outside.

mod control;
mod firefox;
mod fleet;
mod processes;
mod push_service;
mod sender;
