//! Registering, logging in and out, and the login through GitHub (CONTRACT 4).

use hato_domain::ErrorCode as E;
use hato_domain::wire::{Account, Acknowledged, Credentials, SessionCreated};
use serde_json::{Value, json};

use super::endpoint_auth::EndpointAuth;
use super::operation::{OperationSpec, get, post};
use super::parameter;

pub const TAG: &str = "accounts";
pub const ABOUT: &str = "Sessions of people.";

/// The endpoints of accounts and sessions, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    vec![
        with_credentials("/auth/register", "register", 201)
            .summary("Make an account", "アカウントを作成する")
            .errors([E::EmailInUse, E::RegistrationClosed]),
        with_credentials("/auth/login", "logIn", 200)
            .summary("Begin a session", "ログインする")
            .errors([E::InvalidCredentials]),
        post("/auth/logout", "logOut")
            .summary("End the session", "ログアウトする")
            .auth(EndpointAuth::Session)
            .response::<Acknowledged>(200, "It is over.", json!({"ok": true})),
        get("/auth/session", "getSession")
            .summary("Whose session it is", "セッションの持ち主を取得する")
            .auth(EndpointAuth::Session)
            .response::<Account>(200, "The account.", json!({"user": user()})),
        get("/auth/github", "beginGithubLogin")
            .summary(
                "Begin a login through GitHub, in a browser",
                "ブラウザで GitHub ログインを始める",
            )
            .auth(EndpointAuth::Anybody)
            .parameters([parameter::next()])
            .redirect("To GitHub.")
            .errors([E::RateLimited, E::OauthNotConfigured]),
        get("/auth/github/callback", "finishGithubLogin")
            .summary(
                "Where GitHub sends the browser back to",
                "GitHub から戻る先",
            )
            .auth(EndpointAuth::Anybody)
            .parameters(parameter::callback())
            .redirect("To the apps, logged in.")
            .errors([E::InvalidInput, E::MissingCode, E::InvalidState])
            .errors([E::RegistrationClosed, E::GithubAuthFailed])
            .errors([E::OauthNotConfigured]),
    ]
}

/// An endpoint that takes an address and a password and answers a session.
fn with_credentials(path: &'static str, id: &'static str, status: u16) -> OperationSpec {
    let about = "The account and a session, also as a cookie.";
    let session = json!({"user": user(), "session_token": "3f1c…"});
    post(path, id)
        .auth(EndpointAuth::Anybody)
        .body::<Credentials>(json!({"email": "owner@example.com", "password": "a long password"}))
        .response::<SessionCreated>(status, about, session)
        .errors([E::RateLimited, E::InvalidOrigin])
        .errors([E::MissingFields, E::InvalidEmail])
}

fn user() -> Value {
    json!({
        "id": "usr_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "email": "owner@example.com", "plan": "free",
        "created_at": 1_790_000_000_000_i64,
    })
}
