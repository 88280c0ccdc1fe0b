//! The log: lines on standard error, as text or JSON (CONTRACT 1, `HATO_LOG` and `HATO_LOG_FORMAT`).

use std::error::Error;
use std::io::{IsTerminal, stderr};

use tracing_subscriber::EnvFilter;

use crate::config::{LogConfig, LogFormat};

/// What is logged of this target is logged whatever the filter says: where the server listens, for which programs wait (CONTRACT 1).
pub const ANNOUNCEMENT: &str = "hato_server::announcement";

/// Starts logging; a second start in one process changes nothing.
pub fn init(config: &LogConfig) {
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter(&config.filter))
        .with_ansi(stderr().is_terminal())
        .with_writer(stderr);
    let started = match config.format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
    if let Err(error) = started {
        tracing::debug!(%error, "logging was started before");
    }
}

fn filter(text: &str) -> EnvFilter {
    let announcement = format!("{ANNOUNCEMENT}=info").parse();
    EnvFilter::new(text).add_directive(announcement.expect("it is a directive"))
}

/// The error and what lies behind it, each cause that the text before does not tell already.
pub fn with_causes(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    causes.fold(error.to_string(), |text, cause| {
        let cause = cause.to_string();
        if text.contains(&cause) {
            text
        } else {
            format!("{text}: {cause}")
        }
    })
}
