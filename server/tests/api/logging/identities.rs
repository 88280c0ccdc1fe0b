//! What proves who a user is, keys that move from one service to another, and what browsers report.

use hato_testkit::owner::PASSWORD;
use serde_json::json;

use super::Talkative;
use crate::fixtures::{get, post, registration};
use crate::users::token;
use crate::vapid_keys::PRIVATE;

const USER: &str = "user-in-particular";
const TAG: &str = "tag-between-two-people";

impl Talkative {
    /// A browser whose user is proven, rightly and not, lists of them in and out, and private keys likewise.
    pub async fn users_and_private_keys(&mut self) {
        let identity = get(&self.app.admin, &self.path("/identity")).await.json();
        let secret = identity["identity_secret"].as_str().expect("a secret");
        self.must_not_log("an identity secret", secret.trim_start_matches("idsec_"));
        let proof = token(&identity["identity_secret"], &self.app.id, USER);
        let wrong = proof.chars().rev().collect::<String>();
        for (token, status) in [(&proof, 201), (&wrong, 403)] {
            self.must_not_log("a user's token", token);
            let mut body = registration("https://push.example.com/of-a-user");
            body["user_id"] = USER.into();
            body["user_token"] = token.as_str().into();
            let reply = post(&self.app.frontend, "/api/v1/subscriptions", &body).await;
            assert_eq!(reply.status, status, "{reply}");
        }
        self.must_not_log("a user", USER);
        self.must_not_log("a tag", TAG);
        let mut item = registration("https://push.example.com/of-a-list");
        self.must_not_log(
            "an imported browser's secret",
            item["auth"].as_str().expect("a secret"),
        );
        item["tags"] = json!([TAG]);
        let bulk = json!({"items": [item, {"endpoint": TAG}]});
        let reply = post(&self.app.admin, &self.path("/subscriptions/bulk"), &bulk).await;
        assert_eq!(reply.status, 200, "{reply}");
        assert_eq!(
            get(&self.app.admin, &self.path("/export")).await.status,
            200
        );
        self.private_keys().await;
    }

    async fn private_keys(&mut self) {
        self.must_not_log("an imported private key", PRIVATE);
        for (key, status) in [(PRIVATE, 201), (PRIVATE, 200), (&PRIVATE[1..], 400)] {
            let body = json!({"private_key": key});
            let reply = post(&self.app.owner, &self.path("/vapid-keys"), &body).await;
            assert_eq!(reply.status, status, "{reply}");
        }
        let keys = get(&self.app.owner, &self.path("/vapid-keys")).await.json();
        for key in keys.as_array().expect("keys") {
            let id = key["id"].as_str().expect("an id");
            let export = self.path(&format!("/vapid-keys/{id}/export"));
            let password = json!({"password": PASSWORD});
            let exported = post(&self.app.owner, &export, &password).await.json();
            self.must_not_log(
                "a private key",
                exported["private_key"].as_str().expect("a key"),
            );
        }
    }

    /// Of messages that nobody was sent, and of no message.
    pub async fn reports(&mut self) {
        let token = "token-of-a-message".repeat(3);
        self.must_not_log("the token of a message", &token);
        let client = self.server.client();
        for body in [
            json!({"token": token, "event": "clicked", "action": "read"}),
            json!({"token": [token], "event": token}),
        ] {
            let reply = post(&client, "/api/v1/events", &body).await;
            assert_eq!(reply.status, 204, "{reply}");
        }
    }
}
