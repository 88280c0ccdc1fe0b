//! The options that every command takes. This file knows no command, so that all of them can depend on it.

use clap::Args;

/// Which server, profile and app a command is about, and how it prints.
#[derive(Args)]
#[command(next_help_heading = "Options of all commands")]
pub struct GlobalOptions {
    /// The server's address
    #[arg(long, global = true, env = "HATO_URL", value_name = "URL")]
    server: Option<String>,
    /// The profile to use instead of the current one
    #[arg(long, global = true, env = "HATO_PROFILE", value_name = "NAME")]
    profile: Option<String>,
    /// The app, where the credential leaves a choice
    #[arg(long, global = true, env = "HATO_APP", value_name = "ID")]
    app: Option<String>,
    /// Print JSON, for programs
    #[arg(long, global = true)]
    pub json: bool,
}

impl GlobalOptions {
    pub fn server(&self) -> Option<&str> {
        non_empty(self.server.as_deref())
    }

    pub fn profile(&self) -> Option<&str> {
        non_empty(self.profile.as_deref())
    }

    pub fn app(&self) -> Option<&str> {
        non_empty(self.app.as_deref())
    }
}

/// An empty variable counts as unset.
fn non_empty(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}
