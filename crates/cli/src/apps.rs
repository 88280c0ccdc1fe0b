//! `hato apps`: for a session, and for showing and deleting the app of a full key.

use clap::Subcommand;
use hato_domain::wire::{Acknowledged, App, CreateApp};

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
    /// Delete an app with everything in it, for good
    Delete {
        /// Its id, which must be typed out
        id: String,
    },
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

fn lines(app: &App) -> Vec<String> {
    vec![
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
    ]
}
