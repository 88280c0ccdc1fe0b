//! What was accepted is on disk, whatever the defaults of the PostgreSQL database are (CONTRACT 17).

use hato_testkit::TestDatabase;
use hato_testkit::server::ServerLaunch;
use serde_json::json;

use crate::database::values;
use crate::fixtures::{BINARY, app, post, start};

/// Notes how each transaction that accepts a send commits, when it does.
const NOTE_COMMITS: &str = "
    CREATE TABLE commits (setting TEXT, whose TEXT);
    CREATE FUNCTION note_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO commits SELECT setting, source FROM pg_settings WHERE name = 'synchronous_commit';
        RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER note_commit AFTER INSERT ON sends
        DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_commit();";

/// Makes it the default of every session that begins later, of all users or of this one.
fn set_default(database: &TestDatabase, of_user: bool, default: &str) {
    let whose = if of_user {
        "format('ROLE %I IN DATABASE %I', current_user, current_database())"
    } else {
        "format('DATABASE %I', current_database())"
    };
    database.execute(&format!(
        "DO $$ BEGIN
             EXECUTE 'ALTER ' || {whose} || ' SET synchronous_commit = {default}';
         END $$"
    ));
}

#[tokio::test]
async fn a_202_waits_for_the_disk_whatever_the_database_has_for_a_default() {
    for (of_user, default, wanted) in [
        (false, "on", "on"),
        (false, "off", "on"),
        (true, "off", "on"),
        (false, "local", "on"),
        (false, "remote_write", "on"),
        // Who waits for standbys goes on doing so.
        (false, "remote_apply", "remote_apply"),
    ] {
        let database = TestDatabase::postgres().await;
        database.execute(NOTE_COMMITS);
        set_default(&database, of_user, default);
        let server = start(ServerLaunch::on(BINARY, database)).await;
        let others: Vec<String> = values(&server, "SHOW synchronous_commit").await;
        assert_eq!(others, [default], "the default holds for others");
        let app = app(&server, "owner@example.com").await;
        let message = json!({"title": "t", "body": "b"});
        for path in ["/api/v1/notify", &format!("/api/v1/apps/{}/notify", app.id)] {
            let accepted = post(&app.admin, path, &message).await;
            assert_eq!(accepted.status, 202, "{accepted}");
        }
        let commits: Vec<String> = values(&server, "SELECT setting FROM commits").await;
        assert_eq!(commits, [wanted; 2], "{default}, of the user: {of_user}");
        if wanted == "on" {
            let whose: Vec<String> = values(&server, "SELECT whose FROM commits").await;
            assert_eq!(
                whose, ["session"; 2],
                "no reload of the server's changes it"
            );
        }
    }
}
