//! Secrets in the place of something else.

use http::Method;
use serde_json::json;

use super::{EMAIL, PASSWORD, Talkative};
use crate::fixtures::{post, send};

impl Talkative {
    /// What clients put where it does not belong: into paths, queries, headers and methods.
    pub async fn misplaced_secrets(&mut self) {
        let key = json!({"name": "misplaced", "scope": "full"});
        let made = post(&self.app.owner, &self.path("/keys"), &key)
            .await
            .json();
        let key = made["key"].as_str().expect("a key").to_owned();
        let client = self.server.client();
        let session = client.log_in(EMAIL, PASSWORD).await.expect("a session");
        self.must_not_log("a misplaced session", &session);
        self.must_not_log("a misplaced key", key.trim_start_matches("pk_"));
        for secret in [
            &key,
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            EMAIL,
            &session,
        ] {
            self.misplace(secret).await;
        }
    }

    async fn misplace(&self, secret: &str) {
        let keys = self.path(&format!("/keys/{secret}"));
        let page = format!("/apps/{}/sends/{secret}", self.app.id);
        let app = format!("/api/v1/apps/{secret}/notify?key={secret}");
        let login = format!("/auth/github/callback?code={secret}&state={secret}");
        let paging = self.path(&format!("/notifications?limit={secret}&before={secret}"));
        let forms = format!("/_app/{secret}?email={secret}");
        let [sdk, mcp, auth, other] =
            ["sdk", "mcp", "auth", "apps"].map(|it| format!("/{it}/{secret}"));
        let headers = [
            "idempotency-key",
            "referer",
            "user-agent",
            "x-request-id",
            "cookie",
            "host",
        ];
        let headers = headers.map(|name| (name, secret));
        for path in [
            &keys, &page, &app, &login, &paging, &forms, &sdk, &mcp, &auth, &other,
        ] {
            for method in [Method::GET, Method::POST, Method::DELETE] {
                send(&self.app.owner, method, path, &headers, secret.to_owned()).await;
            }
        }
        // Its failures count for nobody else.
        let bearer = format!("Bearer {secret}");
        let stranger = [
            ("authorization", bearer.as_str()),
            ("x-forwarded-for", "192.0.2.99"),
        ];
        send(&self.app.owner, Method::GET, "/api/v1/stats", &stranger, "").await;
        if let Ok(method) = Method::from_bytes(secret.as_bytes()) {
            send(&self.app.owner, method, "/api/v1/stats", &[], "").await;
        }
    }
}
