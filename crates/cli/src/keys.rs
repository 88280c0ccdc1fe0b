//! `hato keys`: the API keys of an app.

use clap::Subcommand;
use clap::builder::PossibleValue;
use hato_domain::Scope;
use hato_domain::wire::{Acknowledged, ApiKey, CreateKey, CreatedKey};

use crate::connection::{ServerConnection, segment};
use crate::error::Result;
use crate::output::Output;
use crate::table::Table;

/// The subcommands of `hato keys`.
#[derive(Subcommand)]
pub enum Keys {
    /// List the app's keys
    List,
    /// Create a key; it is printed once and never again
    Create {
        /// A label
        name: String,
        /// What it may do
        #[arg(long, value_parser = scopes())]
        scope: String,
    },
    /// Delete a key, which ends its use at once
    Delete {
        /// Its id
        id: String,
    },
}

/// The scopes of SPEC 5.2, with what `--help` says of each.
fn scopes() -> [PossibleValue; 3] {
    Scope::ALL.map(|scope| {
        PossibleValue::new(scope.as_str()).help(match scope {
            Scope::SubscribeOnly => "Subscribing and unsubscribing: for pages",
            Scope::Notify => "Sending too: for servers",
            Scope::Full => "Everything of the app: for management",
        })
    })
}

impl Keys {
    pub fn run(self, connection: &ServerConnection, output: &Output) -> Result<()> {
        let api = connection.api();
        let path = connection.app_path("/keys")?;
        match self {
            Self::List => output.table(&api.get::<Vec<ApiKey>>(&path)?, |keys| table(keys)),
            Self::Create { name, scope } => {
                let request = CreateKey {
                    name: Some(name),
                    scope: Some(scope),
                };
                let created: CreatedKey = api.post(&path, &request)?;
                // The key alone on its line, so that `$(hato keys create …)` is the key.
                output.show(&created, |it| vec![it.key.clone()])
            }
            Self::Delete { id } => {
                let done: Acknowledged = api.delete(&format!("{path}/{}", segment(&id)))?;
                output.show(&done, |_| vec![format!("Deleted {id}.")])
            }
        }
    }
}

fn table(keys: &[ApiKey]) -> Table {
    let rows = keys.iter().map(|key| {
        let last_used = key.last_used_at.map(hato_domain::UnixMillis::to_minute);
        [
            key.id.clone(),
            key.name.clone(),
            key.scope.clone(),
            last_used.unwrap_or_default(),
            key.created_at.to_minute(),
        ]
    });
    Table::new("ID NAME SCOPE LAST_USED_UTC CREATED_UTC", rows)
}
