//! What is logged, and how.

use clap::Args;
use tracing_subscriber::EnvFilter;
use url::Url;

use super::base_url::web_url;
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

/// Where traces and the log are exported to.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Log")]
pub struct OtlpConfig {
    /// Collector that takes traces and the log by OTLP over HTTP [default: off]
    #[arg(long = "otlp-endpoint", env = "HATO_OTLP_ENDPOINT", value_name = "URL")]
    #[arg(value_parser = SettingParser::text("an http or https address such as http://127.0.0.1:4318", web_url))]
    pub endpoint: Option<Url>,
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
