//! A push service that wants less, and several processes that each find that out (CONTRACT 17).

use std::ops::Range;

use hato_cluster::Durability;
use hato_testkit::push_service::ScriptedResponse;

use crate::claims::Lost;
use crate::fixtures::{Fleet, FleetSize, wait_until};
use crate::outcome::Served;

const WORKERS: usize = 3;
const RECIPIENTS: usize = 6_000;
/// With how many requests a process begins at a push service that it does not know (16), and as many again that may be on their way when
/// the first answer is counted.
const FIRST_REQUESTS: u64 = 32;

/// The requests in the midst of a send that a push service refuses: as many as its processes have under way at first.
const REFUSED: Range<u64> = 1_000..1_048;

/// Jobs that somebody works on, or that are due before the push service wants more.
const CLAIMED_OR_DUE_JOBS: &str = "SELECT COUNT(*) FROM jobs
    WHERE claimed = 1 OR due_at < extract(epoch FROM now()) * 1000";

/// How many recipients are to be tried again.
const WAITING_RECIPIENTS: &str = "SELECT SUM(json_array_length(recipients::JSON)) FROM jobs";

#[tokio::test(flavor = "multi_thread")]
async fn a_push_service_that_throttles_is_asked_as_often_as_there_are_processes() {
    let size = FleetSize {
        apis: 1,
        workers: WORKERS,
        recipients: RECIPIENTS,
    };
    let fleet = Fleet::start(Durability::None, size).await;
    let pause = ScriptedResponse::RetryAfter(429, "600".into());
    fleet.push.respond_by_default(pause);
    fleet.broadcast(0).await;
    let is_put_off = async || {
        fleet.push.seen(|seen| seen.total.requests) > 0
            && fleet.query(CLAIMED_OR_DUE_JOBS).trim() == "0"
    };
    wait_until(is_put_off, "they try on and on").await;
    let asked = fleet.push.seen(|seen| seen.total.requests);
    assert!(asked <= WORKERS as u64 * FIRST_REQUESTS, "{asked} requests");

    let waiting = fleet.query(WAITING_RECIPIENTS);
    assert_eq!(waiting.trim(), RECIPIENTS.to_string(), "nobody is lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_refused_in_the_midst_of_a_send_is_served_once_by_whichever_process() {
    let size = FleetSize {
        apis: 1,
        workers: WORKERS,
        recipients: RECIPIENTS,
    };
    let fleet = Fleet::start(Durability::None, size).await;
    fleet.push.respond_by_number(|number| {
        if REFUSED.contains(&number) {
            ScriptedResponse::RetryAfter(429, "1".into())
        } else {
            ScriptedResponse::Created
        }
    });
    let send = fleet.broadcast(0).await;
    let outcome = fleet.finish(&send).await;
    fleet.assert_exact(&outcome, &Served::new(), &Lost::default());
    let requests = fleet.push.seen(|seen| seen.total.requests);
    assert!(requests > RECIPIENTS as u64, "nobody was refused");
}
