//! The program behind `make fleet`.

use std::{
    env, fs,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::Stdio,
};

use hato_testkit::client::Client;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

/// So many that a load balancer chooses each process among them.
const REQUESTS: usize = 32;

/// Where `scripts/setup test` puts what is not installed.
const VERIFIERS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../server/tests/verifiers/bin"
);

const FLEET: &str = env!("CARGO_BIN_EXE_hato-fleet");

/// The server, which Cargo builds beside the programs of this crate when it runs all tests.
fn server() -> PathBuf {
    let server = Path::new(FLEET).with_file_name("hato-server");
    assert!(
        server.is_file(),
        "build it first: cargo build -p hato-server"
    );
    server
}

fn start(balancer: &str) -> Child {
    let path = env::var("PATH").unwrap_or_default();
    let fleet = Command::new(FLEET)
        .env("PATH", format!("{VERIFIERS}:{path}"))
        .arg("--server")
        .arg(server())
        .args(["--listen", "127.0.0.1:0", "--balancer", balancer])
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    fleet.expect("the program runs")
}

/// What it says of itself.
async fn explanation(fleet: &mut Child) -> Vec<String> {
    let stdout = fleet.stdout.take().expect("it is piped");
    let mut lines = BufReader::new(stdout).lines();
    let mut said = Vec::new();
    while let Some(line) = lines.next_line().await.expect("it is text") {
        let is_last = line.contains("Ctrl-C");
        said.push(line);
        if is_last {
            return said;
        }
    }
    panic!("it has ended: {said:?}");
}

/// Address and number of each process in a role.
fn processes(said: &[String], role: &str) -> Vec<(SocketAddr, u32)> {
    let lines = said
        .iter()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines
        .filter(|words| words.first() == Some(&role))
        .map(|words| {
            let address = words[1].trim_start_matches("http://");
            (
                address.parse().expect("an address"),
                words[3].parse().expect("a number"),
            )
        })
        .collect()
}

/// The folder of the database's socket, as its URL has it.
fn folder(said: &[String]) -> PathBuf {
    let line = said
        .iter()
        .find(|line| line.contains("PostgreSQL"))
        .expect("its line");
    let (_, rest) = line.split_once("host=").expect("a host");
    rest.split('&').next().expect("a folder").into()
}

/// Whether a process was started with this among its words.
fn is_named_by_a_process(words: &Path) -> bool {
    let words = words.display().to_string();
    let processes = fs::read_dir("/proc").expect("Linux").flatten();
    processes
        .filter_map(|process| fs::read(process.path().join("cmdline")).ok())
        .any(|line| String::from_utf8_lossy(&line).contains(&words))
}

async fn signal(name: &str, process: u32) {
    let kill = format!("kill -{name} {process}");
    let sent = Command::new("sh").args(["-c", &kill]).status().await;
    assert!(sent.expect("the shell runs").success());
}

/// What Ctrl-C does.
async fn interrupt(fleet: &mut Child) {
    signal("INT", fleet.id().expect("it runs")).await;
    let status = fleet.wait().await.expect("it is our child");
    assert!(status.success(), "{status}");
}

#[tokio::test]
async fn a_fleet_is_ready_and_leaves_nothing_behind() {
    let mut fleet = start("none");
    let said = explanation(&mut fleet).await;
    let open = said.iter().find(|line| line.contains("Open"));
    let open = open.expect("its line");
    assert!(
        open.ends_with("(the first api process, without a load balancer)"),
        "{open}"
    );
    let (api, workers) = (processes(&said, "api"), processes(&said, "worker"));
    assert_eq!((api.len(), workers.len()), (2, 3), "{said:#?}");
    for (address, process) in api.iter().chain(&workers) {
        let ready = Client::new(*address)
            .get("/readyz")
            .await
            .expect("an answer");
        assert_eq!(ready.status, 200);
        assert!(Path::new(&format!("/proc/{process}")).exists());
    }
    let folder = folder(&said);
    assert!(folder.exists() && is_named_by_a_process(&folder));

    interrupt(&mut fleet).await;
    for (_, process) in api.iter().chain(&workers) {
        assert!(!Path::new(&format!("/proc/{process}")).exists());
    }
    assert!(!folder.exists() && !is_named_by_a_process(&folder));
}

/// Those who ask the load balancer are answered after an api process was killed.
async fn assert_answers_while_an_api_process_lives(balancer: &str, name: &str) {
    let mut fleet = start(balancer);
    let said = explanation(&mut fleet).await;
    let through = format!(" (through {name})");
    let front = said.iter().find_map(|line| {
        let (_, rest) = line.split_once("http://localhost:")?;
        rest.strip_suffix(&through)?.parse().ok()
    });
    let front = front.unwrap_or_else(|| panic!("{name} is not in front: {said:#?}"));
    let front = SocketAddr::from((Ipv4Addr::LOCALHOST, front));
    let api = processes(&said, "api");
    assert!(api.iter().all(|(address, _)| *address != front));
    signal("KILL", api[0].1).await;
    for _ in 0..REQUESTS {
        let ready = Client::new(front).get("/readyz").await;
        assert_eq!(ready.expect("an answer").status, 200);
    }
    interrupt(&mut fleet).await;
}

#[tokio::test]
async fn whoever_asks_caddy_is_answered_while_an_api_process_lives() {
    assert_answers_while_an_api_process_lives("auto", "Caddy").await;
}

#[tokio::test]
async fn whoever_asks_nginx_is_answered_while_an_api_process_lives() {
    assert_answers_while_an_api_process_lives("nginx", "nginx").await;
}
