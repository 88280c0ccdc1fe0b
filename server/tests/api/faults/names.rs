//! Name servers that answer nobody, for a while.

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use hato_testkit::push_service::{PushService, PushServiceOptions};
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::json;
use tempfile::TempDir;

use super::own_mounts::program;
use crate::fixtures::{app, post, register, start, wait_until, wait_until_logged};

/// The only name server is one that is not there.
const NAME_SERVERS: &str = "nameserver 127.9.9.9\n";

/// The second attempt is made when no look-up has succeeded for 30 s, and what fails then has failed for good a moment later.
const RETRY_DELAYS: &str = "40s,1ms,1ms";

#[on_each_database(flavor = "multi_thread")]
async fn without_name_servers_nobodys_attempt_is_used_up(database: TestDatabase) {
    let folder = TempDir::new().expect("a temporary folder");
    let [hosts, name_servers] = ["hosts", "resolv.conf"].map(|name| folder.path().join(name));
    fs::copy("/etc/hosts", &hosts).expect("it is there");
    fs::write(&name_servers, NAME_SERVERS).expect("written");
    let mounting = format!(
        r#"mount --bind '{}' /etc/hosts && mount --bind '{}' /etc/resolv.conf && exec "$@""#,
        hosts.display(),
        name_servers.display()
    );
    let options = PushServiceOptions {
        host: "push.test".into(),
        ..PushServiceOptions::default()
    };
    let push = PushService::start_with(options).await;
    let push = push.expect("a push service");
    let launch = ServerLaunch::on(program(&folder, &mounting), database)
        .with_push_service(&push)
        .env("HATO_RETRY_DELAYS", RETRY_DELAYS);
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    register(
        &app.frontend,
        &[push.subscribe(Some(&app.vapid_public_key))],
    )
    .await;
    let message = json!({"title": "t", "body": "b"});
    let accepted = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(accepted.status, 202, "{accepted}");
    wait_until_logged(&server, "look-ups fail on this machine").await;
    let mut hosts = OpenOptions::new()
        .append(true)
        .open(hosts)
        .expect("our file");
    writeln!(hosts, "127.0.0.1 push.test").expect("written");

    let path = format!("/api/v1/apps/{}/notifications", app.id);
    let history = wait_until(&app.owner, &path, |it| it["items"][0]["status"] == "done").await;
    let send = &history["items"][0];
    assert_eq!(send["sent_count"], 1, "{send}");
    let log = server.log();
    for line in ["look-ups fail on this machine", "look-ups succeed again"] {
        assert_eq!(log.matches(line).count(), 1, "{log}");
    }
}
