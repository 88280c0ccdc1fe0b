//! What operators can ask for, read and checked before the database is opened.

use std::ffi::OsString;

use clap::{Args, Subcommand};
use hato_domain::{Email, NewPassword, Plan};

use super::password;
use crate::boot::BootError;
use crate::config::{self, BadSetting, PlanArgs, StoreArgs, StoreConfig};

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
pub enum Task {
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
    pub task: Task,
}

impl AdminConfig {
    /// Reads the arguments, and then the password if there is to be one.
    pub fn read(args: AdminArgs) -> Result<Self, BootError> {
        let mut default_plan = Plan::Free;
        let (task, store) = match args.command {
            Command::SetPlan { email, plan, store } => {
                (Task::SetPlan(address(&email)?, named_plan(&plan)?), store)
            }
            Command::SetPassword { email, store } => {
                let email = address(&email)?;
                (Task::SetPassword(email, password::ask()?), store)
            }
            Command::CreateAccount { email, plan, store } => {
                default_plan = config::default_plan(plan)?;
                let email = address(&email)?;
                (Task::CreateAccount(email, password::ask()?), store)
            }
            Command::ListAccounts { store } => (Task::ListAccounts, store),
        };
        Ok(Self {
            store: store.try_into()?,
            default_plan,
            task,
        })
    }
}

fn address(given: &OsString) -> Result<Email, BadSetting> {
    let email = given.to_str().and_then(|text| Email::parse(text).ok());
    email.ok_or(BadSetting::new("EMAIL", "an email address"))
}

fn named_plan(given: &OsString) -> Result<Plan, BadSetting> {
    let plan = given.to_str().and_then(|text| Plan::parse(text).ok());
    plan.ok_or(BadSetting::new("PLAN", "free or pro"))
}
