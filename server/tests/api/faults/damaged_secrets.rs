//! A file of secrets that is damaged, until somebody puts it back.

use std::fs;

use hato_testkit::TestDatabase;
use hato_testkit::push_service::PushService;

use super::refused_start::{assert_delivered, assert_refused, with_queued_send};

#[tokio::test]
async fn a_damaged_file_of_secrets_ends_the_start_with_one_line_and_stays() {
    let push = PushService::start().await;
    let server = with_queued_send(TestDatabase::sqlite().await, &push).await;
    let file = server.data_dir().join("secrets.toml");
    let whole = fs::read(&file).expect("a file");
    for damaged in [&whole[..whole.len() / 2], b"no toml", b"pepper = 1\n", b""] {
        fs::write(&file, damaged).expect("written");
        let serve = server.launch().command("serve").output().await;
        assert_refused(&serve.expect("it runs"), 2, "secrets.toml");
        assert_eq!(fs::read(&file).expect("a file"), damaged);
    }
    fs::write(&file, whole).expect("written");
    assert_delivered(&server, &push).await;
}
