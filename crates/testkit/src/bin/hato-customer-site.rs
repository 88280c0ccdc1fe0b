//! A customer's site as a program, for tests in other languages.
//!
//! Prints its address when it listens, and lives until its standard input closes or SIGTERM comes.

use anyhow::Context;
use clap::{Parser, ValueEnum};
use hato_testkit::{
    customer_site::{CustomerSite, PLAIN_SAMPLE, Policy, SiteSettings},
    program,
};
use std::{io::Write, net::SocketAddr, path::PathBuf};

/// Serves a folder as a site that uses Hato
#[derive(Parser)]
struct CustomerSiteArgs {
    /// The site's files
    #[arg(long, default_value = PLAIN_SAMPLE)]
    folder: PathBuf,
    /// The server's public address
    #[arg(long)]
    hato: String,
    /// A key with the scope `subscribe_only`
    #[arg(long)]
    app_key: String,
    /// Address of the site
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// The site's Content-Security-Policy
    #[arg(long, default_value = "strict")]
    policy: PolicyArg,
}

#[derive(Clone, Copy, ValueEnum)]
enum PolicyArg {
    Strict,
    WithoutWasm,
    Open,
}

fn main() -> anyhow::Result<()> {
    program::run(serve(CustomerSiteArgs::parse()))
}

async fn serve(args: CustomerSiteArgs) -> anyhow::Result<()> {
    let listen = args.listen;
    let site = CustomerSite::start(args.settings())
        .await
        .with_context(|| format!("cannot listen on {listen}"))?;
    let mut stdout = std::io::stdout();
    writeln!(stdout, "{}", site.url())?;
    stdout.flush()?;
    program::wait_for_shutdown().await
}

impl CustomerSiteArgs {
    fn settings(self) -> SiteSettings {
        SiteSettings {
            listen: self.listen,
            folder: self.folder,
            policy: match self.policy {
                PolicyArg::Strict => Policy::Strict,
                PolicyArg::WithoutWasm => Policy::WithoutWasm,
                PolicyArg::Open => Policy::Open,
            },
            ..SiteSettings::new(self.hato, self.app_key)
        }
    }
}
