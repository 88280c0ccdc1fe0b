//! SIGKILL at random moments.

use hato_testkit::chance::Chance;
use hato_testkit::push_service::Answer;
use hato_testkit::server::Launch;

use super::{FAILING, Scene};
use crate::stage::BINARY;

const RECIPIENTS: usize = 5_000;
/// What can be in flight when a process dies: eight pages, and those that have stepped aside.
const IN_FLIGHT: u64 = 8 * 500 + 4_096;
/// A process is killed when the push service has seen fewer requests of it than this, so that pages are in flight.
const MOST_REQUESTS: u64 = 400;
/// Recipients that may be so unlucky that each of their attempts fails: of 5,000, with one in 20 failing, 0.03.
const UNLUCKY: u64 = 5;

/// How many kills: a few, or as many as `HATO_KILLS` says.
fn kills() -> u64 {
    let given = std::env::var("HATO_KILLS").ok();
    given.map_or(3, |kills| kills.parse().expect("HATO_KILLS is a number"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_killed_at_any_moment_loses_nothing_and_counts_exactly() {
    let launch = Launch::new(BINARY).env("HATO_RETRY_DELAYS", "200ms,500ms,2s");
    let mut scene = Scene::new(launch, RECIPIENTS).await;
    scene
        .push
        .answer_by_number(|number| match number % FAILING {
            7 => Answer::Status(500),
            _ => Answer::Created,
        });
    let mut chance = Chance::from_env();
    let mut left = kills();
    while left > 0 {
        let before = scene.served();
        let send = scene.send().await;
        let during = left.min(3);
        for _ in 0..during {
            let further = chance.within(1..MOST_REQUESTS);
            let moment = scene.push.seen(|seen| seen.total.requests) + further;
            scene
                .push
                .wait_until(|seen| seen.total.requests >= moment)
                .await;
            scene.server.kill9().await;
            scene.server.restart().await.expect("it starts again");
        }
        left -= during;
        let outcome = scene.finish(&send).await;
        let extra = scene.assert_nothing_lost(&outcome, &before).await;
        assert!(
            outcome["failed_count"].as_u64() <= Some(UNLUCKY),
            "{outcome}"
        );
        println!("{during} kills, {extra} extra copies to {RECIPIENTS}: {outcome}");
        assert!(extra <= during * IN_FLIGHT);
    }
}
