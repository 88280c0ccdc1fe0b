//! The review of what was there before a login through GitHub took the account over.

mod decisions;

use hato_domain::ErrorCode;
use hato_testkit::{TestDatabase, on_each_database};
use http::StatusCode;

use crate::harness::{DashboardBrowser, OWNER, PASSWORD, PageResponse, TestDashboard, id};

const REVIEW: &str = "/account/review";
const HOOK: &str = "https://hooks.example.com/known-before";

/// The account's app as it was before: with a key of each of these names, a webhook and a send that waits.
async fn used_before(dashboard: &TestDashboard, keys: &[&str]) -> String {
    let mut before = dashboard.logged_in(OWNER).await;
    let app = before.create_app("blog").await;
    for name in keys {
        let key = [("app", id(&app)), ("name", name), ("scope", "notify")];
        before.post("/_app/create_key", &key).await.location();
    }
    let webhook = [("app", id(&app)), ("webhook_url", HOOK)];
    before.post("/_app/set_webhook", &webhook).await.location();
    before.subscribe(&app, 1).await;
    before.send(&app, "前からの便り").await;
    app
}

/// The names of the decisions that the page asks for, in its order.
fn items(page: &PageResponse) -> Vec<String> {
    let inputs = page.body.split("name=\"decisions[").skip(1);
    let mut items: Vec<_> = inputs
        .filter_map(|rest| Some(rest.split_once(']')?.0.to_owned()))
        .collect();
    items.dedup();
    items
}

/// Answers what the page asks, the items in their order.
async fn answer(browser: &mut DashboardBrowser<'_>, app: &str, answers: &[(&str, &str)]) -> String {
    let mut fields = vec![("app".to_owned(), id(app).to_owned())];
    for (item, decision) in answers {
        fields.push((format!("decisions[{item}]"), (*decision).to_owned()));
    }
    let fields: Vec<_> = fields
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    browser
        .post("/_app/conclude_review", &fields)
        .await
        .location()
}

/// Gives all items of the page the same answer.
async fn answer_all(browser: &mut DashboardBrowser<'_>, app: &str, decision: &str) -> String {
    let items = items(&browser.get(REVIEW).await);
    let answers: Vec<_> = items.iter().map(|item| (item.as_str(), decision)).collect();
    answer(browser, app, &answers).await
}

#[on_each_database]
async fn every_page_and_form_leads_to_the_review(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let app = used_before(&dashboard, &["server"]).await;
    let mut owner = dashboard.logged_in_with_github(OWNER).await;
    for rest in [
        "",
        "/send",
        "/history",
        "/subscribers",
        "/subscribers/import",
        "/keys",
        "/keys/history",
        "/keys/vapid",
        "/dead-letters",
        "/webhook",
        "/settings",
    ] {
        let page = owner.get(&format!("{app}{rest}")).await;
        assert_eq!(page.location(), REVIEW, "{rest}");
    }
    for page in ["/apps", "/account"] {
        assert_eq!(owner.get(page).await.location(), REVIEW, "{page}");
    }
    for (form, fields) in [
        ("/_app/create_app", vec![("name", "second")]),
        (
            "/_app/create_key",
            vec![("app", id(&app)), ("name", "k"), ("scope", "full")],
        ),
        (
            "/_app/delete_app",
            vec![("app", id(&app)), ("name", "blog")],
        ),
        ("/_app/rotate_webhook_secret", vec![("app", id(&app))]),
        (
            "/_app/change_password",
            vec![("current", ""), ("new", PASSWORD)],
        ),
        ("/_app/delete_account", vec![("confirmation", OWNER)]),
        ("/_app/logout_everywhere", vec![]),
    ] {
        assert_eq!(owner.post(form, &fields).await.location(), REVIEW, "{form}");
    }
    let script = owner.call("create_app", &[("name", "second")]).await;
    assert_eq!(script.status, StatusCode::FORBIDDEN);
    script.shows(ErrorCode::InsufficientScope.as_str());
    for page in ["/", "/pricing", "/docs/api"] {
        let public = owner.get(page).await;
        assert_eq!(public.status, StatusCode::OK, "{page}");
        public.shows(OWNER);
    }
    assert_eq!(owner.post("/_app/logout", &[]).await.location(), "/");
    assert_eq!(
        owner.get(REVIEW).await.location(),
        "/login?next=%2Faccount%2Freview"
    );
}

#[on_each_database]
async fn what_was_there_is_shown_in_both_languages(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    used_before(&dashboard, &["server", "old-server"]).await;
    let mut owner = dashboard.logged_in_with_github(OWNER).await;
    for (language, texts) in [
        (
            "ja",
            ["引き継いだアプリの確認", "VAPID 鍵", "アプリごと削除する"],
        ),
        (
            "en",
            [
                "Review what was here before",
                "VAPID key",
                "Delete the whole app",
            ],
        ),
    ] {
        owner.language = language;
        let page = owner.get(REVIEW).await;
        assert_eq!(page.status, StatusCode::OK);
        assert_eq!(page.header("cache-control"), "no-store");
        for text in texts {
            page.shows(text);
        }
        for thing in ["blog", "server", "old-server", HOOK, "前からの便り"] {
            page.shows(thing);
        }
        page.hides("pk_")
            .hides("whsec_")
            .hides("checked")
            .hides("<script type");
        assert_eq!(items(&page).len(), 4, "two keys, a webhook, a send");
    }
}

#[on_each_database]
async fn an_app_goes_with_its_key_and_the_next_comes(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let first = used_before(&dashboard, &["server"]).await;
    let mut before = dashboard.browser();
    let known = [("email", OWNER), ("password", PASSWORD)];
    before.post("/_app/login", &known).await.location();
    let second = before.create_app("second").await;
    let mut owner = dashboard.logged_in_with_github(OWNER).await;
    owner.get(REVIEW).await.shows("blog").shows("あと 1 個");
    let rejected = owner.post("/_app/reject_app", &[("app", id(&first))]).await;
    assert_eq!(rejected.location(), REVIEW);
    owner.get(REVIEW).await.shows("second").hides("blog");
    assert_eq!(answer(&mut owner, &second, &[]).await, REVIEW);
    owner.get("/apps").await.shows("second").hides("blog");
    let kept = owner
        .post("/_app/reject_app", &[("app", id(&second))])
        .await;
    assert_eq!(
        kept.location(),
        "/account/review?error=NOT_FOUND&form=reject#reject"
    );
}

#[on_each_database]
async fn another_accounts_app_is_not_decided_about(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let app = used_before(&dashboard, &["server"]).await;
    let mut owner = dashboard.logged_in_with_github(OWNER).await;
    let mut stranger = dashboard.logged_in("stranger@example.com").await;
    let items = items(&owner.get(REVIEW).await);
    let answers: Vec<_> = items.iter().map(|item| (item.as_str(), "keep")).collect();
    let refused = answer(&mut stranger, &app, &answers).await;
    assert_eq!(
        refused,
        "/account/review?error=NOT_FOUND&form=review#review"
    );
    let refused = stranger
        .post("/_app/reject_app", &[("app", id(&app))])
        .await;
    assert!(refused.location().contains("NOT_FOUND"));
    owner.get(REVIEW).await.shows("blog");
}

#[on_each_database]
async fn what_was_written_before_stays_text(database: TestDatabase) {
    const HOSTILE: &str = r#"</legend></title>'"><hato-injected a="b">"#;
    let dashboard = TestDashboard::unlimited(database).await;
    let app = used_before(&dashboard, &[HOSTILE]).await;
    dashboard.write_everywhere(id(&app), HOSTILE).await;
    let mut owner = dashboard.logged_in_with_github(OWNER).await;
    owner
        .get(REVIEW)
        .await
        .hides("<hato-injected")
        .shows("&lt;hato-injected");
}

#[on_each_database]
async fn without_an_app_there_is_nothing_to_review(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    dashboard.logged_in(OWNER).await;
    let mut owner = dashboard.logged_in_with_github(OWNER).await;
    assert_eq!(owner.get("/apps").await.status, StatusCode::OK);
    assert_eq!(owner.get(REVIEW).await.location(), "/apps");
    let app = owner.create_app("blog").await;
    let mut again = dashboard.logged_in_with_github(OWNER).await;
    assert_eq!(
        again.get(&app).await.status,
        StatusCode::OK,
        "theirs from the start"
    );
}
