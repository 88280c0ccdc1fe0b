//! Every code of the error table is answered as the table says (SPEC 7, CONTRACT 2, 18).

mod cases;
mod github;

use std::collections::BTreeSet;

use hato_domain::ErrorCode;
use hato_testkit::client::Reply;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Map, Value};

use cases::PRICING_URL;

/// A code, and the answer that must carry it.
pub type ErrorCase = (ErrorCode, Reply);

async fn all(database: TestDatabase) -> Vec<ErrorCase> {
    [
        cases::by_bodies(database.another().await).await,
        cases::by_credentials(database.another().await).await,
        cases::by_accounts(database.another().await).await,
        cases::by_a_plan(database.another().await).await,
        cases::by_numbers(database.another().await).await,
        github::all(database.another().await).await,
        cases::by_settings(database.another().await).await,
        cases::by_a_broken_database(database.another().await).await,
    ]
    .concat()
}

#[on_each_database]
async fn every_code_is_provoked_and_answered_as_the_table_says(database: TestDatabase) {
    let cases = all(database).await;
    for (code, reply) in &cases {
        assert_as_the_table_says(*code, reply);
    }
    let seen: BTreeSet<_> = cases.iter().map(|(code, _)| code.as_str()).collect();
    let table: BTreeSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(seen, table);
}

fn assert_as_the_table_says(code: ErrorCode, reply: &Reply) {
    assert_eq!(reply.code(), code.as_str(), "{reply}");
    assert_eq!(reply.status, code.status(), "{reply}");
    assert_eq!(
        reply.header("content-type"),
        Some("application/json"),
        "{code}"
    );
    assert_eq!(reply.json(), body(code), "{code}");
    assert!(is_japanese(code.message()), "{code}");
    let pause = match code {
        ErrorCode::RateLimited => Some("60"),
        ErrorCode::Overloaded => Some("5"),
        _ => None,
    };
    assert_eq!(reply.header("retry-after"), pause, "{code}");
    assert!(reply.header("x-request-id").is_some(), "{code}");
}

fn body(code: ErrorCode) -> Value {
    let mut body = Map::new();
    body.insert("error".into(), code.message().into());
    body.insert("code".into(), code.as_str().into());
    let about_the_plan = [
        ErrorCode::PlanLimitExceeded,
        ErrorCode::PlanRequired,
        ErrorCode::MonthlyLimitExceeded,
        ErrorCode::SubscriberLimitExceeded,
    ];
    if about_the_plan.contains(&code) {
        body.insert("upgrade_url".into(), PRICING_URL.into());
    }
    body.into()
}

/// Whether there is kana, which no other language has.
fn is_japanese(text: &str) -> bool {
    text.chars()
        .any(|letter| ('\u{3041}'..='\u{30ff}').contains(&letter))
}

/// The codes and statuses of SPEC 7 and CONTRACT 2, 12 and 18, copied from there.
#[test]
fn the_table_is_that_of_the_specification() {
    const SPECIFICATION: &str = "
        MISSING_FIELDS 400 INVALID_URL 400 INVALID_ENDPOINT 400 TOO_MANY_ENDPOINTS 400 INVALID_EMAIL 400
        INVALID_INPUT 400 INVALID_SCOPE 400 MISSING_CODE 400 UNAUTHORIZED 401 INVALID_API_KEY 401
        INVALID_SESSION 401 INVALID_CREDENTIALS 401 INSUFFICIENT_SCOPE 403 APP_MISMATCH 403
        PLAN_LIMIT_EXCEEDED 403 PLAN_REQUIRED 403 INVALID_STATE 403 NOT_FOUND 404 EMAIL_IN_USE 409
        PAYLOAD_TOO_LARGE 413 MONTHLY_LIMIT_EXCEEDED 429 SUBSCRIBER_LIMIT_EXCEEDED 429 RATE_LIMITED 429
        INTERNAL_ERROR 500 GITHUB_AUTH_FAILED 502 OAUTH_NOT_CONFIGURED 503 CONFIG_ERROR 503
        METHOD_NOT_ALLOWED 405 INVALID_ORIGIN 403 REGISTRATION_CLOSED 403 IDEMPOTENCY_CONFLICT 409
        OVERLOADED 503 INVALID_USER_TOKEN 403 TOO_MANY_KEYS 409 KEY_IN_USE 409";
    let table = ErrorCode::ALL.map(|code| format!("{code} {}", code.status()));
    let specification: Vec<_> = SPECIFICATION.split_whitespace().collect();
    assert_eq!(table.join(" "), specification.join(" "));
}
