//! What is logged, and how.

use clap::Args;
use tracing_subscriber::EnvFilter;

use super::parser::SettingParser;

/// Which lines are logged and how they look.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Log")]
pub struct LogConfig {
    /// Tracing filter
    #[arg(long = "log", env = "HATO_LOG", value_name = "FILTER")]
    #[arg(default_value = "info", value_parser = filter())]
    pub filter: String,
    /// text or json
    #[arg(long = "log-format", env = "HATO_LOG_FORMAT", value_name = "FORMAT")]
    #[arg(default_value = "text", value_parser = SettingParser::text("text or json", LogFormat::parse))]
    pub format: LogFormat,
}

/// How lines of the log look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// One line of text each, for people.
    Text,
    /// One JSON object each.
    Json,
}

impl LogFormat {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "text" => Some(Self::Text),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

fn filter() -> SettingParser<String> {
    let expected = "a tracing filter such as info or hato_server=debug,info";
    SettingParser::text(expected, |text| {
        let is_filter = EnvFilter::builder().parse(text).is_ok();
        is_filter.then(|| text.to_owned())
    })
}
