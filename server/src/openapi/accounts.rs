//! CONTRACT 4.

use hato_domain::ErrorCode;
use hato_domain::wire::{Account, Acknowledged, Credentials, SessionCreated};
use http::Method;
use serde_json::{Value, json};

use super::operation::Operation;
use super::parameter;
use super::takes::Takes;

/// Their heading.
pub const TAG: &str = "accounts";

/// The endpoints.
pub fn operations() -> Vec<Operation> {
    vec![
        entrance("/auth/register", "register")
            .says("Make an account", "アカウントを作成する")
            .answers::<SessionCreated>(
                201,
                "The account and a session, also as a cookie.",
                signed_in(),
            )
            .refuses([ErrorCode::EmailInUse, ErrorCode::RegistrationClosed]),
        entrance("/auth/login", "logIn")
            .says("Begin a session", "ログインする")
            .answers::<SessionCreated>(
                200,
                "The account and a session, also as a cookie.",
                signed_in(),
            )
            .refuses([ErrorCode::InvalidCredentials]),
        Operation::new(Method::POST, "/auth/logout", "logOut", TAG)
            .says("End the session", "ログアウトする")
            .takes(Takes::Session)
            .answers::<Acknowledged>(200, "It is over.", json!({"ok": true})),
        Operation::new(Method::GET, "/auth/session", "getSession", TAG)
            .says("Whose session it is", "セッションの持ち主を取得する")
            .takes(Takes::Session)
            .answers::<Account>(200, "The account.", json!({"user": user()})),
        Operation::new(Method::GET, "/auth/github", "beginGithubLogin", TAG)
            .says(
                "Begin a login through GitHub, in a browser",
                "ブラウザで GitHub ログインを始める",
            )
            .with(parameter::next())
            .redirects("To GitHub.")
            .refuses([ErrorCode::RateLimited, ErrorCode::OauthNotConfigured]),
        Operation::new(
            Method::GET,
            "/auth/github/callback",
            "finishGithubLogin",
            TAG,
        )
        .says(
            "Where GitHub sends the browser back to",
            "GitHub から戻る先",
        )
        .with(parameter::callback())
        .redirects("To the apps, signed in.")
        .refuses([
            ErrorCode::InvalidInput,
            ErrorCode::MissingCode,
            ErrorCode::InvalidState,
            ErrorCode::RegistrationClosed,
            ErrorCode::GithubAuthFailed,
            ErrorCode::OauthNotConfigured,
        ]),
    ]
}

fn entrance(path: &'static str, id: &'static str) -> Operation {
    Operation::new(Method::POST, path, id, TAG)
        .body::<Credentials>(json!({"email": "owner@example.com", "password": "a long password"}))
        .refuses([
            ErrorCode::RateLimited,
            ErrorCode::InvalidOrigin,
            ErrorCode::MissingFields,
            ErrorCode::InvalidEmail,
        ])
}

fn user() -> Value {
    json!({
        "id": "usr_0198f0c5a1b27cc2b1d3f4e5a6b7c8d9", "email": "owner@example.com", "plan": "free",
        "created_at": 1_790_000_000_000_i64,
    })
}

fn signed_in() -> Value {
    json!({"user": user(), "session_token": "3f1c…"})
}
