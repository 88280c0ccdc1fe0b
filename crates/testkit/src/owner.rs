//! An app owner's first steps, through the public API.

use crate::client::{Client, ClientError};
use serde_json::{Value, json};

/// The password of every account made here.
pub const PASSWORD: &str = "hato-demo-password";

/// An app with everything needed to use it.
pub struct OwnedApp {
    /// The id of the app as the API gives it in `appId`, `app_…`.
    pub id: String,
    /// The app's VAPID public key, base64url of 65 bytes.
    pub vapid_public_key: String,
    /// A client with the owner's session.
    pub owner: Client,
    /// A client with a `subscribe_only` key.
    pub frontend: Client,
    /// A client with a `notify` key.
    pub backend: Client,
    /// A client with a `full` key.
    pub admin: Client,
}

impl OwnedApp {
    /// Registers an account, creates an app and a key of each scope.
    pub async fn set_up(client: &Client, email: &str) -> Result<Self, ClientError> {
        let session = client.register_account(email, PASSWORD).await?;
        let owner = client.bearer(&session);
        let app = owner.create_app("Test app").await?;
        let id = text(&app, "appId");
        let (subscribe, notify, full) = tokio::try_join!(
            owner.create_key(&id, "frontend", "subscribe_only"),
            owner.create_key(&id, "backend", "notify"),
            owner.create_key(&id, "admin", "full"),
        )?;
        Ok(Self {
            vapid_public_key: text(&app, "vapid_public_key"),
            frontend: client.bearer(&subscribe),
            backend: client.bearer(&notify),
            admin: client.bearer(&full),
            owner,
            id,
        })
    }
}

impl Client {
    /// Makes an account with `POST /auth/register` and returns the session token.
    pub async fn register_account(
        &self,
        email: &str,
        password: &str,
    ) -> Result<String, ClientError> {
        let account = json!({"email": email, "password": password});
        let reply = self.post("/auth/register", &account).await?;
        Ok(text(&reply.expect_status(201)?.json(), "session_token"))
    }

    /// Logs in with `POST /auth/login` and returns the session token.
    pub async fn log_in(&self, email: &str, password: &str) -> Result<String, ClientError> {
        let account = json!({"email": email, "password": password});
        let reply = self.post("/auth/login", &account).await?;
        Ok(text(&reply.expect_status(200)?.json(), "session_token"))
    }

    /// Makes an app with `POST /api/v1/apps` and the session of this client, and returns the App object (SPEC 2.1).
    pub async fn create_app(&self, name: &str) -> Result<Value, ClientError> {
        let reply = self.post("/api/v1/apps", &json!({"name": name})).await?;
        Ok(reply.expect_status(201)?.json())
    }

    /// Makes a key with `POST /api/v1/apps/{appId}/keys` and returns the raw key.
    pub async fn create_key(
        &self,
        app_id: &str,
        name: &str,
        scope: &str,
    ) -> Result<String, ClientError> {
        let path = format!("/api/v1/apps/{app_id}/keys");
        let reply = self
            .post(&path, &json!({"name": name, "scope": scope}))
            .await?;
        Ok(text(&reply.expect_status(201)?.json(), "key"))
    }
}

/// A text member of an answer; panics with the answer when it is missing.
fn text(object: &Value, member: &str) -> String {
    match object[member].as_str() {
        Some(text) => text.to_owned(),
        None => panic!("no {member} in {object}"),
    }
}
