//! Uploads whose session ends while they arrive.

use std::convert::Infallible;
use std::io::Cursor;
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::future::join;
use futures_util::stream::{self, StreamExt as _};
use hato_testkit::{TestDatabase, on_each_database};
use image::{DynamicImage, ImageFormat};
use tokio::sync::mpsc;

use crate::drafts::log_out_everywhere;
use crate::harness::{
    AUTH, DashboardBrowser, OWNER, P256DH, PASSWORD, PageResponse, TestDashboard, pass,
};

/// Posts a form with this file, of which nothing is missing but its end when the session ends.
async fn upload_beyond_the_session(
    dashboard: &TestDashboard,
    browser: &mut DashboardBrowser<'_>,
    path: &str,
    (name, file): (&str, &[u8]),
) -> PageResponse {
    let head = format!(
        "--limit\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"f\"\r\n\r\n"
    );
    let beginning = Bytes::from([head.as_bytes(), file].concat());
    let (pieces, mut received) = mpsc::channel(1);
    let received = stream::poll_fn(move |context| received.poll_recv(context));
    let body = Body::from_stream(received.map(Ok::<_, Infallible>));
    let sending = async {
        pieces.send(beginning).await.expect("it is awaited");
        // There is room for the next one when this one is taken, which it is once it is known who asks.
        let end = pieces.reserve().await.expect("it is awaited");
        log_out_everywhere(dashboard).await;
        pass(Duration::from_secs(5)).await;
        end.send(Bytes::from_static(b"\r\n--limit--\r\n"));
        drop(pieces);
    };
    let (response, ()) = join(browser.post_multipart(path, body), sending).await;
    response
}

#[on_each_database]
async fn nothing_is_kept_that_ends_after_its_session(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let access = browser.access(&app).await;
    let list = format!("endpoint,p256dh,auth\nhttps://push.example/1,{P256DH},{AUTH}\n");
    let mut picture = Cursor::new(Vec::new());
    DynamicImage::new_rgba8(2, 2)
        .write_to(&mut picture, ImageFormat::Png)
        .expect("encoded");
    for (path, file) in [
        (
            format!("{app}/subscribers/import?step=import"),
            ("list", list.as_bytes()),
        ),
        (
            format!("{app}/settings"),
            ("picture", picture.get_ref().as_slice()),
        ),
    ] {
        let page = upload_beyond_the_session(&dashboard, &mut browser, &path, file).await;
        let login = page.location();
        assert!(login.starts_with("/login?next=%2Fapps%2F"), "{login}");
        let fields = [("email", OWNER), ("password", PASSWORD)];
        browser.post("/_app/login", &fields).await;
    }
    let service = &dashboard.context.service;
    let kept = service.app(&access).await.expect("the app");
    assert_eq!(kept.active_subscriptions, 0);
    assert!(service.pictures(&access).await.expect("a list").is_empty());
}
