//! Whether the process lives and its database answers (CONTRACT 1).

use std::time::Duration;

use hato_testkit::client::Client;
use hato_testkit::server::Launch;
use tokio::time::{interval, timeout};

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

#[tokio::test]
async fn a_server_whose_database_cannot_be_read_lives_but_is_not_ready() {
    for role in ["all", "worker"] {
        let server = start(Launch::new(BINARY).env("HATO_ROLE", role)).await;
        let client = server.client();
        assert_eq!(get(&client, "/readyz").await.status, 200);
        let database = server.data_dir().join("hato.db");
        let away = server.data_dir().join("away.db");
        std::fs::rename(&database, &away).expect("moved");
        wait_until_ready_is(&client, 503).await;
        std::fs::rename(&away, &database).expect("moved back");
        wait_until_ready_is(&client, 200).await;
    }
}
