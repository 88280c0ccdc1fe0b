//! SIGKILL at random moments.

use std::time::Duration;

use hato_testkit::chance::Chance;
use hato_testkit::push_service::Answer;
use hato_testkit::server::Launch;

use super::{FAILING, Scene};
use crate::stage::BINARY;

const RECIPIENTS: usize = 5_000;
/// What can be in flight when a process dies: eight pages, and those that have stepped aside.
const IN_FLIGHT: u64 = 8 * 500 + 4_096;
/// The latest moment of a kill after a start, in milliseconds.
const LATEST: u64 = 1_500;

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
        let during = left.min(5);
        for _ in 0..during {
            let moment = Duration::from_millis(chance.within(0..LATEST));
            tokio::time::sleep(moment).await;
            scene.server.kill9().await;
            scene.server.restart().await.expect("it starts again");
        }
        left -= during;
        let outcome = scene.finish(&send).await;
        let extra = scene.assert_nothing_lost(&outcome, &before);
        println!("{during} kills, {extra} extra copies to {RECIPIENTS}: {outcome}");
        assert!(extra <= during * IN_FLIGHT);
    }
}
