//! A disk that is full at the database, and has room again (CONTRACT 17).

use hato_cluster::Durability;
use serde_json::json;

use crate::acceptor::Acceptor;
use crate::claims::Lost;
use crate::fixtures::{
    DATABASE, Fleet, FleetSize, cluster, wait_until, wait_until_logged, wait_until_ready_is,
};
use crate::outcome::Served;

const RECIPIENTS: usize = 2_000;
/// Requests that the push service has seen when the disk is full.
const BEFORE_FULL: u64 = 300;

/// The log (WAL) is files of this size, which have their space from the start.
const LOG_FILE_BYTES: u64 = 16 << 20;
/// A table grows by twice as much.
const HALF_A_BLOCK: u64 = 4 << 10;

/// Makes the table of sends longer than a file of the log, and each further send one for which it has to grow.
const BLOAT: &str = "ALTER TABLE sends SET (autovacuum_enabled = off);
    BEGIN;
    INSERT INTO sends SELECT (jsonb_populate_record(send, jsonb_build_object(
        'id', 'filler_' || number, 'body', repeat('x', 1500)))).*
    FROM sends AS send, generate_series(1, 12000) AS number
    WHERE send.id = (SELECT MIN(id) FROM sends);
    ROLLBACK;
    ALTER TABLE sends SET (fillfactor = 10)";

const FULL: &str = "could not extend file";

/// A sequence counts what is rolled back too.
const FILL: &str = "CREATE SEQUENCE failures;
    CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        PERFORM nextval('failures');
        RAISE EXCEPTION USING ERRCODE = 'disk_full', MESSAGE = 'could not extend file: No space left on device';
    END $$";

/// A fleet of one, a send to everybody, and a disk on which no such change has room until it has failed three times, of which the log says the
/// first. When there is room it says `recovery`.
async fn send_while_no_room_for(change: &str, recovery: &str) {
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
    let failures = async || fleet.query("SELECT last_value >= 3 FROM failures") == "t";
    wait_until(failures, "it does not fail").await;
    let (_, table) = change.split_once(" ON ").expect("a table");
    fleet.query(&format!("DROP TRIGGER fill ON {table}"));
    let outcome = fleet.finish(&send).await;
    fleet.assert_exact(&outcome, &Served::new(), &Lost::default());
    // The worker logs after the commit by which others know that it is done.
    wait_until_logged(&fleet.workers[0], recovery).await;
    let log = fleet.workers[0].log();
    for line in [FULL, recovery] {
        assert_eq!(log.matches(line).count(), 1, "{log}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_for_which_there_is_no_room_is_made_when_there_is() {
    send_while_no_room_for("UPDATE ON jobs", "the queue can be asked again").await;
}

/// A page whose send cannot be counted on is not settled, and is there for the next look.
#[tokio::test(flavor = "multi_thread")]
async fn a_settlement_for_which_there_is_no_room_is_made_when_there_is() {
    send_while_no_room_for("UPDATE OF sent ON sends", "pages are settled again").await;
}

impl Fleet {
    /// From now on the table of sends cannot grow. All else can be written.
    fn fill_disk_of_sends(&self) {
        self.query(BLOAT);
        let bytes = self.query("SELECT pg_relation_size('sends')");
        let bytes: u64 = bytes.parse().expect("a number");
        assert!(bytes > LOG_FILE_BYTES, "{bytes}");
        let limited = self.cluster.limit_files(Some(bytes + HALF_A_BLOCK));
        limited.expect("limited");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_there_is_no_room_to_accept_is_accepted_when_there_is() {
    let size = FleetSize {
        apis: 1,
        workers: 1,
        recipients: RECIPIENTS,
    };
    let cluster = cluster(Durability::None);
    let url = cluster.url(DATABASE);
    let fleet = Fleet::start_slow(cluster, size, &[("HATO_DATABASE_URL", &url)]).await;
    let send = fleet.broadcast(0).await;
    fleet.get_under_way(BEFORE_FULL, &send).await;
    fleet.fill_disk_of_sends();
    let client = fleet.at(&fleet.app.backend, 0);
    // A short one may have room beside a row that has a block of the table to itself.
    let message = json!({"title": "t", "body": "b".repeat(1_000)});
    let refused = client.post("/api/v1/notify", &message).await;
    let refused = refused.expect("an answer");
    assert_eq!(refused.status, 500, "{refused}");
    assert_eq!(refused.code(), "INTERNAL_ERROR");
    let acceptor = Acceptor::start(&fleet, &fleet.browsers);
    let refusals = async || fleet.apis[0].log().matches(FULL).count() >= 3;
    wait_until(refusals, "it is not refused").await;
    fleet.cluster.limit_files(None).expect("lifted");

    let outcome = fleet.finish(&send).await;
    let accepted = acceptor.stop().await;
    println!("{} accepted besides {outcome}", accepted.len());
    let served = fleet.assert_accepted(&accepted, RECIPIENTS).await;
    fleet.assert_exact(&outcome, &served, &Lost::default());
}

/// PostgreSQL ends by itself then.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_whose_log_has_no_room_loses_nothing() {
    let size = FleetSize {
        apis: 2,
        workers: 3,
        recipients: RECIPIENTS,
    };
    let cluster = cluster(Durability::Full);
    let url = cluster.url(DATABASE);
    let fleet = Fleet::start_slow(cluster, size, &[("HATO_DATABASE_URL", &url)]).await;
    let traffic = fleet.begin_traffic().await;
    fleet.get_under_way(BEFORE_FULL, &traffic.send).await;
    fleet.cluster.limit_files(Some(1)).expect("limited");
    wait_until_ready_is(fleet.servers(), 503).await;
    let has_ended = async || fleet.cluster.process_id().is_none();
    wait_until(has_ended, "PostgreSQL goes on").await;

    fleet.cluster.restart().expect("it starts again");
    wait_until_ready_is(fleet.servers(), 200).await;
    fleet
        .assert_traffic_exact(traffic, Fleet::lose_of_earlier_databases)
        .await;
}
