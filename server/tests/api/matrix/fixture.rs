//! Two accounts with an app each, and every credential there may be.

use std::sync::atomic::{AtomicU32, Ordering};

use hato_domain::Scope;
use hato_testkit::TestDatabase;
use hato_testkit::client::{Client, Reply};
use hato_testkit::owner::PASSWORD;
use hato_testkit::server::{HatoServer, ServerLaunch};
use http::Method;
use serde_json::{Value, json};

use super::credential::TestCredential;
use crate::fixtures::{BINARY, send};

/// An account with an app.
pub struct Tenant {
    /// The id of the account's app, `app_…`.
    pub app: String,
    session: String,
    /// Raw keys, by [`Scope::ALL`].
    keys: Vec<String>,
}

/// Everything the credentials are made of.
pub struct MatrixFixture {
    client: Client,
    /// The app of the paths.
    pub own: Tenant,
    /// The account and app of somebody else.
    pub other: Tenant,
    dead_session: String,
    deleted_key: String,
    key_id: String,
    /// The app's primary VAPID key.
    vapid_key_id: String,
    send_id: String,
}

impl MatrixFixture {
    /// A server that believes in the address each request claims: failed authentications are counted by address.
    pub fn launch(database: TestDatabase) -> ServerLaunch {
        ServerLaunch::on(BINARY, database).env("HATO_TRUSTED_PROXIES", "127.0.0.0/8")
    }

    /// New accounts on the server.
    pub async fn set_up(server: &HatoServer) -> Self {
        let client = server.client();
        let (own, other) = (Tenant::new(&client).await, Tenant::new(&client).await);
        let owner = client.bearer(&own.session);
        let full_key = client.bearer(&own.keys[2]);
        let message = json!({"title": "t", "body": "b"});
        let sent = call(&full_key, Method::POST, "/api/v1/notify", &message, 202).await;
        Self {
            dead_session: ended_session(&client).await,
            deleted_key: deleted_key(&owner, &own.app).await,
            vapid_key_id: first_vapid_key(&owner, &own.app).await,
            key_id: text(&new_key(&owner, &own.app, Scope::Full).await, "id"),
            send_id: text(&sent, "send_id"),
            client,
            own,
            other,
        }
    }

    /// The answer to a request without a body, each from an address of its own.
    pub async fn request(&self, method: &Method, path: &str, credential: TestCredential) -> Reply {
        let path = path
            .replace("{appId}", &self.own.app)
            .replace("{keyId}", &self.key_id)
            .replace("{vapidKeyId}", &self.vapid_key_id)
            .replace("{send_id}", &self.send_id);
        let mut headers = self.headers(credential);
        headers.push(("x-forwarded-for", new_address()));
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        send(&self.client, method.clone(), &path, &headers, "").await
    }

    fn headers(&self, credential: TestCredential) -> Vec<(&'static str, String)> {
        let bearer = |token: &str| vec![("authorization", format!("Bearer {token}"))];
        match credential {
            TestCredential::Nothing => Vec::new(),
            TestCredential::Malformed(header) => vec![("authorization", header.to_owned())],
            TestCredential::UnknownKey => bearer(&format!("pk_{}", "0".repeat(64))),
            TestCredential::DeletedKey => bearer(&self.deleted_key),
            TestCredential::Key(scope) => bearer(self.own.key(scope)),
            TestCredential::KeyOfOther(scope) => bearer(self.other.key(scope)),
            TestCredential::Session(transport) => transport.headers(&self.own.session),
            TestCredential::SessionOfOther(transport) => transport.headers(&self.other.session),
            TestCredential::DeadSession(transport) => transport.headers(&self.dead_session),
        }
    }
}

impl Tenant {
    async fn new(client: &Client) -> Self {
        let session = new_session(client).await;
        let owner = client.bearer(&session);
        let app = call(
            &owner,
            Method::POST,
            "/api/v1/apps",
            &json!({"name": "App"}),
            201,
        )
        .await;
        let app = text(&app, "appId");
        let mut keys = Vec::new();
        for scope in Scope::ALL {
            keys.push(text(&new_key(&owner, &app, scope).await, "key"));
        }
        Self { app, session, keys }
    }

    fn key(&self, scope: Scope) -> &str {
        let index = Scope::ALL.iter().position(|it| *it == scope);
        &self.keys[index.expect("one of the scopes")]
    }
}

async fn new_session(client: &Client) -> String {
    let address = new_address();
    let account = json!({"email": format!("{address}@example.com"), "password": PASSWORD});
    text(
        &call(client, Method::POST, "/auth/register", &account, 201).await,
        "session_token",
    )
}

async fn ended_session(client: &Client) -> String {
    let session = new_session(client).await;
    call(
        &client.bearer(&session),
        Method::POST,
        "/auth/logout",
        &json!({}),
        200,
    )
    .await;
    session
}

async fn new_key(owner: &Client, app: &str, scope: Scope) -> Value {
    let path = format!("/api/v1/apps/{app}/keys");
    let body = json!({"name": scope.as_str(), "scope": scope.as_str()});
    call(owner, Method::POST, &path, &body, 201).await
}

async fn first_vapid_key(owner: &Client, app: &str) -> String {
    let keys = owner.get(&format!("/api/v1/apps/{app}/vapid-keys")).await;
    text(&keys.expect("an answer").json()[0], "id")
}

async fn deleted_key(owner: &Client, app: &str) -> String {
    let key = new_key(owner, app, Scope::Full).await;
    let path = format!("/api/v1/apps/{app}/keys/{}", text(&key, "id"));
    call(owner, Method::DELETE, &path, &json!({}), 200).await;
    text(&key, "key")
}

/// The body of an answer that has to have this status.
async fn call(client: &Client, method: Method, path: &str, body: &Value, status: u16) -> Value {
    let address = new_address();
    let headers = [("x-forwarded-for", address.as_str())];
    let reply = send(client, method, path, &headers, body.to_string()).await;
    assert_eq!(reply.status, status, "{path}: {reply}");
    reply.json()
}

fn text(object: &Value, member: &str) -> String {
    let text = object[member].as_str();
    text.unwrap_or_else(|| panic!("no {member} in {object}"))
        .to_owned()
}

/// An address that nobody has used yet.
fn new_address() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    format!(
        "10.{}.{}.{}",
        number >> 16 & 255,
        number >> 8 & 255,
        number & 255
    )
}
