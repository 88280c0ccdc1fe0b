//! Rate limits (SPEC 8, CONTRACT 3, 18).

use hato_testkit::client::{Client, Reply};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;

use crate::fixtures::{BINARY, app, concurrently, count, send, start, status_and_code};

async fn behind_a_proxy(database: TestDatabase) -> HatoServer {
    start(ServerLaunch::on(BINARY, database).env("HATO_TRUSTED_PROXIES", "127.0.0.0/8")).await
}

async fn post_from(client: &Client, address: &str, path: &str, body: &str) -> Reply {
    let headers = [("x-forwarded-for", address)];
    send(client, Method::POST, path, &headers, body.to_owned()).await
}

fn is_limited(reply: &Reply) -> bool {
    let limited = status_and_code(reply) == (429, "RATE_LIMITED".into());
    assert_eq!(
        reply.header("retry-after"),
        limited.then_some("60"),
        "{reply}"
    );
    limited
}

#[on_each_database]
async fn logins_and_registrations_are_counted_by_address(database: TestDatabase) {
    let server = behind_a_proxy(database).await;
    let client = server.client();
    for (path, form, limit) in [
        ("/auth/login", "/_app/login", 10),
        ("/auth/register", "/_app/register", 5),
    ] {
        for _ in 0..limit {
            assert!(
                !is_limited(&post_from(&client, "192.0.2.1", path, "{}").await),
                "{path}"
            );
        }
        let reply = post_from(&client, "192.0.2.1", path, "{}").await;
        assert!(is_limited(&reply), "{path}");
        assert_eq!(
            reply.json()["error"],
            "リクエストが多すぎます。しばらく待ってからやり直してください。"
        );
        assert_eq!(
            post_from(&client, "192.0.2.1", form, "").await.status,
            429,
            "{form}"
        );
        assert!(
            !is_limited(&post_from(&client, "192.0.2.2", path, "{}").await),
            "{path}"
        );
    }
}

#[on_each_database]
async fn forms_count_like_the_endpoints_they_stand_for(database: TestDatabase) {
    let server = behind_a_proxy(database).await;
    for (address, form) in [
        ("192.0.2.1", "/_app/login"),
        ("192.0.2.2", "/_app/change_password"),
        ("192.0.2.3", "/_app/delete_account"),
    ] {
        for _ in 0..10 {
            post_from(&server.client(), address, form, "").await;
        }
        let reply = post_from(&server.client(), address, "/auth/login", "{}").await;
        assert!(is_limited(&reply), "{form}");
    }
}

#[on_each_database]
async fn after_20_failures_keys_from_there_are_refused(database: TestDatabase) {
    let server = behind_a_proxy(database).await;
    let app = app(&server, "owner@example.com").await;
    let stranger = server.client().bearer(&format!("pk_{}", "0".repeat(64)));
    let (here, neighbour) = ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9");
    let path = "/api/v1/subscriptions";
    for number in 0..20 {
        let client = if number % 2 == 0 {
            &stranger
        } else {
            &server.client()
        };
        let reply = post_from(client, here, path, "{}").await;
        assert_eq!(reply.status, 401, "{reply}");
        assert!(!is_limited(&post_from(&app.frontend, here, path, "{}").await) || number == 19);
    }
    for client in [&stranger, &app.frontend, &server.client()] {
        assert!(is_limited(&post_from(client, here, path, "{}").await));
        assert!(is_limited(&post_from(client, neighbour, path, "{}").await));
        assert!(!is_limited(
            &post_from(client, "2001:db8:1:3::1", path, "{}").await
        ));
    }
    let session = post_from(&app.owner, here, "/api/v1/apps", &json!({}).to_string()).await;
    assert_eq!(status_and_code(&session), (400, "MISSING_FIELDS".into()));
    let session = post_from(&app.owner, here, path, "{}").await;
    assert_eq!(status_and_code(&session), (401, "UNAUTHORIZED".into()));
}

#[on_each_database]
async fn a_stranger_cannot_choose_an_address(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database)).await;
    for number in 0..11 {
        let address = format!("192.0.2.{number}");
        let reply = post_from(&server.client(), &address, "/auth/login", "{}").await;
        assert_eq!(is_limited(&reply), number == 10, "{number}");
    }
}

#[on_each_database]
async fn the_way_to_github_counts_as_a_login(database: TestDatabase) {
    let server = behind_a_proxy(database).await;
    let client = server.client();
    let headers = [("x-forwarded-for", "192.0.2.1")];
    for number in 0..10 {
        let reply = if number % 2 == 0 {
            send(&client, Method::GET, "/auth/github", &headers, "").await
        } else {
            post_from(&client, "192.0.2.1", "/auth/login", "{}").await
        };
        assert!(!is_limited(&reply), "{number}");
    }
    for _ in 0..2 {
        assert!(is_limited(
            &send(&client, Method::GET, "/auth/github", &headers, "").await
        ));
        assert!(is_limited(
            &post_from(&client, "192.0.2.1", "/auth/login", "{}").await
        ));
    }
    assert!(!is_limited(
        &post_from(&client, "192.0.2.1", "/auth/register", "{}").await
    ));
}

#[on_each_database]
async fn limits_are_exact_for_requests_at_the_same_time(database: TestDatabase) {
    let server = behind_a_proxy(database).await;
    let stranger = server.client().bearer("pk_0");
    for (path, allowed, status) in [
        ("/auth/login", 10, 400),
        ("/auth/register", 5, 400),
        ("/api/v1/notify", 20, 401),
    ] {
        let replies = concurrently((0..32).map(|_| {
            let client = stranger.clone();
            async move { post_from(&client, "192.0.2.1", path, "{}").await }
        }));
        let replies = replies.await;
        let counts = (count(&replies, status), count(&replies, 429));
        assert_eq!(counts, (allowed, 32 - allowed), "{path}");
    }
}

#[on_each_database]
async fn the_ipv6_clients_of_a_site_are_counted_together_as_well(database: TestDatabase) {
    let server = behind_a_proxy(database).await;
    let client = server.client();
    for (path, limit) in [("/auth/login", 10), ("/auth/register", 5)] {
        let from = |site: u16, network: u16| format!("2001:db8:{site:x}:{network:x}::1");
        for network in 0..10 {
            for _ in 0..limit {
                let reply = post_from(&client, &from(1, network), path, "{}").await;
                assert!(!is_limited(&reply), "{path} from {network}");
            }
        }
        let fresh = post_from(&client, &from(1, 10), path, "{}").await;
        assert!(is_limited(&fresh), "{path}");
        let elsewhere = post_from(&client, &from(2, 0), path, "{}").await;
        assert!(!is_limited(&elsewhere), "{path}");
    }
}

#[on_each_database]
async fn whom_the_own_limit_refuses_does_not_use_up_the_sites(database: TestDatabase) {
    let server = behind_a_proxy(database).await;
    let client = server.client();
    for _ in 0..200 {
        post_from(&client, "2001:db8:1:1::1", "/auth/login", "{}").await;
    }
    let neighbour = post_from(&client, "2001:db8:1:2::1", "/auth/login", "{}").await;
    assert!(!is_limited(&neighbour), "{neighbour}");
}

#[on_each_database]
async fn only_missing_and_unknown_credentials_of_the_api_count(database: TestDatabase) {
    let server = behind_a_proxy(database).await;
    let (first, second) = (
        app(&server, "a@example.com").await,
        app(&server, "b@example.com").await,
    );
    let nobody = server.client();
    let dead = nobody.bearer("dead");
    let of = |app: &str| format!("/api/v1/apps/{app}/keys");
    for (client, path, status) in [
        (&first.frontend, "/api/v1/subscriptions".to_owned(), 400),
        (&first.frontend, of(&first.id), 403),
        (&first.admin, of(&second.id), 403),
        (&first.owner, of(&second.id), 404),
        (&dead, of(&first.id), 401),
        (&first.admin, "/api/v1/nothing".into(), 404),
        (&nobody, "/auth/logout".into(), 401),
        (&nobody, "/api/nothing".into(), 404),
    ] {
        for _ in 0..21 {
            let reply = post_from(client, "192.0.2.1", &path, "{}").await;
            assert_eq!(reply.status, status, "{path}: {reply}");
        }
    }
    let reply = post_from(&first.backend, "192.0.2.1", "/api/v1/notify", "{}").await;
    assert_eq!(status_and_code(&reply), (400, "MISSING_FIELDS".into()));
}

#[on_each_database]
async fn a_session_where_only_keys_are_taken_counts_and_sessions_go_on(database: TestDatabase) {
    let server = behind_a_proxy(database).await;
    let app = app(&server, "owner@example.com").await;
    for _ in 0..20 {
        let reply = post_from(&app.owner, "192.0.2.1", "/api/v1/notify", "{}").await;
        assert_eq!(status_and_code(&reply), (401, "UNAUTHORIZED".into()));
    }
    for path in ["/api/v1/notify", "/api/v1/nothing"] {
        for client in [&app.admin, &server.client()] {
            assert!(
                is_limited(&post_from(client, "192.0.2.1", path, "{}").await),
                "{path}"
            );
        }
    }
    let reply = post_from(&app.owner, "192.0.2.1", "/api/v1/apps", "{}").await;
    assert_eq!(status_and_code(&reply), (400, "MISSING_FIELDS".into()));
    assert!(!is_limited(
        &post_from(&server.client(), "192.0.2.1", "/auth/login", "{}").await
    ));
}
