//! Whether the process lives and its database answers (CONTRACT 1).

use std::fs;
use std::net::SocketAddr;
use std::time::Duration;

use hato_testkit::client::Client;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use tokio::net::TcpListener;
use tokio::process::Command;
use tokio::time::{interval, timeout};

use crate::database::execute;
use crate::fixtures::{BINARY, get, start};

/// Asks until the server says so: what one look at the database finds is told for a second.
async fn wait_until_ready_is(client: &Client, status: u16) {
    let asking = async {
        let mut ticks = interval(Duration::from_millis(100));
        while get(client, "/readyz").await.status != status {
            ticks.tick().await;
        }
    };
    let in_time = timeout(Duration::from_mins(1), asking).await;
    in_time.unwrap_or_else(|_| panic!("/readyz is never {status}"));
    assert_eq!(get(client, "/healthz").await.status, 200);
}

/// Gives another name to what the server looks for: a table of PostgreSQL, the file of SQLite.
async fn rename(server: &HatoServer, from: &str, to: &str) {
    match server.database().folder() {
        None => execute(server, &format!("ALTER TABLE {from} RENAME TO {to}")).await,
        Some(folder) => fs::rename(folder.join(from), folder.join(to)).expect("renamed"),
    }
}

#[on_each_database]
async fn a_server_whose_database_cannot_be_read_lives_but_is_not_ready(database: TestDatabase) {
    let name = if database.is_postgres() {
        "accounts"
    } else {
        "hato.db"
    };
    for role in ["all", "worker"] {
        let launch = ServerLaunch::on(BINARY, database.another().await);
        let server = start(launch.env("HATO_ROLE", role)).await;
        let client = server.client();
        assert_eq!(get(&client, "/readyz").await.status, 200);
        rename(&server, name, "away").await;
        wait_until_ready_is(&client, 503).await;
        rename(&server, "away", name).await;
        wait_until_ready_is(&client, 200).await;
    }
}

/// What `hato-server healthcheck` ends with, and says, of the server there.
async fn healthcheck(listen: SocketAddr) -> (Option<i32>, String) {
    let mut command = Command::new(BINARY);
    command.arg("healthcheck").env_clear();
    let output = command.env("HATO_LISTEN", listen.to_string()).output();
    let output = output.await.expect("the program runs");
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = String::from_utf8(output.stderr).expect("text");
    (output.status.code(), said)
}

#[tokio::test]
async fn healthcheck_says_whether_the_server_is_ready() {
    let database = TestDatabase::sqlite().await;
    let server = start(ServerLaunch::on(BINARY, database)).await;
    let address = server.address();
    assert_eq!(healthcheck(address).await, (Some(0), String::new()));
    rename(&server, "hato.db", "away").await;
    wait_until_ready_is(&server.client(), 503).await;
    let said = format!("hato-server: {address} is not ready: 503 Service Unavailable\n");
    assert_eq!(healthcheck(address).await, (Some(1), said));
}

#[tokio::test]
async fn healthcheck_tells_that_nobody_answers() {
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = silent.local_addr().expect("an address");
    drop(silent);
    let (code, said) = healthcheck(address).await;
    assert_eq!((code, said.lines().count()), (Some(1), 1), "{said}");
    let start = format!("hato-server: nothing at {address} answers: ");
    assert!(said.starts_with(&start), "{said}");
}
