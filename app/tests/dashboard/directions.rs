//! What people wrote is set in the direction of its own letters.

use hato_testkit::TestDatabase;

use crate::harness::{OWNER, TestDashboard, id};

const HEBREW: &str = "שלום עולם";

/// The start tag that a text stands behind.
fn start_tag(before: &str) -> &str {
    before.rsplit('<').next().expect("a tag")
}

#[tokio::test]
async fn names_and_texts_are_set_by_their_own_letters() {
    let dashboard = TestDashboard::unlimited(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app(HEBREW).await;
    browser.subscribe(&app, 1).await;
    let key = [("app", id(&app)), ("name", HEBREW), ("scope", "notify")];
    browser.submit("/_app/create_key", &key).await;
    let send = browser.send(&app, HEBREW).await;
    for path in [
        "/apps".to_owned(),
        app.clone(),
        format!("{app}/history"),
        format!("{app}/keys"),
        format!("{app}/keys/history"),
        send.clone(),
    ] {
        let page = browser.get(&path).await;
        let (_, body) = page.body.split_once("<body").expect("a body");
        let mut shown = 0;
        for (at, _) in body.match_indices(&format!(">{HEBREW}<")) {
            let tag = start_tag(&body[..at]);
            assert!(
                tag.starts_with("bdi") || tag.contains("dir=\"auto\""),
                "{path}: {tag}"
            );
            shown += 1;
        }
        assert!(shown > 0, "{path}");
    }
    let settings = browser.get(&format!("{app}/settings")).await;
    let field = settings
        .between("id=\"rename-name\"", ">")
        .unwrap_or_default();
    assert!(field.contains("dir=\"auto\""), "{field}");
}

#[tokio::test]
async fn title_and_text_have_each_their_own_direction() {
    let dashboard = TestDashboard::unlimited(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let send = browser.send(&app, HEBREW).await;
    let draft = [("title", HEBREW), ("body", "本文"), ("step", "review")];
    let question = browser.post(&format!("{app}/send"), &draft).await;
    let progress = browser.get(&send).await;
    for (page, classes) in [
        (&question, &["notification-text", "whole-text"][..]),
        (&progress, &["notification-text"]),
    ] {
        for class in classes {
            let start = format!("<div class=\"{class}\">");
            let texts = page.between(&start, "</div>").expect("the texts");
            for text in [HEBREW, "本文"] {
                let at = texts.find(&format!(">{text}")).expect("a text");
                let tag = start_tag(&texts[..at]);
                assert!(tag.contains("dir=\"auto\""), "{class}: {tag}");
            }
        }
    }
}
