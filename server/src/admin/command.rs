//! What operators can ask for, read and checked before the database is opened.

use clap::{Args, Subcommand};
use hato_domain::{Email, NewPassword, Plan};

use super::error::AdminError;
use super::password;
use crate::config::{self, ConfiguredSecrets, PlanConfig, SettingParser, StoreConfig};

/// The arguments of `hato-server admin`.
#[derive(Args)]
pub struct AdminArgs {
    #[command(subcommand)]
    command: AdminCommand,
}

#[derive(Subcommand)]
enum AdminCommand {
    /// Gives an account a plan
    SetPlan {
        /// The account's address
        #[arg(value_parser = email())]
        email: Email,
        /// free or pro
        #[arg(value_parser = config::plan())]
        plan: Plan,
        #[command(flatten)]
        store: StoreConfig,
    },
    /// Gives an account a password, asked for or read from standard input, and ends its sessions
    SetPassword {
        /// The account's address
        #[arg(value_parser = email())]
        email: Email,
        #[command(flatten)]
        store: StoreConfig,
    },
    /// Gives an account the dashboard's page of accounts and plans
    MakeOperator {
        /// The account's address
        #[arg(value_parser = email())]
        email: Email,
        /// Takes it away again
        #[arg(long)]
        undo: bool,
        #[command(flatten)]
        store: StoreConfig,
    },
    /// Makes an account, with a password asked for or read from standard input
    CreateAccount {
        /// The account's address
        #[arg(value_parser = email())]
        email: Email,
        #[command(flatten)]
        plan: PlanConfig,
        #[command(flatten)]
        store: StoreConfig,
    },
    /// Lists the API keys that are still hashed with another pepper than the current one
    Peppers {
        #[command(flatten)]
        secrets: ConfiguredSecrets,
        #[command(flatten)]
        store: StoreConfig,
    },
    /// Lists the accounts with what they use
    ListAccounts {
        #[command(flatten)]
        store: StoreConfig,
    },
}

/// The task of an operator's command, its arguments checked.
pub enum AdminTask {
    /// Gives the account with this address this plan.
    SetPlan(Email, Plan),
    /// Gives the account with this address this password, and ends its sessions.
    SetPassword(Email, NewPassword),
    /// Makes the account with this address an operator's, or an ordinary one again.
    MakeOperator(Email, bool),
    /// Makes an account with this address and password.
    CreateAccount(Email, NewPassword),
    /// Writes a line for every key that waits for the current pepper.
    Peppers,
    /// Writes a line for every account there is.
    ListAccounts,
}

/// A task, and the database that it is done on.
pub struct AdminConfig {
    /// The database to work on.
    pub store: StoreConfig,
    /// The plan that a new account gets.
    pub default_plan: Plan,
    /// The secrets that are given, where the task needs any.
    pub secrets: Option<ConfiguredSecrets>,
    /// What is done in it, once.
    pub task: AdminTask,
}

impl TryFrom<AdminArgs> for AdminConfig {
    type Error = AdminError;

    /// Asks for the password, if there is to be one.
    fn try_from(args: AdminArgs) -> Result<Self, AdminError> {
        let (mut default_plan, mut configured) = (Plan::Free, None);
        let (task, store) = match args.command {
            AdminCommand::SetPlan { email, plan, store } => {
                (AdminTask::SetPlan(email, plan), store)
            }
            AdminCommand::SetPassword { email, store } => {
                (AdminTask::SetPassword(email, password::prompt()?), store)
            }
            AdminCommand::MakeOperator { email, undo, store } => {
                (AdminTask::MakeOperator(email, !undo), store)
            }
            AdminCommand::CreateAccount { email, plan, store } => {
                default_plan = plan.default_plan;
                (AdminTask::CreateAccount(email, password::prompt()?), store)
            }
            AdminCommand::Peppers { secrets, store } => {
                configured = Some(secrets);
                (AdminTask::Peppers, store)
            }
            AdminCommand::ListAccounts { store } => (AdminTask::ListAccounts, store),
        };
        Ok(Self {
            store,
            default_plan,
            secrets: configured,
            task,
        })
    }
}

fn email() -> SettingParser<Email> {
    SettingParser::text("an email address", |text| Email::parse(text).ok())
}
