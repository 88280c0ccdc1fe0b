//! `hato subscriptions`: for tests of a set-up and for migrations; browsers register themselves.

use clap::{Args, Subcommand};
use hato_domain::wire::{Acknowledged, RegisterSubscription, Registered, Unsubscribe};

use crate::connection::ServerConnection;
use crate::error::Result;
use crate::output::Output;

/// The subcommands of `hato subscriptions`, which take an API key of any scope.
#[derive(Subcommand)]
pub enum Subscriptions {
    /// Register what a browser's push manager gave
    Add(AddArgs),
    /// Unsubscribe an endpoint
    Remove {
        /// The push service's URL
        endpoint: String,
    },
}

/// The parts of a subscription (SPEC 2.2).
#[derive(Args)]
pub struct AddArgs {
    /// The push service's URL
    endpoint: String,
    /// The browser's public key, base64url
    #[arg(long, value_name = "KEY")]
    p256dh: String,
    /// The browser's authentication secret, base64url
    #[arg(long, value_name = "SECRET")]
    auth: String,
    /// A label of the client's platform
    #[arg(long)]
    platform: Option<String>,
}

impl Subscriptions {
    pub fn run(self, connection: &ServerConnection, output: &Output) -> Result<()> {
        let (api, path) = (connection.api(), connection.app_path("/subscriptions")?);
        match self {
            Self::Add(add) => {
                let request = RegisterSubscription::from(add);
                let registered: Registered = api.post_idempotent(&path, &request)?;
                output.show(&registered, |it| vec![it.id.clone()])
            }
            Self::Remove { endpoint } => {
                let request = Unsubscribe {
                    endpoint: Some(endpoint),
                };
                let done: Acknowledged = api.delete_idempotent(&path, &request)?;
                output.show(&done, |_| vec!["Unsubscribed.".to_owned()])
            }
        }
    }
}

impl From<AddArgs> for RegisterSubscription {
    fn from(add: AddArgs) -> Self {
        Self {
            endpoint: Some(add.endpoint),
            p256dh: Some(add.p256dh),
            auth: Some(add.auth),
            platform: add.platform,
            ..Self::default()
        }
    }
}
