//! A disk that is full at the database, and has room again (CONTRACT 17).

use std::collections::HashSet;

use hato_cluster::Durability;

use crate::fixtures::{Fleet, FleetSize, wait_until};
use crate::outcome::Served;

const RECIPIENTS: usize = 2_000;

const FULL: &str = "could not extend file";

const FILL: &str = "CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'could not extend file: No space left on device';
    END $$";

/// A fleet of one, a send to everybody, and a disk on which no such change has room until it has failed three times.
async fn send_while_no_room_for(change: &str) {
    let size = FleetSize {
        apis: 1,
        workers: 1,
        recipients: RECIPIENTS,
    };
    let fleet = Fleet::start(Durability::None, size).await;
    fleet.query(FILL);
    fleet.query(&format!(
        "CREATE TRIGGER fill BEFORE {change} FOR EACH ROW EXECUTE FUNCTION fill()"
    ));
    let send = fleet.broadcast(0).await;
    let failures = async || fleet.workers[0].log().matches(FULL).count() >= 3;
    wait_until(failures, "it does not fail").await;
    let in_flight: HashSet<String> = fleet.in_flight();
    let (_, table) = change.split_once(" ON ").expect("a table");
    fleet.query(&format!("DROP TRIGGER fill ON {table}"));
    let outcome = fleet.finish(&send).await;
    fleet.assert_exact(&outcome, &Served::new(), &in_flight);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_for_which_there_is_no_room_is_made_when_there_is() {
    send_while_no_room_for("UPDATE ON jobs").await;
}

/// A page whose send cannot be counted on is not settled, and is there for the next look.
#[tokio::test(flavor = "multi_thread")]
async fn a_settlement_for_which_there_is_no_room_is_made_when_there_is() {
    send_while_no_room_for("UPDATE ON sends").await;
}
