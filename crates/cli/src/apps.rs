//! `hato apps`: for a session, and for showing and deleting the app of a full key.

use clap::{Args, Subcommand};
use hato_domain::Tracking;
use hato_domain::wire::{Acknowledged, App, AppUpdated, CreateApp};
use serde_json::{Map, Value};

use crate::connection::{ServerConnection, segment};
use crate::error::Result;
use crate::output::Output;
use crate::table::Table;

/// The subcommands of `hato apps`.
#[derive(Subcommand)]
pub enum Apps {
    /// List the account's apps
    List,
    /// Create an app with a VAPID key pair of its own
    Create {
        /// Its name
        name: String,
    },
    /// Show an app
    Show {
        /// Its id; may be left out where there is only one
        id: Option<String>,
    },
    /// Set what becomes of the app's messages
    Set(SetArgs),
    /// Delete an app with everything in it, for good
    Delete {
        /// Its id, which must be typed out
        id: String,
    },
}

/// What `hato apps set` takes: one of them at least.
#[derive(Args)]
#[group(required = true, multiple = true)]
pub struct SetArgs {
    /// The address of the app's site; an empty one clears it
    #[arg(long, value_name = "URL")]
    site_url: Option<String>,
    /// Whether Apple's push service gets declarative messages, which need the site's address
    #[arg(long, value_name = "true|false")]
    declarative: Option<bool>,
    /// What is measured: off or counts
    #[arg(long, value_parser = Tracking::ALL.map(Tracking::as_str))]
    tracking: Option<String>,
}

impl SetArgs {
    fn run(self, connection: &ServerConnection, output: &Output) -> Result<()> {
        let mut request = Map::new();
        let members = [
            ("site_url", self.site_url.map(Value::from)),
            ("declarative", self.declarative.map(Value::from)),
            ("tracking", self.tracking.map(Value::from)),
        ];
        for (name, value) in members {
            request.extend(value.map(|value| (name.to_owned(), value)));
        }
        let path = connection.app_path("")?;
        let updated: AppUpdated = connection.api().patch(&path, &request)?;
        output.show(&updated, |it| {
            message_lines(it.site_url.as_deref(), it.declarative, &it.tracking).into()
        })
    }
}

impl Apps {
    pub fn run(self, connection: &ServerConnection, output: &Output) -> Result<()> {
        let api = connection.api();
        match self {
            Self::List => output.table(&api.get::<Vec<App>>("/api/v1/apps")?, |apps| table(apps)),
            Self::Create { name } => {
                let request = CreateApp { name: Some(name) };
                output.show(&api.post::<App>("/api/v1/apps", &request)?, lines)
            }
            Self::Show { id } => {
                let path = match id {
                    Some(id) => path_of(&id),
                    None => connection.app_path("")?,
                };
                output.show(&api.get::<App>(&path)?, lines)
            }
            Self::Set(set) => set.run(connection, output),
            Self::Delete { id } => {
                let done: Acknowledged = api.delete(&path_of(&id))?;
                output.show(&done, |_| vec![format!("Deleted {id}.")])
            }
        }
    }
}

fn path_of(id: &str) -> String {
    format!("/api/v1/apps/{}", segment(id))
}

fn table(apps: &[App]) -> Table {
    let rows = apps.iter().map(|app| {
        [
            app.app_id.clone(),
            app.name.clone(),
            app.plan.clone(),
            app.active_subscriptions.to_string(),
            app.created_at.to_minute(),
        ]
    });
    Table::new("ID NAME PLAN SUBSCRIBERS CREATED_UTC", rows)
}

fn message_lines(site_url: Option<&str>, declarative: bool, tracking: &str) -> [String; 3] {
    let declarative = if declarative { "on" } else { "off" };
    [
        format!("site           {}", site_url.unwrap_or("-")),
        format!("declarative    {declarative}"),
        format!("tracking       {}", crate::text::printable(tracking)),
    ]
}

fn lines(app: &App) -> Vec<String> {
    let mut lines = vec![
        format!("id             {}", app.app_id),
        format!("name           {}", crate::text::printable(&app.name)),
        format!("plan           {}", app.plan),
        format!("subscribers    {}", app.active_subscriptions),
        format!("public key     {}", app.vapid_public_key),
        format!("VAPID subject  {}", app.vapid_subject),
        format!(
            "webhook        {}",
            app.webhook_url.as_deref().unwrap_or("-")
        ),
        format!("created (UTC)  {}", app.created_at.to_minute()),
    ];
    let site_url = app.site_url.as_deref();
    lines.extend(message_lines(site_url, app.declarative, &app.tracking));
    lines
}
