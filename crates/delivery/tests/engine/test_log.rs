//! What the product says in its log. Each test has a runtime of its own, which tells its lines from those of the others.

use std::fmt::{Debug, Write as _};
use std::sync::{Mutex, MutexGuard, Once};

use tokio::runtime::{Handle, Id};
use tracing::field::Field;
use tracing::level_filters::LevelFilter;
use tracing::span::{self, Attributes, Record};
use tracing::subscriber::set_global_default;
use tracing::{Event, Metadata, Subscriber};

static LINES: Mutex<Vec<(Id, String)>> = Mutex::new(Vec::new());

struct TestLog;

/// Keeps what is said from now on. A runtime before may have had the same id: what was said there is forgotten.
pub fn keep() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| set_global_default(TestLog).expect("nobody else keeps it"));
    let runtime = Handle::current().id();
    kept().retain(|(id, _)| *id != runtime);
}

/// The lines of this test that have this text.
pub fn lines(text: &str) -> Vec<String> {
    let runtime = Handle::current().id();
    let kept = kept();
    let own = kept.iter().filter(|(id, _)| *id == runtime);
    let lines = own.map(|(_, line)| line);
    lines.filter(|line| line.contains(text)).cloned().collect()
}

fn kept() -> MutexGuard<'static, Vec<(Id, String)>> {
    LINES.lock().expect("no panic while it was held")
}

/// The message, and what belongs to it behind.
fn line(event: &Event<'_>) -> String {
    let mut line = String::new();
    event.record(&mut |field: &Field, value: &dyn Debug| match field.name() {
        "message" => line.insert_str(0, &format!("{value:?}")),
        name => write!(line, " {name}={value:?}").expect("a string takes any text"),
    });
    line
}

impl Subscriber for TestLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target().starts_with("hato_delivery")
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::INFO)
    }

    fn event(&self, event: &Event<'_>) {
        if let Ok(runtime) = Handle::try_current() {
            let line = line(event);
            kept().push((runtime.id(), line));
        }
    }

    // No span is enabled.
    fn new_span(&self, _: &Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}
