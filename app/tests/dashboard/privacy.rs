//! What belongs to another account does not exist.

use http::StatusCode;

use crate::site::Site;

#[tokio::test]
async fn another_accounts_app_is_the_404_page() {
    let site = Site::open().await;
    let mut owner = site.signed_in("owner@example.com").await;
    let app = owner.create_app("secret loft").await;
    let mut other = site.signed_in("other@example.com").await;
    let unknown = other.get("/apps/app_doesnotexist").await;
    let foreign = other.get(&app).await;
    let history = other.get(&format!("{app}/history")).await;
    for answer in [unknown, foreign, history, other.get("/apps/nonsense").await] {
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
        answer.shows("この便は宛先不明です").hides("secret loft");
    }
}

#[tokio::test]
async fn another_accounts_app_takes_no_forms() {
    let site = Site::open().await;
    let mut owner = site.signed_in("owner@example.com").await;
    let app = owner.create_app("loft").await;
    let id = app.strip_prefix("/apps/").expect("an app's path");
    let mut other = site.signed_in("other@example.com").await;
    for (form, fields) in [
        (
            "create_key",
            [("app", id), ("name", "stolen"), ("scope", "full")],
        ),
        (
            "send",
            [("app", id), ("title", "stolen"), ("body", "stolen")],
        ),
        (
            "set_webhook",
            [
                ("app", id),
                ("webhook_url", "https://stolen.example"),
                ("other", ""),
            ],
        ),
        (
            "clear_webhook",
            [("app", id), ("other", ""), ("another", "")],
        ),
        (
            "rotate_webhook_secret",
            [("app", id), ("other", ""), ("another", "")],
        ),
        (
            "enable_webhook",
            [("app", id), ("other", ""), ("another", "")],
        ),
        (
            "send_test_event",
            [("app", id), ("other", ""), ("another", "")],
        ),
        (
            "resend_event",
            [("app", id), ("event", "msg_1"), ("other", "")],
        ),
    ] {
        let answer = other.post(&format!("/_app/{form}"), &fields).await;
        assert!(answer.leads_to().contains("error=NOT_FOUND"), "{form}");
    }
    owner.get(&app).await.hides("stolen");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_visits_do_not_mix() {
    let site = Site::open().await;
    let mut owner = site.signed_in("owner@example.com").await;
    let mut other = site.signed_in("other@example.com").await;
    other.speaks = "en";
    for _ in 0..50 {
        let (japanese, english) = tokio::join!(owner.get("/apps"), other.get("/apps"));
        japanese
            .shows("<title>アプリ · Hato</title>")
            .shows("owner@example.com")
            .hides("other@example.com");
        english
            .shows("<title>Apps · Hato</title>")
            .shows("other@example.com")
            .hides("owner@example.com");
    }
}
