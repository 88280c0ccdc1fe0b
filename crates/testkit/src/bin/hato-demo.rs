//! The whole product on one machine without internet: server, customer's site, stand-in push service.

use anyhow::{Context, ensure};
use clap::Parser;
use hato_testkit::{
    client::Client,
    customer_site::{CustomerSite, SiteSettings},
    firefox_profile,
    owner::PASSWORD,
    push_service::{PushService, PushServiceOptions},
    server::{HatoServer, ServerLaunch},
};
use serde_json::json;
use std::{
    fs,
    io::Write,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
};
use tokio::signal::unix::{SignalKind, signal};

const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const EMAIL: &str = "demo@example.com";

/// Runs Hato with a sample customer's site and a push service of its own
#[derive(Parser)]
struct DemoArgs {
    /// The server program; target/release/hato-server if not given
    #[arg(long)]
    server: Option<PathBuf>,
    /// Data folder; target/demo if not given
    #[arg(long)]
    data: Option<PathBuf>,
    /// Keep what an earlier run left in the data folder
    #[arg(long)]
    keep: bool,
    /// Address of the server
    #[arg(long, default_value = "127.0.0.1:3000")]
    server_listen: SocketAddr,
    /// Address of the customer's site
    #[arg(long, default_value = "127.0.0.1:3001")]
    site_listen: SocketAddr,
    /// Address of the push service's WebSocket, which the Firefox profile names
    #[arg(long, default_value = "127.0.0.1:3002")]
    websocket_listen: SocketAddr,
}

/// What `make demo` has running.
struct Demo {
    service: PushService,
    server: HatoServer,
    site: CustomerSite,
    data: PathBuf,
    base_url: String,
    notify_key: String,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(DemoArgs::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hato-demo: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: DemoArgs) -> anyhow::Result<()> {
    let mut demo = Demo::start(args).await?;
    demo.explain(&mut std::io::stdout().lock())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        // The terminal's Ctrl-C reaches the server too: that is no unexpected end.
        biased;
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
        ended = demo.server.ended() => {
            anyhow::bail!("the server ended ({}):\n{}", ended?, demo.server.log());
        }
    }
    demo.server.terminate().await?;
    Ok(())
}

impl Demo {
    async fn start(args: DemoArgs) -> anyhow::Result<Self> {
        let binary = server_binary(args.server)?;
        let data = prepare_folder(args.data, args.keep)?;
        let service = start_push_service(args.websocket_listen).await?;
        firefox_profile::write_profile(&data.join("firefox"), service.websocket_url())?;
        let base_url = format!("http://localhost:{}", args.server_listen.port());
        let server = ServerLaunch::new(binary)
            .data_dir(data.join("hato"))
            .env("HATO_LISTEN", args.server_listen.to_string())
            .env("HATO_BASE_URL", &base_url)
            .env("HATO_VAPID_SUBJECT", format!("mailto:{EMAIL}"))
            .with_push_service(&service)
            .start()
            .await?;
        let owner = log_in(&server.client()).await?;
        let app = find_app(&owner).await?;
        let site = start_site(args.site_listen, &base_url, &owner, &app).await?;
        Ok(Self {
            notify_key: owner.create_key(&app, "Demo server", "notify").await?,
            service,
            server,
            site,
            data,
            base_url,
        })
    }

    fn explain(&self, out: &mut impl Write) -> std::io::Result<()> {
        let (base, site, data) = (&self.base_url, self.site.url(), self.data.display());
        writeln!(
            out,
            "\n  Hato is running. / Hato が動いています。\n\n  \
             Dashboard        {base}\n  \
             log in with      {EMAIL} / {PASSWORD}\n  \
             Customer's site  {site}\n  \
             Data             {data}\n\n\
             1. Open both in Firefox with the demo's profile (works without internet):\n\n  \
             firefox-esr --no-remote --profile '{data}/firefox' {site} {base}/login\n\n   \
             An ordinary browser works too, if this machine reaches its push service.\n\n\
             2. On the customer's site click 「通知を受け取る」.\n\n\
             3. Send a notification, from the dashboard or like this:\n\n\
             {}\n\n\
             Push service: endpoints {}, control {}/state\n\
             Ctrl-C ends everything. / Ctrl-C で終了します。\n",
            self.curl(),
            self.service.origin(),
            self.service.control_url(),
        )
    }

    /// A shell command that sends a notification to everybody.
    fn curl(&self) -> String {
        let body = json!({
            "title": "焼きたてです",
            "body": "クロワッサンが焼きあがりました。",
            "url": "https://example.com/",
        });
        format!(
            "  curl -X POST {}/api/v1/notify \\\n    -H 'Authorization: Bearer {}' \\\n    \
             -H 'Content-Type: application/json' \\\n    -d '{body}'",
            self.base_url, self.notify_key
        )
    }
}

fn server_binary(chosen: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let binary = chosen.unwrap_or_else(|| workspace().join("target/release/hato-server"));
    ensure!(
        binary.is_file(),
        "there is no server at {}: run `make build`, or name one with --server",
        binary.display()
    );
    Ok(binary)
}

fn prepare_folder(chosen: Option<PathBuf>, keep: bool) -> anyhow::Result<PathBuf> {
    let data = chosen.unwrap_or_else(|| workspace().join("target/demo"));
    if !keep {
        wipe(&data)?;
    }
    fs::create_dir_all(&data).with_context(|| format!("cannot make {}", data.display()))?;
    Ok(data.canonicalize()?)
}

/// Removes what a demo leaves, and nothing else: the folder may have been mistyped.
fn wipe(data: &Path) -> anyhow::Result<()> {
    for part in ["hato", "firefox"] {
        let part = data.join(part);
        if part.exists() {
            fs::remove_dir_all(&part).with_context(|| format!("cannot wipe {}", part.display()))?;
        }
    }
    Ok(())
}

fn workspace() -> PathBuf {
    let path = PathBuf::from(WORKSPACE);
    path.canonicalize().unwrap_or(path)
}

async fn start_push_service(websocket_listen: SocketAddr) -> anyhow::Result<PushService> {
    let options = PushServiceOptions {
        websocket_listen,
        ..PushServiceOptions::default()
    };
    let service = PushService::start_with(options).await;
    service.with_context(|| format!("cannot listen on {websocket_listen}"))
}

/// A client with a session of the demo's account, which is made when it is new.
async fn log_in(client: &Client) -> anyhow::Result<Client> {
    let session = match client.register_account(EMAIL, PASSWORD).await {
        Ok(session) => session,
        Err(_) => client.log_in(EMAIL, PASSWORD).await?,
    };
    Ok(client.bearer(&session))
}

/// The id of the account's first app, which is made when there is none.
async fn find_app(owner: &Client) -> anyhow::Result<String> {
    let apps = owner.get("/api/v1/apps").await?.expect_status(200)?.json();
    let app = match apps.get(0) {
        Some(app) => app.clone(),
        None => owner.create_app("はとパン").await?,
    };
    let id = app["appId"].as_str().context("an app has an appId")?;
    Ok(id.to_owned())
}

async fn start_site(
    listen: SocketAddr,
    base_url: &str,
    owner: &Client,
    app: &str,
) -> anyhow::Result<CustomerSite> {
    let key = owner.create_key(app, "Demo site", "subscribe_only").await?;
    let settings = SiteSettings {
        listen,
        ..SiteSettings::new(base_url, key)
    };
    let site = CustomerSite::start(settings).await;
    site.with_context(|| format!("cannot listen on {listen}"))
}
