//! Which credential opens which endpoint: every credential against the whole route table (SPEC 5, CONTRACT 2, 3).

mod credential;
mod world;

use std::collections::BTreeSet;

use hato_domain::{ErrorCode, Scope};
use hato_testkit::client::Reply;
use hato_testkit::server::Launch;
use http::Method;

use crate::openapi;
use crate::stage::{BINARY, refused, start};
use credential::{Borne, Credential};
use world::World;

/// Who may use an endpoint.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Takes {
    /// A key of at least this scope, no session.
    Key(Scope),
    /// A session, or a full key.
    SessionOrFullKey,
    /// A session, no key.
    Session,
    /// Anybody; a session or key shown makes no difference.
    Anybody,
}

/// The answer to an empty body, or to none, of whoever may use the endpoint.
type Answer = (u16, &'static str);

/// An endpoint: its method and path, who may use it, and how they are answered.
type Row = (Method, &'static str, Takes, Answer);

const FINE: Answer = (200, "");
const INCOMPLETE: Answer = (400, "MISSING_FIELDS");
const ABSENT: Answer = (404, "NOT_FOUND");

/// SPEC 4 and CONTRACT 4 and 8, in their order.
#[rustfmt::skip]
fn table() -> Vec<Row> {
    use Takes::{Anybody, Key, Session, SessionOrFullKey};
    let (get, post, patch, delete) = (Method::GET, Method::POST, Method::PATCH, Method::DELETE);
    let (any_key, sending_key) = (Key(Scope::SubscribeOnly), Key(Scope::Notify));
    let method = Method::clone;
    vec![
        (method(&post), "/api/v1/subscriptions", any_key, INCOMPLETE),
        (method(&post), "/api/v1/apps/{appId}/subscriptions", any_key, INCOMPLETE),
        (method(&delete), "/api/v1/apps/{appId}/subscriptions", any_key, INCOMPLETE),
        (method(&get), "/api/v1/vapid-public-key", any_key, FINE),
        (method(&get), "/api/v1/stats", SessionOrFullKey, FINE),
        (method(&get), "/api/v1/apps/{appId}/stats", SessionOrFullKey, FINE),
        (method(&post), "/api/v1/apps/{appId}/keys", SessionOrFullKey, INCOMPLETE),
        (method(&get), "/api/v1/apps/{appId}/keys", SessionOrFullKey, FINE),
        (method(&delete), "/api/v1/apps/{appId}/keys/{keyId}", SessionOrFullKey, FINE),
        (method(&post), "/api/v1/notify", sending_key, INCOMPLETE),
        (method(&post), "/api/v1/notify/batch", sending_key, INCOMPLETE),
        (method(&post), "/api/v1/apps/{appId}/notify", SessionOrFullKey, INCOMPLETE),
        (method(&get), "/api/v1/apps/{appId}/notifications", SessionOrFullKey, FINE),
        (method(&get), "/api/v1/apps/{appId}/notifications/{send_id}", SessionOrFullKey, FINE),
        (method(&delete), "/api/v1/apps/{appId}/notifications/{send_id}", SessionOrFullKey, FINE),
        (method(&get), "/api/v1/apps/{appId}/dead-letters", SessionOrFullKey, FINE),
        (method(&get), "/api/v1/apps/{appId}/key-events", SessionOrFullKey, FINE),
        (method(&patch), "/api/v1/apps/{appId}", SessionOrFullKey, INCOMPLETE),
        (method(&get), "/api/v1/apps/{appId}/webhook", SessionOrFullKey, ABSENT),
        (method(&post), "/api/v1/apps/{appId}/webhook/secret", SessionOrFullKey, ABSENT),
        (method(&post), "/api/v1/apps/{appId}/webhook/enable", SessionOrFullKey, ABSENT),
        (method(&get), "/api/v1/apps/{appId}", SessionOrFullKey, FINE),
        (method(&delete), "/api/v1/apps/{appId}", SessionOrFullKey, FINE),
        (method(&post), "/api/v1/apps", Session, INCOMPLETE),
        (method(&get), "/api/v1/apps", Session, FINE),
        (method(&get), "/api/v1/openapi.json", Anybody, FINE),
        (method(&post), "/auth/register", Anybody, INCOMPLETE),
        (method(&post), "/auth/login", Anybody, INCOMPLETE),
        (method(&post), "/auth/logout", Session, FINE),
        (method(&get), "/auth/session", Session, FINE),
        (method(&get), "/auth/github", Anybody, (503, "OAUTH_NOT_CONFIGURED")),
        (method(&get), "/auth/github/callback", Anybody, (503, "OAUTH_NOT_CONFIGURED")),
        (method(&post), "/mcp", Key(Scope::Full), (400, "INVALID_INPUT")),
    ]
}

/// What the credential is refused with; `None` when it opens the endpoint.
fn refusal(row: &Row, credential: Credential) -> Option<ErrorCode> {
    let (method, path, takes, _) = row;
    let changes = *method != Method::GET;
    let names_an_app = path.contains("{appId}");
    match (takes, credential) {
        (Takes::Anybody, _) => {
            (changes && credential.names_another_site()).then_some(ErrorCode::InvalidOrigin)
        }
        (_, Credential::UnknownKey | Credential::DeletedKey) => Some(ErrorCode::InvalidApiKey),
        (_, Credential::DeadSession(_)) => Some(ErrorCode::InvalidSession),
        (_, Credential::Key(scope)) => scope_refusal(*takes, scope),
        (_, Credential::KeyOfOther(scope)) => {
            scope_refusal(*takes, scope).or(names_an_app.then_some(ErrorCode::AppMismatch))
        }
        (_, Credential::Nothing | Credential::Malformed(_)) | (Takes::Key(_), _) => {
            Some(ErrorCode::Unauthorized)
        }
        _ if changes && credential.is_borrowed() => Some(ErrorCode::InvalidOrigin),
        (_, Credential::SessionOfOther(_)) => names_an_app.then_some(ErrorCode::NotFound),
        (_, Credential::Session(_)) => None,
    }
}

fn scope_refusal(takes: Takes, scope: Scope) -> Option<ErrorCode> {
    let enough = match takes {
        Takes::Key(least) => scope >= least,
        Takes::SessionOrFullKey => scope == Scope::Full,
        Takes::Session => false,
        Takes::Anybody => true,
    };
    (!enough).then_some(ErrorCode::InsufficientScope)
}

fn expected(row: &Row, credential: Credential) -> (u16, String) {
    let (status, code) =
        refusal(row, credential).map_or(row.3, |code| (code.status(), code.as_str()));
    (status, code.to_owned())
}

/// Whether the answer says that something is gone which the next credential would need.
fn has_used_up(row: &Row, answer: &Reply) -> bool {
    answer.status.is_success() && (row.0 == Method::DELETE || row.1 == "/auth/logout")
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

#[tokio::test]
async fn every_credential_opens_what_it_should_and_nothing_else() {
    let server = start(World::launch()).await;
    let mut world = World::set_up(&server).await;
    let document = openapi::document().await;
    for row in table() {
        for credential in Credential::ALL {
            let answer = world.ask(&row.0, row.1, credential).await;
            let case = format!("{} {} with {credential:?}: {answer}", row.0, row.1);
            assert_eq!(refused(&answer), expected(&row, credential), "{case}");
            let is_described =
                row.1 == "/mcp" || openapi::foresees(&document, &row.0, row.1, &answer);
            assert!(is_described, "not described: {case}");
            if has_used_up(&row, &answer) {
                world = World::set_up(&server).await;
            }
        }
    }
}

#[tokio::test]
async fn an_app_that_does_not_exist_is_like_somebody_elses() {
    let server = start(World::launch()).await;
    let mut world = World::set_up(&server).await;
    let of_apps = || table().into_iter().filter(|row| row.1.contains("{appId}"));
    for id in [
        "app_00000000000000000000000000000000",
        "nonsense",
        "%20",
        "%ff",
        "..%2f",
    ] {
        id.clone_into(&mut world.own.app);
        for row in of_apps() {
            for credential in Credential::ALL.into_iter().filter(Credential::is_live) {
                // For an app that is nobody's, every credential is somebody else's.
                let stranger = credential.of_somebody_else();
                let answer = world.ask(&row.0, row.1, credential).await;
                let case = format!("{} {} with {credential:?}: {answer}", row.0, row.1);
                assert_eq!(refused(&answer), expected(&row, stranger), "{id}: {case}");
            }
        }
    }
}

#[tokio::test]
async fn an_app_in_the_query_is_judged_like_one_in_the_path() {
    let server = start(World::launch()).await;
    let world = World::set_up(&server).await;
    let session = Credential::Session(Borne::Bearer);
    for (app, credential, expected) in [
        (&world.own.app, session, FINE),
        (&world.own.app, Credential::Key(Scope::Full), FINE),
        (&world.other.app, session, (404, "NOT_FOUND")),
        (
            &world.other.app,
            Credential::Key(Scope::Full),
            (403, "APP_MISMATCH"),
        ),
        (
            &world.other.app,
            Credential::Key(Scope::Notify),
            (403, "INSUFFICIENT_SCOPE"),
        ),
    ] {
        let path = format!("/api/v1/stats?appId={app}");
        let answer = world.ask(&Method::GET, &path, credential).await;
        let (status, code) = expected;
        assert_eq!(
            refused(&answer),
            (status, code.into()),
            "{path} with {credential:?}"
        );
    }
}

#[tokio::test]
async fn a_worker_has_none_of_them() {
    let launch = Launch::new(BINARY).env("HATO_ROLE", "worker");
    let server = start(launch).await;
    for (method, path, ..) in table() {
        let answer = crate::stage::send(
            &server.client(),
            method,
            &path.replace(['{', '}'], ""),
            &[],
            "",
        )
        .await;
        assert_eq!(refused(&answer), (404, "NOT_FOUND".into()), "{path}");
    }
}
