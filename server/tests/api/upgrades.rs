//! Processes of two versions on one PostgreSQL database, as they meet in a rolling upgrade (CONTRACT 17).

mod earlier_tables;
mod killed;
mod later_tables;
mod send_in_progress;

use std::collections::HashSet;
use std::time::Duration;

use hato_testkit::TestDatabase;
use hato_testkit::client::Client;
use hato_testkit::push_service::{PushService, PushServiceOptions, ScriptedResponse};
use hato_testkit::server::ServerLaunch;
use serde_json::json;
use sqlx::{Connection as _, PgConnection};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};
use tokio::time::{interval, timeout};

use crate::fixtures::{BINARY, app, get, post, register, start};

/// How long a process may take to stop (CONTRACT 1).
const STOP_TIMEOUT: Duration = Duration::from_secs(20);

/// More statements than two looks at the tables are.
const STATEMENTS: usize = 12;

/// A server of a fleet.
fn process(database: &TestDatabase) -> ServerLaunch {
    ServerLaunch::new(BINARY)
        .env("HATO_DATABASE_URL", database.url())
        .env("HATO_PEPPER", "ab".repeat(32))
        .env("HATO_ENCRYPTION_KEY", "cd".repeat(32))
}

/// A process, and its log.
struct LoggedProcess {
    child: Child,
    log: Lines<BufReader<ChildStderr>>,
}

impl LoggedProcess {
    /// A server that leaves the tables to others.
    fn patient(launch: &ServerLaunch) -> Self {
        Self::start(
            &launch.clone().env("HATO_DATABASE_MIGRATE", "false"),
            "serve",
        )
    }

    fn start(launch: &ServerLaunch, command: &str) -> Self {
        let mut child = launch.command(command).spawn().expect("the program runs");
        let log = child.stderr.take().expect("it is piped");
        Self {
            child,
            log: BufReader::new(log).lines(),
        }
    }

    /// The rest of the next line of the log that has these words.
    async fn next_line(&mut self, words: &str) -> String {
        while let Some(line) = self.log.next_line().await.expect("it is text") {
            if let Some((_, rest)) = line.split_once(words) {
                return rest.to_owned();
            }
        }
        panic!("the process has ended without {words}");
    }

    async fn signal(&self, signal: &str) {
        let id = self.child.id().expect("it runs");
        let script = format!("kill -{signal} {id}");
        let sent = Command::new("sh").args(["-c", &script]).status().await;
        assert!(sent.expect("a shell").success());
    }

    /// Asks it to stop with this signal, and returns its exit code and the rest of its log.
    async fn stop(mut self, signal: &str) -> (Option<i32>, Vec<String>) {
        self.signal(signal).await;
        let ended = timeout(STOP_TIMEOUT, self.child.wait()).await;
        let status = ended.expect("it stops in time").expect("it ends");
        let mut log = Vec::new();
        while let Some(line) = self.log.next_line().await.expect("it is text") {
            log.push(line);
        }
        (status.code(), log)
    }

    /// The client of a server, once it listens.
    async fn client(&mut self) -> Client {
        let address = self.next_line("listening on http://").await;
        Client::new(address.trim().parse().expect("an address"))
    }
}

/// Runs `hato-server migrate` to its end, where the start migrates nothing.
async fn migrate(launch: &ServerLaunch) {
    let launch = launch.clone().env("HATO_DATABASE_MIGRATE", "false");
    let migrated = launch.command("migrate").output().await;
    let migrated = migrated.expect("the program runs");
    let log = String::from_utf8_lossy(&migrated.stderr);
    assert!(migrated.status.success(), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_does_not_migrate_waits_for_newer_tables() {
    let database = TestDatabase::empty_postgres();
    let launch = process(&database);
    let mut patient = LoggedProcess::patient(&launch);
    patient
        .next_line("waiting until another process has migrated")
        .await;
    migrate(&launch).await;
    let client = patient.client().await;
    assert_eq!(get(&client, "/readyz").await.status, 200);
}

/// Returns when others have run so many statements in the database.
async fn until_others_have_run(database: &TestDatabase, statements: usize) {
    let connection = PgConnection::connect(database.url()).await;
    let mut connection = connection.expect("the database");
    let watching = async {
        let (mut ticks, mut seen) = (interval(Duration::from_millis(20)), HashSet::new());
        while seen.len() < statements {
            ticks.tick().await;
            let started: Option<String> = sqlx::query_scalar(
                "SELECT max(query_start)::text FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()",
            )
            .fetch_one(&mut connection)
            .await
            .expect("asked");
            seen.extend(started);
        }
    };
    timeout(Duration::from_mins(1), watching)
        .await
        .expect("they run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_waits_for_tables_says_so_once_and_stops_when_it_is_told_to() {
    for signal in ["TERM", "INT"] {
        let database = TestDatabase::empty_postgres();
        let mut patient = LoggedProcess::patient(&process(&database));
        let waits = "waiting until another process has migrated";
        patient.next_line(waits).await;
        until_others_have_run(&database, STATEMENTS).await;
        let (code, log) = patient.stop(signal).await;
        assert_eq!(code, Some(0), "{log:?}");
        assert!(!log.iter().any(|line| line.contains(waits)), "{log:?}");
    }
}

/// The attempts made of each page that waits, is claimed by nobody and is due.
async fn released_pages(database: &TestDatabase) -> Vec<i64> {
    let connection = PgConnection::connect(database.url()).await;
    let pages = sqlx::query_scalar(
        "SELECT attempt FROM jobs
         WHERE claimed = 0 AND due_at <= extract(epoch FROM clock_timestamp()) * 1000",
    );
    let mut connection = connection.expect("the database");
    let pages = pages.fetch_all(&mut connection).await;
    pages.expect("they are read")
}

/// Connecting takes less time than it may, and so does waiting for a response, but both together take longer than a process that stops
/// waits for what is in flight.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_is_stopped_hands_its_pages_to_the_others_at_once() {
    let push = PushService::start_with(PushServiceOptions {
        handshake_delay: Duration::from_secs(7),
        ..PushServiceOptions::default()
    });
    let push = push.await.expect("a free port");
    let launch = ServerLaunch::on(BINARY, TestDatabase::postgres().await).with_push_service(&push);
    let mut server = start(launch.clone()).await;
    let app = app(&server, "owner@example.com").await;
    let browsers = push.subscribe_many(Some(&app.vapid_public_key), 5);
    register(&app.admin, &browsers).await;
    push.respond_by_default(ScriptedResponse::Hang);
    let message = json!({"title": "t", "body": "b"});
    let sent = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(sent.status, 202, "{sent}");
    let claimed = async {
        let mut ticks = interval(Duration::from_millis(20));
        while !released_pages(server.database()).await.is_empty() {
            ticks.tick().await;
        }
    };
    let in_time = timeout(Duration::from_mins(1), claimed).await;
    in_time.expect("the page is claimed");

    let stopped = timeout(STOP_TIMEOUT, server.terminate()).await;
    let status = stopped.expect("it stops in time").expect("it stops");
    assert_eq!(status.code(), Some(0), "{}", server.log());
    let releases = "draining takes too long: releasing what is in flight";
    assert!(server.log().contains(releases), "{}", server.log());
    let attempts = released_pages(server.database()).await;
    assert_eq!(attempts, [0], "no lease is to be waited for");

    push.respond_by_default(ScriptedResponse::Created);
    let _other = start(launch).await;
    push.wait_until(|seen| seen.total.created == 5).await;
}
