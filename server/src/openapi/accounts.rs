//! Registering, logging in and out, and the login through GitHub (CONTRACT 4).

use hato_domain::ErrorCode;
use hato_domain::wire::{Account, Acknowledged, Credentials, SessionCreated};
use http::Method;
use serde_json::{Value, json};

use super::endpoint_auth::EndpointAuth;
use super::operation::OperationSpec;
use super::parameter;

/// The tag under which documents group the endpoints of accounts and sessions.
pub const TAG: &str = "accounts";

/// The endpoints of accounts and sessions, in the order of the specification.
pub fn operations() -> Vec<OperationSpec> {
    vec![
        credentials_operation("/auth/register", "register")
            .summary("Make an account", "アカウントを作成する")
            .response::<SessionCreated>(
                201,
                "The account and a session, also as a cookie.",
                signed_in(),
            )
            .errors([ErrorCode::EmailInUse, ErrorCode::RegistrationClosed]),
        credentials_operation("/auth/login", "logIn")
            .summary("Begin a session", "ログインする")
            .response::<SessionCreated>(
                200,
                "The account and a session, also as a cookie.",
                signed_in(),
            )
            .errors([ErrorCode::InvalidCredentials]),
        OperationSpec::new(Method::POST, "/auth/logout", "logOut", TAG)
            .summary("End the session", "ログアウトする")
            .auth(EndpointAuth::Session)
            .response::<Acknowledged>(200, "It is over.", json!({"ok": true})),
        OperationSpec::new(Method::GET, "/auth/session", "getSession", TAG)
            .summary("Whose session it is", "セッションの持ち主を取得する")
            .auth(EndpointAuth::Session)
            .response::<Account>(200, "The account.", json!({"user": user()})),
        OperationSpec::new(Method::GET, "/auth/github", "beginGithubLogin", TAG)
            .summary(
                "Begin a login through GitHub, in a browser",
                "ブラウザで GitHub ログインを始める",
            )
            .parameters(parameter::next())
            .redirect("To GitHub.")
            .errors([ErrorCode::RateLimited, ErrorCode::OauthNotConfigured]),
        OperationSpec::new(
            Method::GET,
            "/auth/github/callback",
            "finishGithubLogin",
            TAG,
        )
        .summary(
            "Where GitHub sends the browser back to",
            "GitHub から戻る先",
        )
        .parameters(parameter::callback())
        .redirect("To the apps, signed in.")
        .errors([
            ErrorCode::InvalidInput,
            ErrorCode::MissingCode,
            ErrorCode::InvalidState,
            ErrorCode::RegistrationClosed,
            ErrorCode::GithubAuthFailed,
            ErrorCode::OauthNotConfigured,
        ]),
    ]
}

fn credentials_operation(path: &'static str, id: &'static str) -> OperationSpec {
    OperationSpec::new(Method::POST, path, id, TAG)
        .body::<Credentials>(json!({"email": "owner@example.com", "password": "a long password"}))
        .errors([
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
