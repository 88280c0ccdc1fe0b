//! The log: lines on standard error, as text or JSON (CONTRACT 1, `HATO_LOG` and `HATO_LOG_FORMAT`).
//!
//! At no level it holds a key, a password, a token or a message's content: `server/tests/api/logging.rs` does everything once and
//! looks.

use std::error::Error;
use std::io::{IsTerminal, stderr};
use std::panic::{self, PanicHookInfo};

use hato_delivery::TRACED;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::{LogConfig, LogFormat};
use crate::telemetry::Telemetry;

/// The most that is logged of crates whose lines hold what they handle, whatever `HATO_LOG` asks for. rmcp writes whole calls and
/// their answers, the key that was just made among them, and repeats what clients say of themselves; sqlx repeats parameters of a
/// database's address that it does not know, which may be passwords; h2 repeats what a push service says when it closes a connection, which
/// may be an endpoint.
const CEILINGS: [(&str, LevelFilter); 3] = [
    ("h2", LevelFilter::INFO),
    ("rmcp", LevelFilter::ERROR),
    ("sqlx_postgres::options", LevelFilter::OFF),
];

/// What is logged of this target is logged whatever the filter says: where the server listens, for which programs wait (CONTRACT 1).
pub const ANNOUNCEMENT: &str = "hato_server::announcement";

/// Starts logging, for people and, if there is one, for a collector; a second start in one process changes nothing.
pub fn init(config: &LogConfig, telemetry: Option<&Telemetry>) {
    let ceilings = Targets::new()
        .with_default(LevelFilter::TRACE)
        .with_targets(CEILINGS);
    let filtered = tracing_subscriber::registry()
        .with(filter(&config.filter, telemetry.is_some()))
        .with(ceilings)
        .with(telemetry.map(Telemetry::spans))
        .with(telemetry.map(Telemetry::lines));
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(stderr().is_terminal())
        .with_writer(stderr);
    let started = match config.format {
        LogFormat::Text => filtered.with(lines).try_init(),
        LogFormat::Json => filtered.with(lines.json()).try_init(),
    };
    if let Err(error) = started {
        tracing::debug!(%error, "logging was started before");
    }
    panic::set_hook(Box::new(log_panic));
}

/// A panic is a line like every other. It says where, and not what: that may hold what somebody sent.
fn log_panic(panicked: &PanicHookInfo<'_>) {
    let location = panicked.location().map(ToString::to_string);
    tracing::error!(location, "panicked");
}

/// Spans that only traces need cost nothing while nobody traces.
fn filter(text: &str, is_traced: bool) -> EnvFilter {
    let announced = format!("{ANNOUNCEMENT}=info");
    let traced = format!("{TRACED}={}", if is_traced { "info" } else { "off" });
    let directives = [announced, traced].into_iter();
    directives.fold(EnvFilter::new(text), |filter, directive| {
        filter.add_directive(directive.parse().expect("it is a directive"))
    })
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

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::panic;
    use std::sync::{Arc, Mutex};

    use serde_json::Value;

    use super::log_panic;

    #[derive(Clone, Default)]
    struct LogBuffer(Arc<Mutex<Vec<u8>>>);

    impl Write for LogBuffer {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().expect("no panic").write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_panic_is_one_line_that_says_where_and_not_what() {
        let lines = LogBuffer::default();
        let writer = lines.clone();
        let json = tracing_subscriber::fmt()
            .json()
            .with_writer(move || writer.clone());
        let usual = panic::take_hook();
        panic::set_hook(Box::new(log_panic));
        let panicked = tracing::subscriber::with_default(json.finish(), || {
            panic::catch_unwind(|| panic!("somebody's\nsecret"))
        });
        panic::set_hook(usual);
        assert!(panicked.is_err());
        let log = String::from_utf8(lines.0.lock().expect("no panic").clone()).expect("a text");
        assert_eq!(log.lines().count(), 1, "{log}");
        let line: Value = serde_json::from_str(&log).expect("an object");
        assert_eq!(line["fields"]["message"], "panicked");
        let location = line["fields"]["location"].as_str().expect("a place");
        assert!(location.starts_with(file!()), "{location}");
        assert!(!log.contains("secret"), "{log}");
    }
}
