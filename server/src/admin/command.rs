//! What operators can ask for, read and checked before the database is opened.

use std::ffi::OsString;

use clap::{Args, Subcommand};
use hato_domain::{Email, NewPassword, Plan};

use super::password;
use crate::boot::BootError;
use crate::config::{self, PlanArgs, SettingError, StoreArgs, StoreConfig};

/// The arguments of `hato-server admin`.
#[derive(Args)]
pub struct AdminArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Gives an account a plan
    SetPlan {
        /// The account's address
        email: OsString,
        /// free or pro
        plan: OsString,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Gives an account a password, asked for or read from standard input, and ends its sessions
    SetPassword {
        /// The account's address
        email: OsString,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Makes an account, with a password asked for or read from standard input
    CreateAccount {
        /// The account's address
        email: OsString,
        #[command(flatten)]
        plan: PlanArgs,
        #[command(flatten)]
        store: StoreArgs,
    },
    /// Lists the accounts with what they use
    ListAccounts {
        #[command(flatten)]
        store: StoreArgs,
    },
}

/// What is to be done.
pub enum AdminTask {
    /// Give this account this plan.
    SetPlan(Email, Plan),
    /// Give this account this password.
    SetPassword(Email, NewPassword),
    /// Make this account.
    CreateAccount(Email, NewPassword),
    /// List the accounts.
    ListAccounts,
}

/// What is to be done, and where.
pub struct AdminConfig {
    /// Where the data is.
    pub store: StoreConfig,
    /// The plan of new accounts.
    pub default_plan: Plan,
    /// What is to be done.
    pub task: AdminTask,
}

impl AdminConfig {
    /// Reads the arguments, and then the password if there is to be one.
    pub fn read(args: AdminArgs) -> Result<Self, BootError> {
        let mut default_plan = Plan::Free;
        let (task, store) = match args.command {
            Command::SetPlan { email, plan, store } => (
                AdminTask::SetPlan(parse_email(&email)?, parse_plan(&plan)?),
                store,
            ),
            Command::SetPassword { email, store } => {
                let email = parse_email(&email)?;
                (AdminTask::SetPassword(email, password::prompt()?), store)
            }
            Command::CreateAccount { email, plan, store } => {
                default_plan = config::default_plan(plan)?;
                let email = parse_email(&email)?;
                (AdminTask::CreateAccount(email, password::prompt()?), store)
            }
            Command::ListAccounts { store } => (AdminTask::ListAccounts, store),
        };
        Ok(Self {
            store: store.try_into()?,
            default_plan,
            task,
        })
    }
}

fn parse_email(raw: &OsString) -> Result<Email, SettingError> {
    let email = raw.to_str().and_then(|text| Email::parse(text).ok());
    email.ok_or(SettingError::new("EMAIL", "an email address"))
}

fn parse_plan(raw: &OsString) -> Result<Plan, SettingError> {
    let plan = raw.to_str().and_then(|text| Plan::parse(text).ok());
    plan.ok_or(SettingError::new("PLAN", "free or pro"))
}
