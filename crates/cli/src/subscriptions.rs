//! `hato subscriptions`: for tests of a set-up and for moving house; browsers register themselves.

use clap::{Args, Subcommand};
use hato_domain::wire::{Acknowledged, RegisterSubscription, Registered, Unsubscribe};

use crate::connection::Connection;
use crate::failure::Result;
use crate::output::Output;

/// What to do with subscriptions; with an API key of any scope.
#[derive(Subcommand)]
pub enum Subscriptions {
    /// Register what a browser's push manager gave
    Add(Add),
    /// Unsubscribe an endpoint
    Remove {
        /// The push service's URL
        endpoint: String,
    },
}

/// The parts of a subscription (SPEC 2.2).
#[derive(Args)]
pub struct Add {
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
    /// Does it.
    pub fn run(self, connection: &Connection, output: &Output) -> Result<()> {
        let (api, path) = (connection.api(), connection.of_app("/subscriptions")?);
        match self {
            Self::Add(add) => {
                let registered: Registered = api.post_again(&path, &add.request())?;
                output.show(&registered, |it| vec![it.id.clone()])
            }
            Self::Remove { endpoint } => {
                let request = Unsubscribe {
                    endpoint: Some(endpoint),
                };
                let done: Acknowledged = api.delete_again(&path, &request)?;
                output.show(&done, |_| vec!["Unsubscribed.".to_owned()])
            }
        }
    }
}

impl Add {
    fn request(self) -> RegisterSubscription {
        RegisterSubscription {
            endpoint: Some(self.endpoint),
            p256dh: Some(self.p256dh),
            auth: Some(self.auth),
            platform: self.platform,
        }
    }
}
