//! PostgreSQL databases that cannot be used, or not for a while: one clear line each, and nothing is lost.

use std::process::{Command, Output, Stdio};

use futures_util::future::join_all;
use hato_cluster::{Cluster, Durability};
use hato_testkit::TestDatabase;
use hato_testkit::old_postgres::old_postgres;
use hato_testkit::push_service::PushService;
use hato_testkit::secured_cluster::SecuredCluster;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::test_ca::TestCa;
use serde_json::json;
use tokio::task::JoinSet;

use crate::database::{DatabaseConnection, value};
use crate::fixtures::{
    BINARY, app, get, post, register, start, status_and_code, wait_until_logged,
};

const PEPPER: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const ENCRYPTION_KEY: &str = "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100";

/// Requests at a time, of which each would take a connection if it could.
const REQUESTS: usize = 64;

/// What a server logs that hears nobody.
const POLLS: &str = "wake-ups of other processes are not heard; their work is found by polling: \
                     behind a transaction pooler set HATO_DATABASE_LISTEN=false";

const FILL_DISK: &str = "
    CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'could not extend file: No space left on device';
    END $$;
    CREATE TRIGGER fill BEFORE INSERT ON sends FOR EACH ROW EXECUTE FUNCTION fill();";

const FALL_ASLEEP: &str = "
    CREATE FUNCTION fall_asleep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_sleep(600); RETURN NEW;
    END $$;
    CREATE TRIGGER fall_asleep BEFORE INSERT ON sends FOR EACH ROW EXECUTE FUNCTION fall_asleep();";

/// The program's end, which is its start's.
fn serve(url: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(BINARY);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("HATO_")) {
        command.env_remove(name);
    }
    command
        .arg("serve")
        .env("HATO_DATA_DIR", folder.path())
        .env("HATO_LISTEN", "127.0.0.1:0")
        .env("HATO_DATABASE_URL", url)
        .env("HATO_DATABASE_ACQUIRE_TIMEOUT", "5s")
        .env("HATO_PEPPER", PEPPER)
        .env("HATO_ENCRYPTION_KEY", ENCRYPTION_KEY)
        .stdin(Stdio::null())
        .output()
        .expect("the program runs")
}

/// The start ended with this exit code and one line that says this, and not the password.
fn assert_refused(url: &str, exit_code: i32, says: &str) {
    let output = serve(url);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(exit_code), "{says}: {stderr}");
    let last: Vec<_> = stderr
        .lines()
        .filter(|line| line.starts_with("hato-server: "))
        .collect();
    assert_eq!(last.len(), 1, "{says}: {stderr}");
    assert!(last[0].contains(says), "{says}: {stderr}");
    let all = [output.stdout, output.stderr].concat();
    let all = String::from_utf8_lossy(&all).into_owned();
    assert!(
        [
            "password@",
            "the-password",
            "hato:8123",
            "the-beginning",
            SecuredCluster::PASSWORD
        ]
        .iter()
        .all(|secret| !all.contains(secret)),
        "{all}"
    );
}

#[test]
fn a_standby_ends_the_start_with_one_line() {
    let primary = Cluster::start(Durability::Full).expect("a cluster");
    primary.create_database("hato").expect("a database");
    let standby = primary.start_standby(Durability::Full).expect("a standby");
    assert_refused(
        &standby.url("hato"),
        1,
        "this PostgreSQL is read-only: a standby",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_cannot_be_used_ends_the_start_with_one_line() {
    let database = TestDatabase::postgres().await;
    let read_only = format!(
        "{}&options=-c%20default_transaction_read_only%3Don",
        database.url()
    );
    let missing = database.url().replace(":///test_", ":///no_such_");
    for (url, exit_code, says) in [
        (
            "postgres://hato:the-password@127.0.0.1:1/hato",
            1,
            "cannot reach PostgreSQL at 127.0.0.1:1",
        ),
        (
            "postgres://hato:the-password@127.0.0.1:port/hato",
            2,
            "HATO_DATABASE_URL takes ",
        ),
        (
            "postgres://hato:the-password@127.0.0.1/hato?sslmode=always",
            2,
            "HATO_DATABASE_URL takes ",
        ),
        (
            "postgres://hato:8123/the-password@127.0.0.1/hato",
            2,
            "percent-encoded",
        ),
        (
            "postgres://hato:8123?the-password@127.0.0.1/hato",
            2,
            "percent-encoded",
        ),
        (
            "postgres://hato:x@the-beginning#the-password@127.0.0.1/hato",
            2,
            "percent-encoded",
        ),
        (
            "postgres://hato:x@the-beginning?3the-password@127.0.0.1:5499/hato",
            2,
            "percent-encoded",
        ),
        (
            "postgres://hato:x@the-beginning?the-password=y@127.0.0.1:5499/hato",
            2,
            "percent-encoded",
        ),
        (
            "postgres://hato:x@the-beginning?user=the-password@127.0.0.1:5499/hato",
            2,
            "percent-encoded",
        ),
        (read_only.as_str(), 1, "this PostgreSQL is read-only"),
        (
            missing.as_str(),
            1,
            "does not exist; make it with: createdb",
        ),
    ] {
        assert_refused(url, exit_code, says);
    }
    database.execute("UPDATE _sqlx_migrations SET success = false WHERE version = 2");
    assert_refused(
        database.url(),
        1,
        "cannot migrate the database: migration 2 is partially applied",
    );
}

/// The driver ignores them, and would connect without what they ask for.
#[test]
fn parameters_that_are_not_known_end_the_start_with_their_name() {
    let known = "hostaddr=127.0.0.1&port=1&dbname=hato&user=hato&password=the-password\
                 &application_name=hato&options=-c%20work_mem%3D4MB&options[jit]=off\
                 &options%5Bjit%5D=off&sslmode=prefer&sslrootcert=a&sslcert=b&sslkey=c\
                 &connect_timeout=10&target_session_attrs=read-write&keepalives_idle=30";
    for (parameters, exit_code, says) in [
        (known, 1, "cannot reach PostgreSQL at 127.0.0.1:1"),
        ("sslMode=verify-full", 2, "the parameter \"sslMode\""),
        ("ssl_mode=verify-full", 2, "the parameter \"ssl_mode\""),
        (
            "sslmode=require&channel_binding=require",
            2,
            "the parameter \"channel_binding\"",
        ),
        ("sslpassword=the-password", 2, "\"sslpassword\""),
        ("options[jit=off", 2, "\"options[jit\""),
        ("password=a&the-beginning=b", 2, "percent-encoded"),
        ("password=a&the-beginning", 2, "percent-encoded"),
        ("sslrootcert=a#&sslmode=verify-full", 2, "percent-encoded"),
    ] {
        let url = format!("postgres://hato:the-password@127.0.0.1:1/hato?{parameters}");
        assert_refused(&url, exit_code, says);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_is_too_old_ends_the_start_with_the_one_that_is_needed() {
    let address = old_postgres().await;
    let url = format!("postgres://hato:the-password@{address}/hato?sslmode=disable");
    let says = "this PostgreSQL is version 14; version 15 or later is needed";
    assert_refused(&url, 1, says);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_pooler_that_nobody_spoke_of_ends_the_start_with_the_setting_for_it() {
    let database = TestDatabase::postgres().await.behind_pooler();
    let says = "set HATO_DATABASE_PREPARED_STATEMENTS=false";
    assert_refused(database.url(), 1, says);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_and_certificate_end_the_start_with_one_line() {
    let authority = TestCa::new();
    let cluster = SecuredCluster::start(&authority).await;
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("root.pem");
    authority.write_pem(&root).expect("written");
    let verified = |address, password: &str| {
        let root = root.display();
        format!(
            "postgres://guest:{password}@{address}/guest?sslmode=verify-full&sslrootcert={root}"
        )
    };
    let (named, unnamed) = (cluster.address(), cluster.unnamed_address());
    let wrong = verified(named, "not-the-password");
    assert_refused(&wrong, 1, "PostgreSQL refuses the user or the password");
    let unnamed = verified(unnamed, SecuredCluster::PASSWORD);
    assert_refused(&unnamed, 1, "no TLS connection to PostgreSQL");
    cluster.execute("ALTER ROLE guest CONNECTION LIMIT 0");
    let right = verified(named, SecuredCluster::PASSWORD);
    assert_refused(&right, 1, "PostgreSQL has no connection left");
    cluster.execute("ALTER SYSTEM SET ssl = off");
    cluster.cluster().kill().expect("stopped");
    cluster.cluster().restart().expect("started without TLS");
    let password = SecuredCluster::PASSWORD;
    let insecure = format!("postgres://guest:{password}@{named}/guest?sslmode=require");
    assert_refused(&insecure, 1, "no TLS connection to PostgreSQL");
}

#[tokio::test]
async fn a_send_that_a_full_disk_refuses_is_an_error_and_the_next_is_taken() {
    let server = start(ServerLaunch::on(BINARY, TestDatabase::postgres().await)).await;
    let app = app(&server, "owner@example.com").await;
    server.database().execute(FILL_DISK);
    let message = json!({"title": "t", "body": "secret content"});
    let refused = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(
        status_and_code(&refused),
        (500, "INTERNAL_ERROR".to_owned())
    );
    assert!(!refused.text().contains("space"), "{refused}");
    assert!(server.log().contains("No space left on device"));
    assert!(!server.log().contains("secret content"));
    server.database().execute("DROP TRIGGER fill ON sends");
    let accepted = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(accepted.status, 202, "{accepted}");
    let sends = get(
        &app.owner,
        &format!("/api/v1/apps/{}/notifications", app.id),
    )
    .await
    .json();
    assert_eq!(sends["items"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_migration_for_which_there_is_no_room_ends_the_start_with_one_line() {
    let database = TestDatabase::empty_postgres();
    database.execute(
        "CREATE FUNCTION fill() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
            RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'could not extend file: No space left on device';
         END $$;
         CREATE EVENT TRIGGER fill ON ddl_command_start EXECUTE FUNCTION fill()",
    );
    assert_refused(database.url(), 1, "No space left on device");
    database.execute("DROP EVENT TRIGGER fill");
    start(ServerLaunch::on(BINARY, database)).await;
}

#[tokio::test]
async fn a_statement_that_takes_too_long_is_ended_and_nothing_comes_of_it() {
    let launch = ServerLaunch::on(BINARY, TestDatabase::postgres().await);
    let launch = launch.env("HATO_DATABASE_STATEMENT_TIMEOUT", "1s");
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    server.database().execute(FALL_ASLEEP);
    let message = json!({"title": "t", "body": "b"});
    let refused = post(&app.backend, "/api/v1/notify", &message).await;
    let internal_error = (500, "INTERNAL_ERROR".to_owned());
    assert_eq!(status_and_code(&refused), internal_error);
    let says = "canceling statement due to statement timeout";
    assert!(server.log().contains(says), "{}", server.log());
    server
        .database()
        .execute("DROP TRIGGER fall_asleep ON sends");
    let accepted = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(accepted.status, 202, "{accepted}");
    let sends: i64 = value(&server, "SELECT COUNT(*) FROM sends").await;
    assert_eq!(sends, 1);
}

async fn is_delivered(server: &HatoServer, service: &PushService) {
    let app = app(server, "owner@example.com").await;
    let browser = service.subscribe(Some(&app.vapid_public_key));
    register(&app.backend, std::slice::from_ref(&browser)).await;
    let message = json!({"title": "t", "body": "b"});
    let accepted = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(accepted.status, 202, "{accepted}");
    service
        .wait_until(|seen| seen.counts(&browser.id).created == 1)
        .await;
}

#[tokio::test]
async fn behind_a_transaction_pooler_it_delivers_and_says_once_that_it_polls() {
    let service = PushService::start().await;
    let database = TestDatabase::postgres().await.behind_pooler();
    let launch = ServerLaunch::on(BINARY, database)
        .env("HATO_DATABASE_PREPARED_STATEMENTS", "false")
        .with_push_service(&service);
    let server = start(launch).await;
    is_delivered(&server, &service).await;
    wait_until_logged(&server, POLLS).await;
    assert_eq!(server.log().matches(POLLS).count(), 1);
    service.assert_no_violations();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_has_no_more_connections_than_it_may() {
    let launch = ServerLaunch::on(BINARY, TestDatabase::postgres().await);
    let server = start(launch.env("HATO_DATABASE_CONNECTIONS", "3")).await;
    let app = app(&server, "owner@example.com").await;
    let path = format!("/api/v1/apps/{}", app.id);
    for _ in 0..4 {
        let asking = (0..REQUESTS).map(|_| get(&app.owner, &path));
        let (answers, connections) = tokio::join!(join_all(asking), connections(&server));
        assert!(answers.iter().all(|answer| answer.status == 200));
        assert!((1..=3).contains(&connections), "{connections}");
    }
}

/// Two servers that differ in this alone, and all of whose connections are in use: whoever was asked first still waits when the other
/// has given up twice.
#[tokio::test(flavor = "multi_thread")]
async fn who_waits_for_a_connection_waits_for_as_long_as_it_may() {
    let launch = ServerLaunch::on(BINARY, TestDatabase::postgres().await)
        .env("HATO_ROLE", "api")
        .env("HATO_DATABASE_CONNECTIONS", "2")
        .env("HATO_DATABASE_LISTEN", "false")
        .env("HATO_DATABASE_STATEMENT_TIMEOUT", "1h")
        .env("HATO_DATABASE_LOCK_TIMEOUT", "1h");
    let waiting_for = |time| launch.clone().env("HATO_DATABASE_ACQUIRE_TIMEOUT", time);
    let (patient, hasty) = (
        start(waiting_for("1h")).await,
        start(waiting_for("5s")).await,
    );
    let app = app(&hasty, "owner@example.com").await;
    let mut connection = DatabaseConnection::to(&hasty).await;
    let lock = "BEGIN; LOCK TABLE dead_letters IN ACCESS EXCLUSIVE MODE";
    connection.execute(lock).await;
    let mut occupying = JoinSet::new();
    for server in [&patient, &hasty].repeat(2) {
        let owner = app.owner.at(server.address());
        let path = format!("/api/v1/apps/{}/dead-letters", app.id);
        occupying.spawn(async move { get(&owner, &path).await });
    }
    let occupied = "SELECT COUNT(*) FROM pg_stat_activity
                    WHERE datname = current_database() AND wait_event_type = 'Lock'";
    connection
        .wait_for_count(occupied, |count| count == 4)
        .await;

    let owner = app.owner.at(patient.address());
    let waiting = tokio::spawn(async move { get(&owner, "/api/v1/apps").await });
    for _ in 0..2 {
        let refused = get(&app.owner, "/api/v1/apps").await;
        assert_eq!(status_and_code(&refused), (503, "OVERLOADED".to_owned()));
    }
    let gave_up = "gave no connection in time, or all 2 of this process were in use";
    assert!(hasty.log().contains(gave_up), "{}", hasty.log());
    connection.execute("ROLLBACK").await;
    let answer = waiting.await.expect("no panic");
    assert_eq!(answer.status, 200, "{answer}");
    for answer in occupying.join_all().await {
        assert_eq!(answer.status, 200, "{answer}");
    }
    assert!(!patient.log().contains(gave_up), "{}", patient.log());
}

/// How many of them a server has.
async fn connections(server: &HatoServer) -> i64 {
    let connections = "SELECT COUNT(*) FROM pg_stat_activity
                       WHERE datname = current_database() AND pid <> pg_backend_pid()";
    value(server, connections).await
}
