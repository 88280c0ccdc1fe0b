//! Hato's release server as an owner uses it: apps set up over the API, subscribers written into its file.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use hato_testkit::client::Client;
use hato_testkit::owner::PASSWORD;
use hato_testkit::server::{HatoServer, ServerLaunch};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::audience::BenchAudience;
use crate::database::subscribe;
use crate::message::{SUBJECT, TITLE, body};
use crate::postgres::PostgresDatabase;
use crate::process::cpu_seconds;
use crate::sink::Sink;

/// How often a send is looked at whose messages have all arrived.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How often the server is asked at most, which takes ten minutes.
const MAX_POLLS: usize = 60_000;
/// Requests at a time.
const CONCURRENCY: usize = 16;
/// Where the release build is, unless `HATO_BENCH_SERVER` says otherwise.
const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/release/hato-server");

/// The release build of the server.
pub fn server_program() -> anyhow::Result<String> {
    let server = std::env::var("HATO_BENCH_SERVER").unwrap_or_else(|_| SERVER.to_owned());
    ensure!(
        Path::new(&server).exists(),
        "there is no {server}: run make build first"
    );
    Ok(server)
}

/// An app with the credentials to use it.
pub struct BenchApp {
    pub id: String,
    pub vapid_key: String,
    /// A key of the scope `notify`.
    pub key: String,
    session: String,
}

/// A server's data, while no server runs on it.
pub struct ServerData {
    folder: PathBuf,
    /// Of every server on it.
    settings: Vec<(&'static str, String)>,
    pub apps: Vec<BenchApp>,
}

impl ServerData {
    /// Makes a folder with an account on plan pro, and an app for each range with these members of the audience as
    /// subscribers.
    pub async fn prepare(
        folder: PathBuf,
        audience: &BenchAudience,
        subscribers: &[Range<u64>],
    ) -> anyhow::Result<Self> {
        let data = Self::create(folder, Vec::new(), subscribers.len()).await?;
        for (app, numbers) in data.apps.iter().zip(subscribers) {
            subscribe(&data.folder, &app.id, audience, numbers.clone())?;
        }
        Ok(data)
    }

    /// The same in an empty PostgreSQL database.
    pub async fn prepare_in(
        database: &PostgresDatabase,
        folder: PathBuf,
        audience: &BenchAudience,
        subscribers: &[Range<u64>],
    ) -> anyhow::Result<Self> {
        let data = Self::create(folder, database.settings(), subscribers.len()).await?;
        for (app, numbers) in data.apps.iter().zip(subscribers) {
            database.subscribe(&app.id, audience, numbers.clone())?;
        }
        Ok(data)
    }

    async fn create(
        folder: PathBuf,
        settings: Vec<(&'static str, String)>,
        apps: usize,
    ) -> anyhow::Result<Self> {
        let mut data = Self {
            folder,
            settings,
            apps: Vec::new(),
        };
        let mut server = data.launch()?.start().await?;
        let client = server.client();
        let session = client
            .register_account("bench@example.com", PASSWORD)
            .await?;
        for _ in 0..apps {
            data.apps.push(BenchApp::create(&client, &session).await?);
        }
        server.terminate().await?;
        Ok(data)
    }

    /// Starts a server on it that reaches the sink, with these settings besides.
    pub async fn start_with_sink(
        &self,
        sink: &Sink,
        settings: &[(&str, &str)],
    ) -> anyhow::Result<BenchServer> {
        let launch = self
            .launch()?
            .env("HATO_OUTBOUND_ALLOW", "127.0.0.0/8")
            .env("HATO_OUTBOUND_CA", sink.ca.to_string_lossy());
        start(launch, settings).await
    }

    /// Starts a server on it that only accepts, with these settings besides.
    pub async fn start_api_only(&self, settings: &[(&str, &str)]) -> anyhow::Result<BenchServer> {
        start(self.launch()?.env("HATO_ROLE", "api"), settings).await
    }

    fn launch(&self) -> anyhow::Result<ServerLaunch> {
        let launch = ServerLaunch::new(server_program()?)
            .data_dir(&self.folder)
            .env("HATO_DEFAULT_PLAN", "pro")
            .env("HATO_REGISTRATIONS_PER_MINUTE", "0")
            .env("HATO_SENDS_PER_MINUTE", "0")
            .env("HATO_CONNECTIONS_PER_ADDRESS", "0")
            .env("HATO_VAPID_SUBJECT", SUBJECT);
        let settings = self.settings.iter();
        Ok(settings.fold(launch, |launch, (name, value)| launch.env(name, value)))
    }
}

async fn start(launch: ServerLaunch, settings: &[(&str, &str)]) -> anyhow::Result<BenchServer> {
    let launch = settings
        .iter()
        .fold(launch, |launch, (name, value)| launch.env(name, *value));
    Ok(BenchServer {
        server: launch.start().await?,
    })
}

impl BenchApp {
    async fn create(client: &Client, session: &str) -> anyhow::Result<Self> {
        let owner = client.bearer(session);
        let app = owner.create_app("Bench").await?;
        let id = app["appId"].as_str().context("no appId")?.to_owned();
        let vapid_key = app["vapid_public_key"]
            .as_str()
            .context("no key")?
            .to_owned();
        let key = owner.create_key(&id, "bench", "notify").await?;
        Ok(Self {
            id,
            vapid_key,
            key,
            session: session.to_owned(),
        })
    }
}

impl BenchApp {
    /// Makes a new key of the scope `full`.
    pub async fn full_key(&self, hato: &BenchServer) -> anyhow::Result<String> {
        let owner = hato.server.client().bearer(&self.session);
        Ok(owner.create_key(&self.id, "full", "full").await?)
    }
}

/// A running server; killed when dropped.
pub struct BenchServer {
    pub server: HatoServer,
}

impl BenchServer {
    /// The id of the server's process.
    pub fn process_id(&self) -> anyhow::Result<u32> {
        self.server.process_id().context("the server has ended")
    }

    /// The CPU seconds that the server has used so far.
    pub fn cpu_seconds(&self) -> anyhow::Result<f64> {
        cpu_seconds(self.process_id()?)
    }

    /// Sends the notification to all of an app's subscribers; the send's id.
    pub async fn broadcast(&self, app: &BenchApp, recipients: u64) -> anyhow::Result<String> {
        let client = self.server.client().bearer(&app.key);
        let response = client.post("/api/v1/notify", &notification(None)).await?;
        let accepted = response.expect_status(202)?.json();
        ensure!(accepted["queued"] == recipients, "accepted {accepted}");
        Ok(accepted["send_id"]
            .as_str()
            .context("no send_id")?
            .to_owned())
    }

    /// Sends the notification to each of these endpoints on its own, 16 at a time.
    pub async fn send_to_each(
        &self,
        app: &BenchApp,
        endpoints: impl Iterator<Item = String>,
    ) -> anyhow::Result<()> {
        let client = self.server.client().bearer(&app.key);
        let mut shares = vec![Vec::new(); CONCURRENCY];
        for (number, endpoint) in endpoints.enumerate() {
            shares[number % CONCURRENCY].push(endpoint);
        }
        let mut tasks = JoinSet::new();
        for share in shares {
            tasks.spawn(send_each(client.clone(), share));
        }
        tasks.join_all().await.into_iter().collect()
    }

    /// Sets the app's webhook to `url`.
    pub async fn set_webhook(&self, app: &BenchApp, url: &str) -> anyhow::Result<()> {
        self.change_app(app, &json!({ "webhook_url": url })).await
    }

    /// Changes settings of the app.
    pub async fn change_app(&self, app: &BenchApp, change: &Value) -> anyhow::Result<()> {
        let client = self.server.client().bearer(&app.session);
        let path = format!("/api/v1/apps/{}", app.id);
        let response = client.patch(&path, change).await?;
        response.expect_status(200)?;
        Ok(())
    }

    /// Cancels a send of the app, and waits until nobody of it is on the way any more.
    pub async fn cancel(&self, app: &BenchApp, send: &str) -> anyhow::Result<()> {
        let client = self.server.client().bearer(&app.session);
        let path = format!("/api/v1/apps/{}/notifications/{send}", app.id);
        client.delete(&path).await?.expect_status(200)?;
        for _ in 0..MAX_POLLS {
            let item = client.get(&path).await?.expect_status(200)?.json();
            if matches!(item["status"].as_str(), Some("done" | "cancelled")) {
                return Ok(());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        anyhow::bail!("the send does not end:\n{}", self.server.log())
    }

    /// Waits until the app's latest send is done; its item in the history.
    pub async fn wait_done(&self, app: &BenchApp, send: &str) -> anyhow::Result<Value> {
        let client = self.server.client().bearer(&app.session);
        let path = format!("/api/v1/apps/{}/notifications?limit=1", app.id);
        for _ in 0..MAX_POLLS {
            let page = client.get(&path).await?.expect_status(200)?.json();
            let item = &page["items"][0];
            ensure!(item["send_id"] == send, "another send: {item}");
            if item["status"] == "done" {
                return Ok(item.clone());
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        anyhow::bail!("the send does not end:\n{}", self.server.log())
    }
}

async fn send_each(client: Client, endpoints: Vec<String>) -> anyhow::Result<()> {
    for endpoint in endpoints {
        let body = notification(Some(&endpoint));
        let response = client.post("/api/v1/notify", &body).await?;
        response.expect_status(202)?;
    }
    Ok(())
}

/// The body of a request to send to this endpoint, or to everybody.
pub fn notification(endpoint: Option<&str>) -> Value {
    let mut notification = json!({ "title": TITLE, "body": body() });
    if let Some(endpoint) = endpoint {
        notification["endpoint"] = json!(endpoint);
    }
    notification
}
