//! What belongs to another account does not exist.

use hato_testkit::{TestDatabase, on_each_database};
use http::StatusCode;

use crate::harness::{DashboardBrowser, PageResponse, TestDashboard, id};

/// Every page of an app, below its own path. `{send}` stands for a send of the app.
const PAGES: [&str; 16] = [
    "",
    "/send",
    "/sends/{send}",
    "/sends/{send}/events",
    "/history",
    "/subscribers",
    "/subscribers/import",
    "/subscribers/{subscription}",
    "/audience",
    "/embed",
    "/keys",
    "/keys/history",
    "/keys/vapid",
    "/dead-letters",
    "/webhook",
    "/settings",
];

/// Every form of an app, with its fields beyond the app's id.
const FORMS: [(&str, &[(&str, &str)]); 25] = [
    ("create_key", &[("name", "stolen"), ("scope", "full")]),
    ("create_embed_key", &[("name", "stolen")]),
    ("delete_key", &[("key", "{key}")]),
    ("add_vapid_key", &[]),
    ("import_vapid_key", &[("private_key", "x")]),
    ("make_vapid_key_primary", &[("key", "vapid_1")]),
    ("delete_vapid_key", &[("key", "vapid_1")]),
    (
        "export_vapid_key",
        &[("key", "vapid_1"), ("confirmation", "x")],
    ),
    ("rename_app", &[("name", "stolen")]),
    (
        "change_messages",
        &[
            ("site_url", "https://stolen.example"),
            ("tracking", "counts"),
        ],
    ),
    ("delete_app", &[("name", "secret loft")]),
    ("cancel_send", &[("send", "{send}")]),
    ("remove_subscriber", &[("subscription", "{subscription}")]),
    (
        "remove_subscribers",
        &[("subscriptions[]", "{subscription}")],
    ),
    ("send_test", &[("endpoint", "{endpoint}")]),
    ("send_test_to", &[("subscription", "{subscription}")]),
    ("count_recipients", &[("tags", "news")]),
    ("unsubscribe_browser", &[("endpoint", "{endpoint}")]),
    ("set_webhook", &[("webhook_url", "https://stolen.example")]),
    ("clear_webhook", &[]),
    ("rotate_webhook_secret", &[]),
    ("enable_webhook", &[]),
    ("send_test_event", &[]),
    ("resend_event", &[("event", "msg_1")]),
    (
        "subscribe_browser",
        &[
            ("endpoint", "https://push.example/stolen"),
            ("p256dh", "x"),
            ("auth", "x"),
        ],
    ),
];

/// An app with one of everything.
struct PrivateApp {
    app: String,
    send: String,
    key: String,
    subscription: String,
    endpoint: String,
}

impl PrivateApp {
    async fn create(owner: &mut DashboardBrowser<'_>) -> Self {
        let app = owner.create_app("secret loft").await;
        let endpoint = owner.subscribe(&app, 1).await;
        let send = owner.send(&app, "secret letter").await;
        let fields = [
            ("app", id(&app)),
            ("name", "secret key"),
            ("scope", "notify"),
        ];
        let keys = owner.submit("/_app/create_key", &fields).await;
        let subscribers = owner.get(&format!("{app}/subscribers")).await;
        Self {
            send: send.rsplit('/').next().unwrap_or_default().to_owned(),
            key: hidden(&keys, "key"),
            subscription: hidden(&subscribers, "subscription"),
            endpoint,
            app,
        }
    }

    /// A form's fields for the app at this path, filled in with what is this app's.
    fn fields<'a>(
        &'a self,
        app: &'a str,
        fields: &[(&'a str, &'a str)],
    ) -> Vec<(&'a str, &'a str)> {
        let app = [("app", id(app))].into_iter();
        let others = fields.iter().map(|(name, value)| match *value {
            "{send}" => (*name, self.send.as_str()),
            "{key}" => (*name, self.key.as_str()),
            "{subscription}" => (*name, self.subscription.as_str()),
            "{endpoint}" => (*name, self.endpoint.as_str()),
            value => (*name, value),
        });
        app.chain(others).collect()
    }

    fn path(&self, app: &str, page: &str) -> String {
        format!("{app}{page}")
            .replace("{send}", &self.send)
            .replace("{subscription}", &self.subscription)
    }
}

fn hidden(page: &PageResponse, name: &str) -> String {
    let value = page.between(&format!("name=\"{name}\" value=\""), "\"");
    value.expect("a field").to_owned()
}

#[on_each_database]
async fn no_page_of_another_account_is_reached_by_editing_the_address(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut owner = dashboard.logged_in("owner@example.com").await;
    let private = PrivateApp::create(&mut owner).await;
    let mut other = dashboard.logged_in("other@example.com").await;
    let own_app = other.create_app("own loft").await;
    let mut stranger = dashboard.browser();
    for page in PAGES {
        let path = private.path(&private.app, page);
        if !page.ends_with("/events") {
            let mine = owner.get(&path).await;
            assert_eq!(mine.status, StatusCode::OK, "{path}");
            mine.shows("secret loft");
        }
        for app in [
            private.app.as_str(),
            "/apps/app_doesnotexist",
            "/apps/nonsense",
        ] {
            let response = other.get(&private.path(app, page)).await;
            assert_eq!(response.status, StatusCode::NOT_FOUND, "{app}{page}");
            response.hides("secret");
        }
        if page.contains('{') {
            let response = other.get(&private.path(&own_app, page)).await;
            assert_eq!(response.status, StatusCode::NOT_FOUND, "{page}");
            response.hides("secret");
        }
        let response = stranger.get(&path).await;
        response.hides("secret");
        assert!(
            response.status == StatusCode::SEE_OTHER || response.status == StatusCode::UNAUTHORIZED
        );
    }
    let response = other.get(&private.app).await;
    response.shows("この便は宛先不明です");
}

#[on_each_database]
async fn no_form_of_another_account_is_taken(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut owner = dashboard.logged_in("owner@example.com").await;
    let private = PrivateApp::create(&mut owner).await;
    let mut other = dashboard.logged_in("other@example.com").await;
    let own_app = other.create_app("own loft").await;
    for (form, fields) in FORMS {
        let response = other
            .call(form, &private.fields(&private.app, fields))
            .await;
        assert_eq!(response.body, "\"NOT_FOUND\"", "{form}");
        let names_something = fields.iter().any(|(_, value)| value.starts_with('{'));
        // To unsubscribe what is not there is fine.
        if names_something && form != "unsubscribe_browser" {
            let response = other.call(form, &private.fields(&own_app, fields)).await;
            assert_eq!(response.body, "\"NOT_FOUND\"", "{form} on an own app");
        }
    }
    let draft = [
        ("title", "stolen"),
        ("body", "stolen"),
        ("step", "send"),
        ("idempotency_key", "1"),
    ];
    let response = other.post(&format!("{}/send", private.app), &draft).await;
    assert_eq!(response.status, StatusCode::NOT_FOUND);
    for page in ["/keys", "/subscribers", "/history", "/settings"] {
        let page = owner.get(&format!("{}{page}", private.app)).await;
        page.shows("secret loft").hides("stolen");
    }
    let keys = owner.get(&format!("{}/keys", private.app)).await;
    keys.shows("secret key");
    let subscribers = owner.get(&format!("{}/subscribers", private.app)).await;
    subscribers.shows("1 人");
}

#[on_each_database(flavor = "multi_thread", worker_threads = 4)]
async fn concurrent_requests_do_not_mix(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut owner = dashboard.logged_in("owner@example.com").await;
    let mut other = dashboard.logged_in("other@example.com").await;
    other.language = "en";
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
