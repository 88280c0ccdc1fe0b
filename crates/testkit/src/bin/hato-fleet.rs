//! A fleet on one machine: two api and three worker processes over a PostgreSQL of their own, behind a load balancer.

use anyhow::{Context, ensure};
use clap::{Parser, ValueEnum};
use futures_util::future::{join_all, try_join_all};
use hato_cluster::{Cluster, Durability};
use hato_testkit::{
    load_balancer::{LoadBalancer, Program},
    server::{HatoServer, ServerLaunch},
};
use std::{
    io::{self, Write},
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};
use tokio::signal::unix::{SignalKind, signal};

const DATABASE: &str = "hato";
const API_PROCESSES: usize = 2;
const WORKERS: usize = 3;

/// Runs a fleet of Hato over a PostgreSQL of its own, for trying it
#[derive(Parser)]
struct FleetArgs {
    /// The server program; target/release/hato-server if not given
    #[arg(long)]
    server: Option<PathBuf>,
    /// Address of the load balancer; of the first api process, if there is none
    #[arg(long, default_value = "127.0.0.1:3000")]
    listen: SocketAddr,
    /// What stands in front of the api processes; auto: Caddy or nginx, where there is one
    #[arg(long, default_value = "auto")]
    balancer: Balancer,
}

#[derive(Clone, Copy, ValueEnum)]
enum Balancer {
    Auto,
    Caddy,
    Nginx,
    None,
}

impl Balancer {
    /// Its program, if there is to be one.
    fn program(self) -> anyhow::Result<Option<Program>> {
        Ok(match self {
            Self::Auto => Program::caddy().or_else(Program::nginx),
            Self::Caddy => Some(Program::caddy().context("there is no Caddy")?),
            Self::Nginx => Some(Program::nginx().context("there is no nginx")?),
            Self::None => None,
        })
    }
}

/// What `make fleet` has running. What is dropped first ends first: nobody outlives the database.
struct RunningFleet {
    balancer: Option<(Program, LoadBalancer)>,
    api: Vec<HatoServer>,
    workers: Vec<HatoServer>,
    base_url: String,
    cluster: Cluster,
}

#[tokio::main]
async fn main() -> ExitCode {
    match run(FleetArgs::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hato-fleet: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: FleetArgs) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let fleet = tokio::select! {
        fleet = RunningFleet::start(args) => fleet?,
        _ = interrupt.recv() => return Ok(()),
        _ = terminate.recv() => return Ok(()),
    };
    fleet.explain(&mut io::stdout().lock())?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    fleet.end().await
}

impl RunningFleet {
    async fn start(args: FleetArgs) -> anyhow::Result<Self> {
        let binary = server_binary(args.server)?;
        let listen = with_port(args.listen)?;
        let base_url = format!("http://localhost:{}", listen.port());
        let cluster = Cluster::start(Durability::Full)?;
        cluster.create_database(DATABASE)?;
        let process = process_settings(&binary, &cluster, &base_url)?;
        let program = args.balancer.program()?;
        let api = (0..API_PROCESSES).map(|number| match program {
            None if number == 0 => process("api").env("HATO_LISTEN", listen.to_string()),
            _ => process("api"),
        });
        let workers = (0..WORKERS).map(|_| process("worker"));
        let (api, workers) = tokio::try_join!(
            try_join_all(api.map(ServerLaunch::start)),
            try_join_all(workers.map(ServerLaunch::start)),
        )?;
        let balancer = match program {
            Some(program) => Some(balance(program, listen, &api).await?),
            None => None,
        };
        Ok(Self {
            balancer,
            api,
            workers,
            base_url,
            cluster,
        })
    }

    fn explain(&self, out: &mut impl Write) -> io::Result<()> {
        let in_front = match &self.balancer {
            Some((program, _)) => format!("through {}", program.name()),
            None => "the first api process, without a load balancer".to_owned(),
        };
        writeln!(
            out,
            "\n  A fleet of Hato is running. / Hato のフリートが動いています。\n\n  \
             Open        {} ({in_front})",
            self.base_url
        )?;
        for (role, servers) in [("api", &self.api), ("worker", &self.workers)] {
            for server in servers {
                let process = server.process_id().unwrap_or_default();
                writeln!(out, "  {role:<10}  {}  process {process}", server.url())?;
            }
        }
        writeln!(
            out,
            "  PostgreSQL  psql '{}'\n\n  \
             Register, make an app, and send from its page. Then end a worker in the middle of it\n  \
             with `kill -9` and its number: the others finish what it had.\n\n  \
             Ctrl-C ends everything and removes the database. / Ctrl-C で終了します。\n",
            self.cluster.url(DATABASE)
        )
    }

    async fn end(mut self) -> anyhow::Result<()> {
        drop(self.balancer.take());
        let servers = self.api.iter_mut().chain(&mut self.workers);
        let ended = join_all(servers.map(HatoServer::terminate)).await;
        for status in ended {
            status?;
        }
        Ok(())
    }
}

fn server_binary(chosen: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/release/hato-server");
    let binary = chosen.unwrap_or(built);
    ensure!(
        binary.is_file(),
        "there is no server at {}: run `make build`, or name one with --server",
        binary.display()
    );
    Ok(binary)
}

/// The address with a port that is free, if it names none.
fn with_port(address: SocketAddr) -> anyhow::Result<SocketAddr> {
    let listener = TcpListener::bind(address);
    let listener = listener.with_context(|| format!("cannot listen on {address}"))?;
    Ok(listener.local_addr()?)
}

/// How a process of a role is started, each with a data folder of its own.
fn process_settings(
    binary: &Path,
    cluster: &Cluster,
    base_url: &str,
) -> anyhow::Result<impl Fn(&str) -> ServerLaunch + use<>> {
    let secrets = secrets(binary)?;
    let (binary, base_url) = (binary.to_owned(), base_url.to_owned());
    let database = cluster.url(DATABASE);
    Ok(move |role: &str| {
        let launch = ServerLaunch::new(&binary)
            .env("HATO_ROLE", role)
            .env("HATO_DATABASE_URL", &database)
            .env("HATO_BASE_URL", &base_url)
            .env("HATO_TRUSTED_PROXIES", "127.0.0.0/8")
            .env("HATO_VAPID_SUBJECT", "mailto:fleet@example.com");
        let lines = secrets.lines().filter_map(|line| line.split_once('='));
        lines.fold(launch, |launch, (name, value)| launch.env(name, value))
    })
}

/// New secrets, as `hato-server print-secrets` writes them.
fn secrets(binary: &Path) -> anyhow::Result<String> {
    let folder = tempfile::tempdir()?;
    let printed = Command::new(binary)
        .arg("print-secrets")
        .arg("--data-dir")
        .arg(folder.path())
        .output()?;
    ensure!(printed.status.success(), "no secrets can be made");
    Ok(String::from_utf8(printed.stdout)?)
}

async fn balance(
    program: Program,
    listen: SocketAddr,
    api: &[HatoServer],
) -> anyhow::Result<(Program, LoadBalancer)> {
    let addresses: Vec<_> = api.iter().map(HatoServer::address).collect();
    let balancer = LoadBalancer::start(&program, listen, &addresses).await?;
    Ok((program, balancer))
}
