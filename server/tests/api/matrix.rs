//! Which credential opens which endpoint: every credential against the whole route table (SPEC 5, CONTRACT 2, 3).

mod credential;
mod fixture;

use std::collections::BTreeSet;

use hato_domain::{ErrorCode, Scope};
use hato_testkit::client::Reply;
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;

use crate::fixtures::{BINARY, start, status_and_code};
use crate::openapi;
use credential::{SessionTransport, TestCredential};
use fixture::MatrixFixture;

/// Who may use an endpoint.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RequiredAuth {
    /// A key of at least this scope, no session.
    Key(Scope),
    /// A session of the owner, or a key of the app with scope `full`.
    SessionOrFullKey,
    /// A session, no key.
    Session,
    /// Anybody; a session or key shown makes no difference.
    Anybody,
    /// The same, from pages of any site.
    AnySite,
}

/// The answer to an empty body, or to none, of whoever may use the endpoint.
type ExpectedStatus = (u16, &'static str);

/// An endpoint: its method and path, who may use it, and how they are answered.
type MatrixRow = (Method, &'static str, RequiredAuth, ExpectedStatus);

const OK: ExpectedStatus = (200, "");
const CREATED: ExpectedStatus = (201, "");
const MISSING_FIELDS: ExpectedStatus = (400, "MISSING_FIELDS");
const NOT_FOUND: ExpectedStatus = (404, "NOT_FOUND");

/// SPEC 4 and CONTRACT 4, 8, 12, 15 and 16, in their order.
#[rustfmt::skip]
fn table() -> Vec<MatrixRow> {
    use RequiredAuth::{AnySite, Anybody, Key, Session, SessionOrFullKey};
    let (get, post, patch, delete) = (Method::GET, Method::POST, Method::PATCH, Method::DELETE);
    let (any_key, sending_key) = (Key(Scope::SubscribeOnly), Key(Scope::Notify));
    let method = Method::clone;
    vec![
        (method(&post), "/api/v1/subscriptions", any_key, MISSING_FIELDS),
        (method(&post), "/api/v1/apps/{appId}/subscriptions", any_key, MISSING_FIELDS),
        (method(&delete), "/api/v1/apps/{appId}/subscriptions", any_key, MISSING_FIELDS),
        (method(&get), "/api/v1/apps/{appId}/subscriptions", SessionOrFullKey, OK),
        (method(&get), "/api/v1/apps/{appId}/audience", SessionOrFullKey, OK),
        (method(&get), "/api/v1/vapid-public-key", any_key, OK),
        (method(&patch), "/api/v1/subscriptions", any_key, MISSING_FIELDS),
        (method(&get), "/api/v1/stats", SessionOrFullKey, OK),
        (method(&get), "/api/v1/apps/{appId}/stats", SessionOrFullKey, OK),
        (method(&post), "/api/v1/apps/{appId}/keys", SessionOrFullKey, MISSING_FIELDS),
        (method(&get), "/api/v1/apps/{appId}/keys", SessionOrFullKey, OK),
        (method(&delete), "/api/v1/apps/{appId}/keys/{keyId}", SessionOrFullKey, OK),
        (method(&post), "/api/v1/notify", sending_key, MISSING_FIELDS),
        (method(&post), "/api/v1/notify/batch", sending_key, MISSING_FIELDS),
        (method(&post), "/api/v1/apps/{appId}/notify", SessionOrFullKey, MISSING_FIELDS),
        (method(&get), "/api/v1/apps/{appId}/notifications", SessionOrFullKey, OK),
        (method(&get), "/api/v1/apps/{appId}/notifications/{send_id}", SessionOrFullKey, OK),
        (method(&delete), "/api/v1/apps/{appId}/notifications/{send_id}", SessionOrFullKey, OK),
        (method(&get), "/api/v1/apps/{appId}/dead-letters", SessionOrFullKey, OK),
        (method(&get), "/api/v1/apps/{appId}/key-events", SessionOrFullKey, OK),
        (method(&patch), "/api/v1/apps/{appId}", SessionOrFullKey, MISSING_FIELDS),
        (method(&get), "/api/v1/apps/{appId}/webhook", SessionOrFullKey, NOT_FOUND),
        (method(&post), "/api/v1/apps/{appId}/webhook/secret", SessionOrFullKey, NOT_FOUND),
        (method(&post), "/api/v1/apps/{appId}/webhook/enable", SessionOrFullKey, NOT_FOUND),
        (method(&get), "/api/v1/apps/{appId}/identity", SessionOrFullKey, OK),
        (method(&post), "/api/v1/apps/{appId}/identity/secret", SessionOrFullKey, OK),
        (method(&post), "/api/v1/apps/{appId}/users/erase", SessionOrFullKey, MISSING_FIELDS),
        (method(&get), "/api/v1/apps/{appId}", SessionOrFullKey, OK),
        (method(&delete), "/api/v1/apps/{appId}", SessionOrFullKey, OK),
        (method(&post), "/api/v1/apps", Session, MISSING_FIELDS),
        (method(&get), "/api/v1/apps", Session, OK),
        (method(&get), "/api/v1/apps/{appId}/vapid-keys", SessionOrFullKey, OK),
        (method(&post), "/api/v1/apps/{appId}/vapid-keys", SessionOrFullKey, CREATED),
        (method(&post), "/api/v1/apps/{appId}/vapid-keys/{vapidKeyId}/primary", SessionOrFullKey, OK),
        (method(&post), "/api/v1/apps/{appId}/vapid-keys/{vapidKeyId}/export", Session, MISSING_FIELDS),
        (method(&delete), "/api/v1/apps/{appId}/vapid-keys/{vapidKeyId}", SessionOrFullKey, (409, "KEY_IN_USE")),
        (method(&post), "/api/v1/apps/{appId}/subscriptions/bulk", SessionOrFullKey, MISSING_FIELDS),
        (method(&get), "/api/v1/apps/{appId}/export", SessionOrFullKey, OK),
        (method(&get), "/api/v1/apps/{appId}/events/stream", SessionOrFullKey, OK),
        (method(&get), "/api/v1/openapi.json", Anybody, OK),
        (method(&post), "/api/v1/events", AnySite, (204, "")),
        (method(&post), "/auth/register", Anybody, MISSING_FIELDS),
        (method(&post), "/auth/login", Anybody, MISSING_FIELDS),
        (method(&post), "/auth/logout", Session, OK),
        (method(&get), "/auth/session", Session, OK),
        (method(&get), "/auth/github", Anybody, (503, "OAUTH_NOT_CONFIGURED")),
        (method(&get), "/auth/github/callback", Anybody, (503, "OAUTH_NOT_CONFIGURED")),
        (method(&post), "/mcp", Key(Scope::Full), (400, "INVALID_INPUT")),
    ]
}

/// What the credential is refused with; `None` when it opens the endpoint.
fn refusal(row: &MatrixRow, credential: TestCredential) -> Option<ErrorCode> {
    let (method, path, auth, _) = row;
    let changes = *method != Method::GET;
    let names_an_app = path.contains("{appId}");
    match (auth, credential) {
        (RequiredAuth::AnySite, _) => None,
        (RequiredAuth::Anybody, _) => {
            (changes && credential.names_another_site()).then_some(ErrorCode::InvalidOrigin)
        }
        (_, TestCredential::UnknownKey | TestCredential::DeletedKey) => {
            Some(ErrorCode::InvalidApiKey)
        }
        (_, TestCredential::DeadSession(_)) => Some(ErrorCode::InvalidSession),
        (_, TestCredential::Key(scope)) => scope_refusal(*auth, scope),
        (_, TestCredential::KeyOfOther(scope)) => {
            scope_refusal(*auth, scope).or(names_an_app.then_some(ErrorCode::AppMismatch))
        }
        (_, TestCredential::Nothing | TestCredential::Malformed(_)) | (RequiredAuth::Key(_), _) => {
            Some(ErrorCode::Unauthorized)
        }
        _ if changes && credential.is_cross_site_cookie() => Some(ErrorCode::InvalidOrigin),
        (_, TestCredential::SessionOfOther(_)) => names_an_app.then_some(ErrorCode::NotFound),
        (_, TestCredential::Session(_)) => None,
    }
}

fn scope_refusal(auth: RequiredAuth, scope: Scope) -> Option<ErrorCode> {
    let enough = match auth {
        RequiredAuth::Key(least) => scope >= least,
        RequiredAuth::SessionOrFullKey => scope == Scope::Full,
        RequiredAuth::Session => false,
        RequiredAuth::Anybody | RequiredAuth::AnySite => true,
    };
    (!enough).then_some(ErrorCode::InsufficientScope)
}

fn expected(row: &MatrixRow, credential: TestCredential) -> (u16, String) {
    let (status, code) =
        refusal(row, credential).map_or(row.3, |code| (code.status(), code.as_str()));
    (status, code.to_owned())
}

/// Whether the answer says that something is gone which the next credential would need: an app has few listeners.
fn consumes_credential(row: &MatrixRow, answer: &Reply) -> bool {
    let takes_something = ["/auth/logout", "/api/v1/apps/{appId}/events/stream"].contains(&row.1);
    answer.status.is_success() && (row.0 == Method::DELETE || takes_something)
}

#[test]
fn every_route_has_its_row_and_every_row_its_route() {
    let rows: BTreeSet<_> = table()
        .iter()
        .map(|(method, path, ..)| format!("{path} {method}"))
        .collect();
    let routes: BTreeSet<_> = hato_server::endpoints()
        .iter()
        .map(|route| format!("{} {}", route.path, route.method))
        .collect();
    assert_eq!(routes, rows);
}

#[on_each_database]
async fn every_credential_opens_what_it_should_and_nothing_else(database: TestDatabase) {
    let server = start(MatrixFixture::launch(database)).await;
    let mut fixture = MatrixFixture::set_up(&server).await;
    let document = openapi::document().await;
    for row in table() {
        for credential in TestCredential::ALL {
            let answer = fixture.request(&row.0, row.1, credential).await;
            let case = format!("{} {} with {credential:?}: {answer}", row.0, row.1);
            assert_eq!(
                status_and_code(&answer),
                expected(&row, credential),
                "{case}"
            );
            let is_described =
                row.1 == "/mcp" || openapi::foresees(&document, &row.0, row.1, &answer);
            assert!(is_described, "not described: {case}");
            if consumes_credential(&row, &answer) {
                fixture = MatrixFixture::set_up(&server).await;
            }
        }
    }
}

#[on_each_database]
async fn an_app_that_does_not_exist_is_like_somebody_elses(database: TestDatabase) {
    let server = start(MatrixFixture::launch(database)).await;
    let mut fixture = MatrixFixture::set_up(&server).await;
    let of_apps = || table().into_iter().filter(|row| row.1.contains("{appId}"));
    for id in [
        "app_00000000000000000000000000000000",
        "nonsense",
        "%20",
        "%ff",
        "..%2f",
    ] {
        id.clone_into(&mut fixture.own.app);
        for row in of_apps() {
            for credential in TestCredential::ALL
                .into_iter()
                .filter(TestCredential::is_live)
            {
                // For an app that is nobody's, every credential is somebody else's.
                let stranger = credential.of_somebody_else();
                let answer = fixture.request(&row.0, row.1, credential).await;
                let case = format!("{} {} with {credential:?}: {answer}", row.0, row.1);
                assert_eq!(
                    status_and_code(&answer),
                    expected(&row, stranger),
                    "{id}: {case}"
                );
            }
        }
    }
}

#[on_each_database]
async fn an_app_in_the_query_is_judged_like_one_in_the_path(database: TestDatabase) {
    let server = start(MatrixFixture::launch(database)).await;
    let fixture = MatrixFixture::set_up(&server).await;
    let session = TestCredential::Session(SessionTransport::Bearer);
    for (app, credential, expected) in [
        (&fixture.own.app, session, OK),
        (&fixture.own.app, TestCredential::Key(Scope::Full), OK),
        (&fixture.other.app, session, (404, "NOT_FOUND")),
        (
            &fixture.other.app,
            TestCredential::Key(Scope::Full),
            (403, "APP_MISMATCH"),
        ),
        (
            &fixture.other.app,
            TestCredential::Key(Scope::Notify),
            (403, "INSUFFICIENT_SCOPE"),
        ),
    ] {
        let path = format!("/api/v1/stats?appId={app}");
        let answer = fixture.request(&Method::GET, &path, credential).await;
        let (status, code) = expected;
        assert_eq!(
            status_and_code(&answer),
            (status, code.into()),
            "{path} with {credential:?}"
        );
    }
}

#[on_each_database]
async fn a_worker_has_none_of_them(database: TestDatabase) {
    let launch = ServerLaunch::on(BINARY, database).env("HATO_ROLE", "worker");
    let server = start(launch).await;
    for (method, path, ..) in table() {
        let answer = crate::fixtures::send(
            &server.client(),
            method,
            &path.replace(['{', '}'], ""),
            &[],
            "",
        )
        .await;
        assert_eq!(
            status_and_code(&answer),
            (404, "NOT_FOUND".into()),
            "{path}"
        );
    }
}
