//! The grammar of the command line, and which file does what each command asks for.
//!
//! A new command is a file beside this one, named in `main.rs`, a variant of [`HatoCommand`] here and its line in [`Hato::run`]. Its
//! server, credential and app come from `connection.rs`. What the API refuses comes back from `api.rs` as an error of `error.rs`,
//! which has its message and its exit code.

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::connection::ServerConnection;
use crate::error::Result;
use crate::options::GlobalOptions;
use crate::output::Output;
use crate::paging::PagingArgs;
use crate::{
    apps, audience, completions, dead_letters, doctor, export, history, import, key_events, keys,
    listen, login, manual, notify, profiles, stats, subscriptions, webhook,
};

/// A parsed command line.
#[derive(Parser)]
#[command(
    name = "hato",
    version,
    about = "The command line of Hato, the Web Push service",
    after_help = "The variable HATO_KEY takes the credential, an API key or a session's token, in place of the profile's. No \
                  option does: other users of the machine can read command lines.\n\n\
                  Exit codes: 0 done, 1 done but not as wished (a waited send that failed, a problem that the doctor \
                  found), 2 wrong usage, 3 refused, 4 not logged in or not allowed, 5 a limit, 6 no answer, 7 not done \
                  in time, 8 a send that was accepted, in part or perhaps, but not followed to its end.",
    disable_help_subcommand = true,
    arg_required_else_help = true
)]
pub struct Hato {
    #[command(flatten)]
    pub options: GlobalOptions,
    #[command(subcommand)]
    command: HatoCommand,
}

#[derive(Subcommand)]
enum HatoCommand {
    /// Log in, or store an API key; with a key in the environment neither is needed
    Login(login::Login),
    /// End the session and forget the profile's credential
    Logout,
    /// List, choose and remove stored servers and credentials
    #[command(subcommand)]
    Profiles(profiles::Profiles),
    /// List, create, show and delete apps
    #[command(subcommand)]
    Apps(apps::Apps),
    /// List, create and delete API keys
    #[command(subcommand)]
    Keys(keys::Keys),
    /// Send a notification to everyone, to one subscriber, or to a list
    Notify(Box<notify::NotifyArgs>),
    /// List sends, show one, or cancel one
    History(history::History),
    /// List deliveries that finally failed
    DeadLetters(PagingArgs),
    /// Show what was sent and who is subscribed
    Stats,
    /// Show whom a send would go to, and how many of them the last one has reached
    Audience(audience::AudienceArgs),
    /// List who made and deleted API keys
    KeyEvents(PagingArgs),
    /// List, add and remove subscriptions
    #[command(subcommand)]
    Subscriptions(subscriptions::Subscriptions),
    /// Bring subscribers from another service or another Hato
    Import(import::ImportArgs),
    /// Write the active subscriptions into a file, for another service or another Hato
    Export(export::ExportArgs),
    /// Show, set and clear the webhook, and change its signing secret
    #[command(subcommand)]
    Webhook(webhook::WebhookCommand),
    /// Show the app's events as they happen, and post them to an address of yours; Ctrl-C ends it
    Listen(listen::ListenArgs),
    /// Look for what keeps notifications from arriving
    Doctor(doctor::Doctor),
    /// Print a shell's completions
    Completions(completions::Completions),
    /// Print the manual page, or write the pages of all commands into a folder
    Man(manual::Manual),
}

impl Hato {
    /// Runs the command. A failure is returned unprinted.
    pub fn run(self) -> Result<()> {
        let options = &self.options;
        let output = Output::new(options.json);
        let connect = || ServerConnection::open(options);
        match self.command {
            HatoCommand::Login(login) => login.run(options, &output),
            HatoCommand::Logout => login::log_out(options, &output),
            HatoCommand::Profiles(profiles) => profiles.run(&output),
            HatoCommand::Apps(apps) => apps.run(&connect()?, &output),
            HatoCommand::Keys(keys) => keys.run(&connect()?, &output),
            HatoCommand::Notify(notify) => notify.run(&connect()?, &output),
            HatoCommand::History(history) => history.run(&connect()?, &output),
            HatoCommand::DeadLetters(paging) => dead_letters::run(&paging, &connect()?, &output),
            HatoCommand::Stats => stats::run(&connect()?, &output),
            HatoCommand::Audience(audience) => audience.run(&connect()?, &output),
            HatoCommand::KeyEvents(paging) => key_events::run(&paging, &connect()?, &output),
            HatoCommand::Subscriptions(subscriptions) => subscriptions.run(&connect()?, &output),
            HatoCommand::Import(import) => import.run(&connect()?, &output),
            HatoCommand::Export(export) => export.run(&connect()?, &output),
            HatoCommand::Webhook(webhook) => webhook.run(&connect()?, &output),
            HatoCommand::Listen(listen) => listen.run(&connect()?, &output),
            HatoCommand::Doctor(doctor) => doctor.run(options, &output),
            HatoCommand::Completions(completions) => completions.run(Self::command(), &output),
            HatoCommand::Man(manual) => manual.run(Self::command(), &output),
        }
    }
}
