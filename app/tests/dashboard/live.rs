//! What pages bring up to date by themselves.

use crate::site::{Browser, Site, id};

const OWNER: &str = "owner@example.com";

/// Does all of the checklist's steps; the path of the app's page.
async fn begin(browser: &mut Browser<'_>) -> String {
    let app = browser.create_app("blog").await;
    let fields = [("app", id(&app)), ("name", "埋め込み")];
    browser.submit("/_app/create_embed_key", &fields).await;
    browser.subscribe(&app, 1).await;
    browser.send(&app, "便り").await;
    app
}

#[tokio::test]
async fn the_last_step_ticks_before_the_eyes_of_whoever_did_it() {
    let site = Site::open().await;
    let mut browser = site.signed_in(OWNER).await;
    let app = begin(&mut browser).await;
    let refreshed = browser.get(&format!("{app}?refresh=1")).await;
    let ticked = refreshed.body.matches("<li class=\"done\">").count();
    assert_eq!(ticked, 3);
    for part in ["checklist", "figures", "chart"] {
        refreshed.shows(&format!("id=\"{part}\" data-live"));
    }
    browser.get(&app).await.hides("id=\"checklist\"");
}

#[tokio::test]
async fn first_steps_are_not_taken_twice() {
    let site = Site::open().await;
    let mut browser = site.signed_in(OWNER).await;
    let app = begin(&mut browser).await;
    for (page, button, form) in [
        ("keys", "name=\"key\" value=\"", "delete_key"),
        (
            "subscribers",
            "name=\"subscription\" value=\"",
            "remove_subscriber",
        ),
    ] {
        let list = browser.get(&format!("{app}/{page}")).await;
        let one = list.between(button, "\"").expect("one in the list");
        let name = button.split('"').nth(1).expect("a name");
        let fields = [("app", id(&app)), (name, one)];
        browser.submit(&format!("/_app/{form}"), &fields).await;
    }
    browser.get(&app).await.hides("id=\"checklist\"");
}

#[tokio::test]
async fn a_page_that_refreshes_itself_takes_no_new_key() {
    let site = Site::open().await;
    let mut browser = site.signed_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let fields = [("app", id(&app)), ("name", "埋め込み")];
    browser.post("/_app/create_embed_key", &fields).await;
    let refreshed = browser.get(&format!("{app}?refresh=1")).await;
    refreshed.shows("appKey: \"pk_…\"");
    browser.get(&app).await.hides("appKey: \"pk_…\"");
}
