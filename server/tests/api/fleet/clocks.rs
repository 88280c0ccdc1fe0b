//! A process whose clock is not the database's delivers nothing until it is.

use hato_testkit::TestDatabase;
use hato_testkit::push_service::PushService;
use hato_testkit::server::ServerLaunch;
use serde_json::json;

use crate::fixtures::{BINARY, app, post, register, start, wait_until_logged};

/// The database's clock is behind everybody's, for who looks for the function in the order of these schemas.
const SET_BACK: &str = "
    CREATE SCHEMA other;
    CREATE FUNCTION other.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS
        'SELECT pg_catalog.clock_timestamp() - INTERVAL ''13 seconds''';
    DO $$ BEGIN
        EXECUTE 'ALTER DATABASE ' || current_database()
                || ' SET search_path = other, pg_catalog, public';
    END $$;";

const WARNING: &str = "this machine's clock is 13 s ahead of the database's: let NTP set both";
const HELD: &str =
    "nothing is delivered from here while this machine's clock is 13 s ahead of the database's";
const GOES_ON: &str = "the clock is right again";

#[tokio::test]
async fn who_is_13_seconds_ahead_says_so_and_delivers_when_the_clocks_agree() {
    let service = PushService::start().await;
    let database = TestDatabase::postgres().await;
    database.execute(SET_BACK);
    let server = start(ServerLaunch::on(BINARY, database).with_push_service(&service)).await;
    let app = app(&server, "owner@example.com").await;
    let browser = service.subscribe(Some(&app.vapid_public_key));
    register(&app.backend, std::slice::from_ref(&browser)).await;
    let message = json!({"title": "t", "body": "b"});
    let accepted = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(accepted.status, 202, "{accepted}");
    wait_until_logged(&server, HELD).await;
    assert_eq!(service.seen(|seen| seen.total.requests), 0);

    server
        .database()
        .execute("DROP FUNCTION other.clock_timestamp()");
    service
        .wait_until(|seen| seen.counts(&browser.id).created == 1)
        .await;
    let log = server.log();
    for line in [WARNING, HELD, GOES_ON] {
        assert_eq!(log.matches(line).count(), 1, "{line}: {log}");
    }
}
