//! Lists of subscribers that the dashboard takes: larger than other forms, from our own pages alone (CONTRACT 3, 16).

use hato_testkit::client::Reply;
use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;

use crate::fixtures::{AUTH, BINARY, P256DH, app, get, post, send, start};

async fn upload(server: &HatoServer, app: &OwnedApp, from: &str, list: &str) -> Reply {
    let login = json!({"email": "owner@example.com", "password": PASSWORD});
    let session = post(&server.client(), "/auth/login", &login).await.json();
    let token = session["session_token"].as_str().expect("a token");
    let cookie = format!("hato_session={token}");
    let headers = [
        ("cookie", cookie.as_str()),
        ("sec-fetch-site", from),
        ("accept", "text/html"),
        ("content-type", "multipart/form-data; boundary=limit"),
    ];
    let head = "--limit\r\nContent-Disposition: form-data; name=\"list\"; filename=\"l\"\r\n\r\n";
    let body = format!("{head}{list}\r\n--limit--\r\n");
    let path = format!("/apps/{}/subscribers/import?step=import", app.id);
    send(&server.client(), Method::POST, &path, &headers, body).await
}

#[on_each_database]
async fn a_list_of_more_than_other_forms_is_taken_from_our_pages(database: TestDatabase) {
    let launch = ServerLaunch::on(BINARY, database).env("HATO_DEFAULT_PLAN", "pro");
    let server = start(launch).await;
    let app = app(&server, "owner@example.com").await;
    let line = |number: usize| format!("https://push.example.com/{number},{P256DH},{AUTH}\n");
    let mut list = "endpoint,p256dh,auth\n".to_owned();
    list.extend((0..3_500).map(line));
    assert!(list.len() > 256 * 1024);
    let active = async || {
        let path = format!("/api/v1/apps/{}", app.id);
        get(&app.owner, &path).await.json()["active_subscriptions"].clone()
    };
    let refused = upload(&server, &app, "cross-site", &list).await;
    assert_eq!(refused.status, 403, "{refused}");
    assert_eq!(active().await, 0);
    let taken = upload(&server, &app, "same-origin", &list).await;
    assert_eq!(taken.status, 200, "{taken}");
    assert_eq!(active().await, 3_500);
}
