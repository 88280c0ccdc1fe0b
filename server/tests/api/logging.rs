//! What the log holds: nothing that is anybody's secret, at any level.

mod gossip;
mod identities;
mod misplaced;

use hato_testkit::client::Reply;
use hato_testkit::github::{Github, GithubAccount};
use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::push_service::{BrowserSubscription, PushService, ScriptedResponse};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::webhook_receiver::{ReceiverResponse, WebhookReceiver};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::{Value, json};

use crate::fixtures::{BINARY, app, get, post, register, send, start, wait_until};
use crate::github::login_browser::LoginBrowser;

const EMAIL: &str = "somebody-in-particular@example.com";
const OTHER_EMAIL: &str = "somebody-else@example.com";
const WRONG_PASSWORD: &str = "not-hato-demo-but-guessed";
const NEW_PASSWORD: &str = "a-password-to-be";
const TITLE: &str = "title-between-two-people";
const BODY: &str = "body-between-two-people";
const LINK: &str = "https://example.com/link-between-two-people";
const HOOK_TOKEN: &str = "known-to-the-receiver-alone";
const CLIENT_VERSION: &str = "version-that-a-stranger-made-up";

/// Begins every token of VAPID: `{"typ":"JWT"` in base64url.
const JWT: &str = "eyJ0eXAiOiJKV1Qi";

/// A server that logs all it can, and what it works with.
struct Talkative {
    server: HatoServer,
    push: PushService,
    receiver: WebhookReceiver,
    github: Github,
    app: OwnedApp,
    /// What must not be logged, with what it is.
    secrets: Vec<(&'static str, String)>,
}

impl Talkative {
    async fn start(database: TestDatabase) -> Self {
        let push = PushService::start().await;
        let receiver = WebhookReceiver::start(push.ca()).await;
        let github = Github::start().await;
        let launch = ServerLaunch::on(BINARY, database)
            .with_push_service(&push)
            .with_github(&github)
            .env("HATO_TRUSTED_PROXIES", "127.0.0.0/8")
            .env("HATO_DEFAULT_PLAN", "pro")
            .env("HATO_WEBHOOK_RETRY_DELAYS", "100ms")
            .env("HATO_LOG", "trace");
        let server = start(launch).await;
        let app = app(&server, EMAIL).await;
        let secrets = vec![
            ("a raw key", "pk_".to_owned()),
            ("a token of VAPID", JWT.to_owned()),
            ("a signing secret", "whsec_".to_owned()),
            ("a token of GitHub", "gho_".to_owned()),
            ("a password", PASSWORD.to_owned()),
            ("a guessed password", WRONG_PASSWORD.to_owned()),
            ("a new password", NEW_PASSWORD.to_owned()),
            ("an address", EMAIL.to_owned()),
            ("another address", OTHER_EMAIL.to_owned()),
            ("a title", TITLE.to_owned()),
            ("a body", BODY.to_owned()),
            ("a link", LINK.to_owned()),
            ("a client's version", CLIENT_VERSION.to_owned()),
        ];
        Self {
            server,
            push,
            receiver,
            github,
            app,
            secrets,
        }
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/v1/apps/{}{rest}", self.app.id)
    }

    fn must_not_log(&mut self, what: &'static str, secret: &str) {
        assert!(!secret.is_empty(), "no {what}");
        self.secrets.push((what, secret.to_owned()));
    }

    /// A session and its end, logins that fail, and whatever has a key in it.
    async fn accounts_and_keys(&mut self) {
        let client = self.server.client();
        let session = client.log_in(EMAIL, PASSWORD).await.expect("a session");
        self.must_not_log("a session", &session);
        for email in [EMAIL, "nobody-at-all@example.com"] {
            let guess = json!({"email": email, "password": WRONG_PASSWORD});
            assert_eq!(post(&client, "/auth/login", &guess).await.status, 401);
        }
        let broken = format!("{{\"password\": \"{PASSWORD}\", ");
        send(&client, Method::POST, "/auth/login", &[], broken).await;
        let owner = client.bearer(&session);
        let key = json!({"name": "another", "scope": "full"});
        let made = post(&owner, &self.path("/keys"), &key).await.json();
        let admin = client.bearer(made["key"].as_str().expect("a key"));
        let id = made["id"].as_str().expect("an id");
        let deleted = admin.delete(&self.path(&format!("/keys/{id}"))).await;
        assert_eq!(deleted.expect("an answer").status, 200);
        assert_eq!(get(&admin, &self.path("")).await.status, 401);
        assert_eq!(get(&owner, "/api/v1/apps").await.status, 200);
        post(&owner, "/auth/logout", &json!({})).await;
        assert_eq!(get(&owner, "/auth/session").await.status, 401);
    }

    /// The same through forms, whose redirects hand over keys in cookies.
    async fn forms(&mut self) {
        let register = format!("email={OTHER_EMAIL}&password={PASSWORD}");
        let made = self.form("register", "", register).await;
        let session = self.session_of(&made);
        self.form("create_app", &session, "name=second".into())
            .await;
        let owner = self.server.client().log_in(EMAIL, PASSWORD).await;
        let owner = owner.expect("a session");
        self.must_not_log("a session of a form", &owner);
        let form = format!("app={}&name=by+form&scope=notify", self.app.id);
        let made = self.form("create_key", &owner, form).await;
        let cookie = made.header("set-cookie").expect("the key").to_owned();
        let key = cookie.split(['=', ';']).nth(1).expect("a value");
        self.must_not_log("a key in a cookie", key);
        let form = format!("current={PASSWORD}&new={NEW_PASSWORD}");
        let changed = self.form("change_password", &session, form).await;
        self.session_of(&changed);
        let wrong = format!("email={OTHER_EMAIL}&password={WRONG_PASSWORD}");
        self.form("login", "", wrong).await;
    }

    async fn form(&self, name: &str, session: &str, body: String) -> Reply {
        let cookie = format!("hato_session={session}");
        let headers = [
            ("cookie", cookie.as_str()),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/x-www-form-urlencoded"),
        ];
        let path = format!("/_app/{name}");
        let client = self.server.client();
        let reply = send(&client, Method::POST, &path, &headers, body).await;
        assert_eq!(reply.status, 303, "{name}: {reply}");
        reply
    }

    fn session_of(&mut self, reply: &Reply) -> String {
        let cookie = reply.header("set-cookie").expect("a cookie");
        let (_, rest) = cookie.split_once("hato_session=").expect("a session");
        let session = rest.split(';').next().unwrap_or_default().to_owned();
        self.must_not_log("a session's cookie", &session);
        session
    }

    /// A login through GitHub.
    async fn github(&mut self) {
        let person = GithubAccount::new(7).verified("third-person@example.com");
        self.github.set_user(person);
        let mut browser = LoginBrowser::new(&self.server);
        let callback = browser.agree(&self.github, "/auth/github").await;
        let query = callback.split_once('?').expect("a query").1;
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            let what = if name == "code" { "a code" } else { "a state" };
            self.must_not_log(what, &value);
        }
        let login = browser.cookie("hato_github").expect("a cookie").to_owned();
        self.must_not_log("a login's cookie", &login);
        assert_eq!(browser.get(&callback).await.status, 302);
        let session = browser.cookie("hato_session").expect("a session");
        self.must_not_log("a session by GitHub", session);
    }

    /// Browsers that take messages, refuse them and are gone; their messages; and the events of these.
    async fn sends_and_events(&mut self) {
        let browsers = self
            .push
            .subscribe_many(Some(&self.app.vapid_public_key), 3);
        for (browser, status) in browsers.iter().zip([201, 410, 403]) {
            self.push
                .always_respond(browser, ScriptedResponse::Status(status));
            self.must_not_log("an endpoint", &browser.id);
            self.must_not_log("a browser's secret", &browser.auth);
        }
        register(&self.app.frontend, &browsers).await;
        let url = format!("{}?token={HOOK_TOKEN}", self.receiver.url());
        self.must_not_log("the token of a webhook", HOOK_TOKEN);
        self.receiver.script([ReceiverResponse::Status(500)]);
        let hook = json!({"webhook_url": url});
        let set = self.app.owner.patch(&self.path(""), &hook).await;
        assert_eq!(set.expect("an answer").status, 200);
        self.send_in_every_way(&browsers).await;
        self.receiver.wait_until(|seen| seen.len() > 4).await;
        for rest in ["/webhook/secret", "/webhook/enable"] {
            let reply = post(&self.app.admin, &self.path(rest), &json!({})).await;
            assert_eq!(reply.status, 200, "{reply}");
        }
    }

    async fn send_in_every_way(&self, browsers: &[BrowserSubscription]) {
        let message = json!({"title": TITLE, "body": BODY, "url": LINK});
        let one = json!({"title": TITLE, "body": BODY, "endpoint": browsers[0].endpoint});
        let batch = json!({"endpoints": [browsers[0].endpoint], "payload": message});
        let wrong = json!({"title": TITLE, "body": [BODY], "url": LINK});
        for (path, body, status) in [
            ("/api/v1/notify", &message, 202),
            ("/api/v1/notify", &one, 202),
            ("/api/v1/notify/batch", &batch, 202),
            ("/api/v1/notify", &wrong, 400),
        ] {
            let reply = post(&self.app.backend, path, body).await;
            assert_eq!(reply.status, status, "{reply}");
        }
        let reply = post(&self.app.owner, &self.path("/notify"), &message).await;
        assert_eq!(reply.status, 202, "{reply}");
        let gone = json!({"endpoint": browsers[2].endpoint});
        let path = self.path("/subscriptions");
        let left = self.app.frontend.delete_with(&path, &gone).await;
        assert_eq!(left.expect("an answer").status, 200);
        let is_done = |sends: &Value| {
            let sends = sends["items"].as_array();
            sends.is_some_and(|sends| sends.iter().all(|send| send["status"] == "done"))
        };
        wait_until(&self.app.owner, &self.path("/notifications"), is_done).await;
    }

    /// A client of the Model Context Protocol, its calls, and their answers.
    async fn mcp(&self) {
        let client = json!({"name": "client", "version": CLIENT_VERSION});
        let hello =
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        let odd =
            json!({"protocolVersion": CLIENT_VERSION, "capabilities": {}, "clientInfo": client});
        let key =
            json!({"name": "create_api_key", "arguments": {"name": "by mcp", "scope": "full"}});
        let message = json!({"title": TITLE, "body": BODY, "url": LINK});
        let message = json!({"name": "send_notification", "arguments": message});
        let wrong = json!({"name": "send_notification", "arguments": {"title": [TITLE]}});
        let unknown = json!({"name": TITLE, "arguments": {"body": BODY}});
        for (method, params) in [
            ("initialize", &hello),
            ("initialize", &odd),
            ("tools/call", &key),
            ("tools/call", &message),
            ("tools/call", &wrong),
            ("tools/call", &unknown),
            (TITLE, &json!({"body": BODY})),
        ] {
            let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            for version in ["2025-06-18", CLIENT_VERSION] {
                let headers = [("mcp-protocol-version", version)];
                let body = call.to_string();
                send(&self.app.admin, Method::POST, "/mcp", &headers, body).await;
            }
        }
        let notification = json!({"jsonrpc": "2.0", "method": TITLE, "params": {"body": BODY}});
        post(&self.app.admin, "/mcp", &notification).await;
    }
}

#[on_each_database]
async fn no_secret_is_logged_at_any_level(database: TestDatabase) {
    let mut everything = Talkative::start(database).await;
    everything.accounts_and_keys().await;
    everything.forms().await;
    everything.github().await;
    everything.sends_and_events().await;
    everything.push_to_gossip().await;
    everything.users_and_private_keys().await;
    everything.reports().await;
    everything.mcp().await;
    everything.misplaced_secrets().await;
    everything.server.terminate().await.expect("it stops");
    let log = everything.server.log();
    for (what, logged) in [
        ("its beginning", "listening on http"),
        ("our own lines", "DEBUG"),
        ("everybody's lines", "TRACE"),
        ("a push that was answered with gossip", "GOAWAY: "),
    ] {
        assert!(log.contains(logged), "the log lacks {what}");
    }
    for secret in everything.server.secrets() {
        everything.must_not_log("a secret of the server", &secret);
    }
    let logged = everything.secrets.iter().filter_map(|(what, secret)| {
        let line = log.lines().find(|line| line.contains(secret))?;
        Some(format!("{what}: {line}"))
    });
    assert_eq!(logged.collect::<Vec<_>>(), Vec::<String>::new());
}
