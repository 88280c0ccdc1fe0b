//! `hato webhook`: where the app's delivery results are posted, and how they are signed (CONTRACT 8).

use clap::Subcommand;
use hato_domain::UnixMillis;
use hato_domain::wire::AppUpdated;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::connection::Connection;
use crate::failure::Result;
use crate::output::Output;

/// What to do with the webhook.
#[derive(Subcommand)]
pub enum Webhook {
    /// Show its address, its signing secrets and whether it is on
    Show,
    /// Set its address; the Pro plan is needed
    Set {
        /// An https:// address
        url: String,
    },
    /// Have none any more
    Clear,
    /// Make a new signing secret; for 24 hours the old one signs too
    Rotate,
    /// Switch it on again after it was switched off
    Enable,
}

/// A webhook as its owner sees it.
#[derive(Serialize, Deserialize)]
struct State {
    webhook_url: String,
    secret: String,
    previous_secret: Option<String>,
    previous_secret_expires_at: Option<UnixMillis>,
    enabled: bool,
    disabled_reason: Option<String>,
}

impl Webhook {
    /// Does it.
    pub fn run(self, connection: &Connection, output: &Output) -> Result<()> {
        let api = connection.api();
        let path = |rest: &str| connection.of_app(&format!("/webhook{rest}"));
        match self {
            Self::Show => output.show(&api.get(&path("")?)?, State::lines),
            Self::Set { url } => change(connection, output, Some(&url)),
            Self::Clear => change(connection, output, None),
            Self::Rotate => output.show(&api.post(&path("/secret")?, &json!({}))?, State::lines),
            Self::Enable => output.show(&api.post(&path("/enable")?, &json!({}))?, State::lines),
        }
    }
}

fn change(connection: &Connection, output: &Output, url: Option<&str>) -> Result<()> {
    let request = json!({"webhook_url": url});
    let updated: AppUpdated = connection.api().patch(&connection.of_app("")?, &request)?;
    output.show(&updated, |it| {
        vec![match &it.webhook_url {
            Some(url) => format!("Results are posted to {url}."),
            None => "There is no webhook any more.".to_owned(),
        }]
    })
}

impl State {
    fn lines(&self) -> Vec<String> {
        let on = match &self.disabled_reason {
            _ if self.enabled => "on".to_owned(),
            Some(reason) => format!("off: {}", crate::text::printable(reason)),
            None => "off".to_owned(),
        };
        let mut lines = vec![
            format!("url       {}", self.webhook_url),
            format!("secret    {}", self.secret),
            format!("state     {on}"),
        ];
        if let (Some(secret), Some(end)) = (&self.previous_secret, self.previous_secret_expires_at)
        {
            let end = end.to_minute();
            lines.push(format!("previous  {secret} (until {end} UTC)"));
        }
        lines
    }
}
