//! `hato doctor`: what keeps notifications from arriving, each finding with its hint.
//!
//! It asks in the order in which things depend on each other: the server, its clock and address, the credential, the app,
//! and, with `--site`, the customer's site. What cannot be asked is said so and is no problem.

mod finding;
mod html;
mod key;
mod policy;
mod script;
mod sdk;
mod server;
mod site;
mod source;
mod subject;
mod worker;

use clap::Args;

use crate::api::Api;
use crate::config_file::ConfigFile;
use crate::connection::{DEFAULT_URL, ServerConnection};
use crate::error::{CliError, Exit, Result};
use crate::options::GlobalOptions;
use crate::output::Output;
use crate::server_url::ServerUrl;
use finding::Finding;

/// The arguments of `hato doctor`.
#[derive(Args)]
pub struct Doctor {
    /// A page of the site whose visitors subscribe
    #[arg(long, value_name = "URL")]
    site: Option<String>,
    /// Where the site has its worker file
    #[arg(long, value_name = "PATH", default_value = "/hato-sw.js")]
    worker: String,
}

impl Doctor {
    /// Prints what was found; fails if there is a problem.
    pub fn run(self, options: &GlobalOptions, output: &Output) -> Result<()> {
        let url = server_url(options)?;
        let mut findings = Vec::new();
        let base = server::examine(&Api::new(url.clone(), None), &mut findings);
        let hato = base.unwrap_or(url);
        match ServerConnection::open(options) {
            Ok(connection) => {
                findings.push(key::examine(&connection));
                findings.push(subject::examine(&connection));
            }
            Err(error) => {
                let (found, hint) = (error.message(), error.hint());
                findings.push(Finding::unknown("credential", found, hint));
            }
        }
        if let Some(page) = self.site {
            site::examine(&page, &self.worker, &hato, &mut findings);
        }
        output.show(&findings, |it| it.iter().flat_map(Finding::lines).collect())?;
        check_result(&findings)
    }
}

fn server_url(options: &GlobalOptions) -> Result<ServerUrl> {
    if let Some(url) = options.server() {
        return ServerUrl::parse(url);
    }
    let file = ConfigFile::read()?;
    let profile = file.profile(options.profile())?;
    ServerUrl::parse(profile.map_or(DEFAULT_URL, |profile| &profile.url))
}

fn check_result(findings: &[Finding]) -> Result<()> {
    let problems = findings.iter().filter(|it| it.is_problem()).count();
    if problems == 0 {
        return Ok(());
    }
    let message = match problems {
        1 => "there is a problem".to_owned(),
        many => format!("there are {many} problems"),
    };
    let hint = "the hints are above";
    Err(CliError::new(Exit::Negative, "problems", message, hint))
}
