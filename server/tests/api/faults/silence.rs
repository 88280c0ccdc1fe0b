//! A push service that stops, and starts again.

use hato_testkit::push_service::ScriptedResponse;
use hato_testkit::seeded_rng;
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};

use super::{FAILURE_PERIOD, FaultFixture};
use crate::fixtures::{BINARY, env_or, wait_until_logged};

#[on_each_database(flavor = "multi_thread")]
async fn a_push_service_that_stops_and_starts_again_gets_every_message(database: TestDatabase) {
    let launch = ServerLaunch::on(BINARY, database)
        .env("HATO_RETRY_DELAYS", "2s,4s,8s")
        .env("HATO_LOG", "info,hato_delivery=debug");
    let recipients = env_or("HATO_RECIPIENTS", 5_000);
    // The silence and bad luck together cannot use up anybody's attempts when later requests do not fail.
    let failures_end = recipients / 2;
    let mut fixture = FaultFixture::new(launch, recipients).await;
    fixture
        .push
        .respond_by_number(move |number| match number % FAILURE_PERIOD {
            7 if number < failures_end => ScriptedResponse::Status(500),
            _ => ScriptedResponse::Created,
        });
    let mut rng = seeded_rng::from_env();
    let before = fixture.served();
    let send = fixture.send().await;
    let moment = rng.u64(1..failures_end);
    fixture
        .push
        .wait_until(|seen| seen.total.requests >= moment)
        .await;
    fixture.proxy.close();
    wait_until_logged(&fixture.server, "no connection to a push service").await;
    fixture.proxy.open();
    let outcome = fixture.finish(&send).await;
    let extra = fixture.assert_nothing_lost(&outcome, &before).await;
    println!("stopped after {moment} requests, {extra} extra copies: {outcome}");
    assert_eq!(outcome["failed_count"], 0, "{outcome}");
    assert_eq!(outcome["sent_count"], recipients);
}
