//! `hato subscriptions`: who subscribes, and for tests of a set-up and migrations registering; browsers register themselves.

use clap::{Args, Subcommand};
use hato_domain::wire::{
    Acknowledged, Page, RegisterSubscription, Registered, Subscription, Unsubscribe,
};

use crate::connection::ServerConnection;
use crate::error::Result;
use crate::output::Output;
use crate::paging::PagingArgs;
use crate::selection::{tag, user_id};
use crate::table::Table;

/// The subcommands of `hato subscriptions`. Those that change something take an API key of any scope.
#[derive(Subcommand)]
pub enum Subscriptions {
    /// List the app's subscriptions, newest first
    List(ListArgs),
    /// Register what a browser's push manager gave
    Add(AddArgs),
    /// Unsubscribe an endpoint
    Remove {
        /// The push service's URL
        endpoint: String,
    },
}

/// Which subscriptions are listed (CONTRACT 12).
#[derive(Args)]
pub struct ListArgs {
    /// Only those of this user
    #[arg(long, value_name = "ID", value_parser = user_id)]
    user: Option<String>,
    /// Only those with this tag
    #[arg(long, value_parser = tag)]
    tag: Option<String>,
    /// Only those in this state
    #[arg(long, value_parser = ["active", "deactivated"])]
    state: Option<String>,
    #[command(flatten)]
    paging: PagingArgs,
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
            Self::List(list) => output.table(&list.read(connection)?, table),
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

impl ListArgs {
    fn read(&self, connection: &ServerConnection) -> Result<Page<Subscription>> {
        let conditions = [
            ("user_id", self.user.as_deref()),
            ("tag", self.tag.as_deref()),
            ("state", self.state.as_deref()),
        ];
        self.paging
            .read_where(&conditions, connection, "/subscriptions")
    }
}

fn table(subscriptions: &Page<Subscription>) -> Table {
    let head =
        "ID CREATED_UTC STATE REASON LAST_SUCCESS USER TAGS LANG TIME_ZONE PLATFORM ENDPOINT";
    let rows = subscriptions.items.iter().map(|it| {
        [
            it.id.clone(),
            it.created_at.to_minute(),
            it.state.clone(),
            it.reason.clone().unwrap_or_default(),
            it.last_success_on.clone().unwrap_or_default(),
            it.user_id.clone().unwrap_or_default(),
            it.tags.join(","),
            it.lang.clone().unwrap_or_default(),
            it.time_zone.clone().unwrap_or_default(),
            it.platform.clone().unwrap_or_default(),
            it.endpoint.clone(),
        ]
    });
    Table::new(head, rows)
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
