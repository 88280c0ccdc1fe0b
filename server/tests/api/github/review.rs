//! What an account that was made with a password leaves to whoever logs in through GitHub: nothing acts before it is kept.

use hato_testkit::client::{Client, Reply};
use hato_testkit::github::{Github, GithubAccount};
use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::{PushService, ReceivedMessage};
use hato_testkit::server::HatoServer;
use hato_testkit::webhook_receiver::WebhookReceiver;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use super::launch;
use super::login_browser::LoginBrowser;
use crate::fixtures::{app, get, post, register, send, start, status_and_code, wait_until};

const ADDRESS: &str = "owner@example.com";
const REVIEW: &str = "/account/review";
const TITLE: &str = "from before";

/// An account that was taken over, whose app has three keys, a webhook, an event and a send that waits.
struct TakenOver {
    server: HatoServer,
    push: PushService,
    receiver: WebhookReceiver,
    app: OwnedApp,
    /// Of whoever has the address.
    session: String,
}

impl TakenOver {
    /// All is made on a server that delivers nothing; then the same data get one that does.
    async fn new(database: TestDatabase) -> Self {
        let (push, github) = (PushService::start().await, Github::start().await);
        let receiver = WebhookReceiver::start(push.ca()).await;
        let launch = launch(database, &github)
            .with_push_service(&push)
            .env("HATO_DEFAULT_PLAN", "pro");
        let mut server = start(launch.clone().env("HATO_ROLE", "api")).await;
        let app = app(&server, ADDRESS).await;
        set_webhook(&app, receiver.url()).await;
        broadcast(&app, "to nobody, whose end is an event at once").await;
        let browser = push.subscribe(Some(&app.vapid_public_key));
        register(&app.frontend, &[browser]).await;
        broadcast(&app, TITLE).await;

        github.set_user(GithubAccount::new(7).verified(ADDRESS));
        let browser = LoginBrowser::logged_in(&server, &github).await;
        let session = browser.cookie("hato_session").expect("a session");
        let session = session.to_owned();
        server.terminate().await.expect("it stops");
        let server = start(launch).await;
        Self {
            server,
            push,
            receiver,
            app,
            session,
        }
    }

    /// Delivers a message and an event of another account, before which what waits longer would have left.
    async fn serve_others(&self) {
        let other = app(&self.server, "other@example.com").await;
        set_webhook(&other, self.receiver.url()).await;
        let browser = self.push.subscribe(Some(&other.vapid_public_key));
        register(&other.frontend, &[browser]).await;
        broadcast(&other, "of somebody else").await;
        let is_completed = |event: &Value| {
            event["type"] == "send.completed" && event["data"]["app_id"] == *other.id
        };
        let all = |seen: &[hato_testkit::webhook_receiver::Event]| {
            seen.iter().any(|event| is_completed(&event.json()))
        };
        self.receiver.wait_until(all).await;
    }

    /// The same client of the server that runs now.
    fn now(&self, client: &Client) -> Client {
        client.at(self.server.address())
    }

    fn owner(&self) -> Client {
        self.server.client().bearer(&self.session)
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/v1/apps/{}{rest}", self.app.id)
    }

    /// How often the message that waited has come.
    fn messages(&self) -> usize {
        self.push.seen(|seen| {
            let titles = seen.messages.iter().map(ReceivedMessage::json);
            titles.filter(|message| message["title"] == TITLE).count()
        })
    }

    /// The types of the events that came for the app.
    fn events(&self) -> Vec<Value> {
        let events = self.receiver.seen().into_iter().map(|event| event.json());
        let own = events.filter(|event| event["data"]["app_id"] == *self.app.id);
        own.map(|mut event| event["type"].take()).collect()
    }

    async fn dashboard(&self, method: Method, path: &str, form: String) -> Reply {
        let cookie = format!("hato_session={}", self.session);
        let headers = [
            ("cookie", cookie.as_str()),
            ("accept", "text/html"),
            ("accept-language", "en"),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        send(&self.server.client(), method, path, &headers, form).await
    }

    /// Gives everything that the page asks for the same answer, but keeps the first key.
    async fn decide(&self, decision: &str) {
        let page = self.dashboard(Method::GET, REVIEW, String::new()).await;
        assert_eq!(page.status, 200, "{page}");
        let page = page.text();
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.append_pair("app", &self.app.id);
        let mut items: Vec<_> = page.split("decisions[").skip(1).collect();
        items.dedup_by_key(|rest| rest.split(']').next());
        assert_eq!(items.len(), 5, "three keys, a webhook, a send: {page}");
        for (number, rest) in items.into_iter().enumerate() {
            let item = rest.split(']').next().expect("an item");
            let decision = if number == 0 { "keep" } else { decision };
            form.append_pair(&format!("decisions[{item}]"), decision);
        }
        let path = "/_app/conclude_review";
        let decided = self.dashboard(Method::POST, path, form.finish()).await;
        assert_eq!(decided.header("location"), Some(REVIEW), "{decided}");
    }
}

async fn set_webhook(app: &OwnedApp, url: &str) {
    let path = format!("/api/v1/apps/{}", app.id);
    let set = app.owner.patch(&path, &json!({"webhook_url": url})).await;
    assert_eq!(set.expect("an answer").status, 200);
}

async fn broadcast(app: &OwnedApp, title: &str) {
    let message = json!({"title": title, "body": "b"});
    let reply = post(&app.backend, "/api/v1/notify", &message).await;
    assert_eq!(reply.status, 202, "{reply}");
}

#[on_each_database]
async fn nothing_from_before_acts_until_it_is_decided_about(database: TestDatabase) {
    let it = TakenOver::new(database).await;
    it.serve_others().await;
    assert_eq!((it.messages(), it.events()), (0, vec![]));
    let message = json!({"title": "t", "body": "b"});
    for client in [&it.app.frontend, &it.app.backend, &it.app.admin] {
        let client = it.now(client);
        for reply in [
            get(&client, "/api/v1/vapid-public-key").await,
            post(&client, "/api/v1/notify", &message).await,
            post(&client, "/mcp", &json!({})).await,
        ] {
            assert_eq!(status_and_code(&reply), (401, "INVALID_API_KEY".into()));
        }
    }
    let page = it.dashboard(Method::GET, "/apps", String::new()).await;
    assert_eq!(page.header("location"), Some(REVIEW), "{page}");
}

#[on_each_database]
async fn a_session_reads_and_changes_nothing_but_its_end(database: TestDatabase) {
    let it = TakenOver::new(database).await;
    let owner = it.owner();
    for path in [
        "/api/v1/apps".to_owned(),
        "/api/v1/stats".to_owned(),
        "/auth/session".to_owned(),
        it.path(""),
        it.path("/keys"),
        it.path("/webhook"),
        it.path("/notifications"),
    ] {
        assert_eq!(get(&owner, &path).await.status, 200, "{path}");
    }
    for (method, path) in [
        (Method::POST, "/api/v1/apps".to_owned()),
        (Method::PATCH, it.path("")),
        (Method::DELETE, it.path("")),
        (Method::POST, it.path("/keys")),
        (Method::DELETE, it.path("/keys/key_1")),
        (Method::POST, it.path("/notify")),
        (Method::POST, it.path("/webhook/secret")),
        (Method::POST, "/api/v1/apps/app_1/webhook/enable".to_owned()),
    ] {
        let reply = send(&owner, method, &path, &[], "no json").await;
        let expected = (403, "INSUFFICIENT_SCOPE".into());
        assert_eq!(status_and_code(&reply), expected, "{path}");
    }
    assert_eq!(post(&owner, "/auth/logout", &json!({})).await.status, 200);
    assert_eq!(get(&owner, "/auth/session").await.code(), "INVALID_SESSION");
}

#[on_each_database]
async fn what_is_kept_works_again_and_what_waited_goes_on(database: TestDatabase) {
    let it = TakenOver::new(database).await;
    it.decide("keep").await;
    let history = it.path("/notifications");
    wait_until(&it.owner(), &history, |it| {
        it["items"][0]["status"] == "done"
    })
    .await;
    assert_eq!(it.messages(), 1);
    let all = |seen: &[_]| seen.len() >= 3;
    it.receiver.wait_until(all).await;
    let completed = it.events().into_iter().filter(|it| it == "send.completed");
    assert_eq!(completed.count(), 2, "the one from before, and one since");
    for client in [&it.app.frontend, &it.app.backend, &it.app.admin] {
        let reply = get(&it.now(client), "/api/v1/vapid-public-key").await;
        assert_eq!(reply.status, 200, "{reply}");
    }
    let key = json!({"name": "mine", "scope": "full"});
    assert_eq!(post(&it.owner(), &it.path("/keys"), &key).await.status, 201);
}

#[on_each_database]
async fn what_is_not_kept_is_gone(database: TestDatabase) {
    let it = TakenOver::new(database).await;
    it.decide("delete").await;
    it.serve_others().await;
    assert_eq!((it.messages(), it.events()), (0, vec![]));
    let history = get(&it.owner(), &it.path("/notifications")).await.json();
    assert_eq!(history["items"][0]["status"], "cancelled");
    let webhook = get(&it.owner(), &it.path("/webhook")).await;
    assert_eq!(status_and_code(&webhook), (404, "NOT_FOUND".into()));
    let keys = get(&it.owner(), &it.path("/keys")).await.json();
    assert_eq!(keys.as_array().map(Vec::len), Some(1));
    let answers = [&it.app.frontend, &it.app.backend, &it.app.admin].map(|client| {
        let client = it.now(client);
        async move {
            get(&client, "/api/v1/vapid-public-key")
                .await
                .status
                .as_u16()
        }
    });
    let mut statuses = Vec::new();
    for answer in answers {
        statuses.push(answer.await);
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 401, 401]);
    let events = get(&it.owner(), &it.path("/key-events")).await.json();
    let deleted = &events["items"][0];
    assert_eq!(
        (&deleted["event"], &deleted["actor"]["name"]),
        (&json!("deleted"), &json!(ADDRESS))
    );
}
