//! `hato webhook`: where the app's delivery results are posted, and how they are signed (CONTRACT 8).

use clap::Subcommand;
use hato_domain::wire::{AppUpdated, Webhook};
use serde_json::json;

use crate::connection::ServerConnection;
use crate::error::Result;
use crate::output::Output;

/// The subcommands of `hato webhook`.
#[derive(Subcommand)]
pub enum WebhookCommand {
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

impl WebhookCommand {
    pub fn run(self, connection: &ServerConnection, output: &Output) -> Result<()> {
        let done = self.execute(connection, output);
        done.map_err(|error| match error.code() {
            "NOT_FOUND" => error.add_hint("without a webhook, `hato webhook set URL` makes one"),
            _ => error,
        })
    }

    fn execute(self, connection: &ServerConnection, output: &Output) -> Result<()> {
        let api = connection.api();
        let path = |rest: &str| connection.app_path(&format!("/webhook{rest}"));
        match self {
            Self::Show => output.show(&api.get(&path("")?)?, lines),
            Self::Set { url } => change(connection, output, Some(&url)),
            Self::Clear => change(connection, output, None),
            Self::Rotate => output.show(&api.post(&path("/secret")?, &json!({}))?, lines),
            Self::Enable => output.show(&api.post(&path("/enable")?, &json!({}))?, lines),
        }
    }
}

fn change(connection: &ServerConnection, output: &Output, url: Option<&str>) -> Result<()> {
    let request = json!({"webhook_url": url});
    let updated: AppUpdated = connection
        .api()
        .patch(&connection.app_path("")?, &request)?;
    output.show(&updated, |it| {
        vec![match &it.webhook_url {
            Some(url) => format!("Results are posted to {url}."),
            None => "There is no webhook any more.".to_owned(),
        }]
    })
}

fn lines(webhook: &Webhook) -> Vec<String> {
    let on = match &webhook.disabled_reason {
        _ if webhook.enabled => "on".to_owned(),
        Some(reason) => format!("off: {}", crate::text::printable(reason)),
        None => "off".to_owned(),
    };
    let mut lines = vec![
        format!("url       {}", webhook.webhook_url),
        format!("secret    {}", webhook.secret),
        format!("state     {on}"),
    ];
    if let (Some(secret), Some(end)) =
        (&webhook.previous_secret, webhook.previous_secret_expires_at)
    {
        let end = end.to_minute();
        lines.push(format!("previous  {secret} (until {end} UTC)"));
    }
    lines
}
