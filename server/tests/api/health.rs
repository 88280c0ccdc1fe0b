//! Whether the process lives and its database answers (CONTRACT 1).

use hato_testkit::server::Launch;

use crate::fixtures::{BINARY, get, start};

#[tokio::test]
async fn a_server_whose_database_cannot_be_read_lives_but_is_not_ready() {
    for role in ["all", "worker"] {
        let server = start(Launch::new(BINARY).env("HATO_ROLE", role)).await;
        let client = server.client();
        let health = async || {
            let (live, ready) = (
                get(&client, "/healthz").await,
                get(&client, "/readyz").await,
            );
            (live.status.as_u16(), ready.status.as_u16())
        };
        assert_eq!(health().await, (200, 200));
        let database = server.data_dir().join("hato.db");
        let away = server.data_dir().join("away.db");
        std::fs::rename(&database, &away).expect("moved");
        assert_eq!(health().await, (200, 503));
        std::fs::rename(&away, &database).expect("moved back");
        assert_eq!(health().await, (200, 200));
    }
}
