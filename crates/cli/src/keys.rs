//! `hato keys`: the API keys of an app.

use clap::{Subcommand, ValueEnum};
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
        #[arg(long, value_enum)]
        scope: KeyScope,
    },
    /// Delete a key, which ends its use at once
    Delete {
        /// Its id
        id: String,
    },
}

/// The scopes of SPEC 5.2 as the command line spells them.
#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum KeyScope {
    /// Subscribing and unsubscribing: for pages
    SubscribeOnly,
    /// Sending too: for servers
    Notify,
    /// Everything of the app: for management
    Full,
}

impl From<KeyScope> for Scope {
    fn from(scope: KeyScope) -> Self {
        match scope {
            KeyScope::SubscribeOnly => Self::SubscribeOnly,
            KeyScope::Notify => Self::Notify,
            KeyScope::Full => Self::Full,
        }
    }
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
                    scope: Some(Scope::from(scope).as_str().to_owned()),
                };
                output.show(&api.post::<CreatedKey>(&path, &request)?, lines)
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
    Table::new(
        ["ID", "NAME", "SCOPE", "LAST_USED_UTC", "CREATED_UTC"],
        rows,
    )
}

/// The key alone on its line, so that `$(hato keys create …)` is the key.
fn lines(key: &CreatedKey) -> Vec<String> {
    vec![key.key.clone()]
}
