//! Files that the dashboard takes with forms: larger than other forms, from our own pages alone (CONTRACT 3, 16).

use hato_testkit::client::Reply;
use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::fixtures::{AUTH, BINARY, P256DH, app, get, post, send, start};

/// Posts a form from a page of this origin; its parts are divided by `--limit`.
async fn post_form(server: &HatoServer, path: &str, from: &str, form: String) -> Reply {
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
    send(&server.client(), Method::POST, path, &headers, form).await
}

fn part(name: &str, content: &str) -> String {
    format!("--limit\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{content}\r\n")
}

async fn upload(server: &HatoServer, app: &OwnedApp, from: &str, list: &str) -> Reply {
    let path = format!("/apps/{}/subscribers/import?step=import", app.id);
    let form = format!("{}--limit--\r\n", part("list", list));
    post_form(server, &path, from, form).await
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

/// What stands behind the picture may be who the notification is for.
#[on_each_database]
async fn a_draft_is_shown_again_whole_or_not_at_all(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database)).await;
    let app = app(&server, "owner@example.com").await;
    let path = format!("/apps/{}/send", app.id);
    let begin = [part("title", "Sale"), part("picture", "no picture")].concat();
    let end = [part("tags", "regulars"), "--limit--\r\n".to_owned()].concat();
    let whole = post_form(&server, &path, "same-origin", [&*begin, &end].concat()).await;
    for text in ["Sale", "regulars"] {
        assert!(whole.text().contains(text), "{text}: {whole}");
    }
    let large = part("picture", &"x".repeat(8 * 1024 * 1024));
    for (form, status) in [
        (begin.clone(), 400),
        ([&*begin, &large, &end].concat(), 413),
    ] {
        let refused = post_form(&server, &path, "same-origin", form).await;
        assert_eq!(refused.status, status, "{refused}");
        assert!(!refused.text().contains("Sale"), "{refused}");
    }
}

#[on_each_database]
async fn a_draft_has_as_many_fields_and_as_long_names_as_its_form(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database)).await;
    let app = app(&server, "owner@example.com").await;
    let path = format!("/apps/{}/send", app.id);
    let title = part("title", "Sale");
    let named = |length| [title.clone(), part(&"x".repeat(length), "")].concat();
    for (form, is_read) in [
        (title.repeat(100), true),
        (title.repeat(101), false),
        (named(100), true),
        (named(101), false),
    ] {
        let form = format!("{form}--limit--\r\n");
        let answer = post_form(&server, &path, "same-origin", form).await;
        assert_eq!(answer.status == 413, !is_read, "{answer}");
        assert_eq!(answer.text().contains("Sale"), is_read, "{answer}");
    }
}

/// The head of the answer to a form with a name of 64 KiB that goes on.
async fn answer_to_endless_name(server: &HatoServer, path: &str, cookie: &str) -> String {
    let mut stream = TcpStream::connect(server.address()).await.expect("open");
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: h\r\naccept: text/html\r\nsec-fetch-site: same-origin\r\n\
         cookie: {cookie}\r\ncontent-type: multipart/form-data; boundary=limit\r\n\
         content-length: 200000\r\n\r\n\
         --limit\r\nContent-Disposition: form-data; name=\""
    );
    let form = [head.as_bytes(), &vec![b'x'; 64 * 1024]].concat();
    stream.write_all(&form).await.expect("written");
    let mut answer = Vec::new();
    while !answer.windows(4).any(|it| it == b"\r\n\r\n") {
        let read = stream.read_buf(&mut answer).await.expect("an answer");
        assert_ne!(read, 0, "{}", answer.escape_ascii());
    }
    String::from_utf8_lossy(&answer).into_owned()
}

#[on_each_database]
async fn a_name_that_does_not_end_is_not_held(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database)).await;
    let app = app(&server, "owner@example.com").await;
    let path = format!("/apps/{}/send", app.id);
    let session = server.client().log_in("owner@example.com", PASSWORD).await;
    let session = format!("hato_session={}", session.expect("a session"));
    let refused = answer_to_endless_name(&server, &path, &session).await;
    assert!(refused.starts_with("HTTP/1.1 413 "), "{refused}");
    let refused = answer_to_endless_name(&server, &path, "a=b").await;
    assert!(refused.starts_with("HTTP/1.1 303 "), "{refused}");
    for page in ["subscribers/import", "settings"] {
        let path = format!("/apps/{}/{page}", app.id);
        let refused = answer_to_endless_name(&server, &path, &session).await;
        assert!(refused.starts_with("HTTP/1.1 413 "), "{page}: {refused}");
    }
}
