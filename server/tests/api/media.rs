//! Uploaded pictures, as browsers get them (CONTRACT 11).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hato_testkit::client::Reply;
use hato_testkit::owner::{OwnedApp, PASSWORD};
use hato_testkit::server::HatoServer;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;

use crate::fixtures::{get, send, setup};

/// A PNG of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

struct Dashboard<'s> {
    server: &'s HatoServer,
    settings: String,
    cookie: String,
}

impl<'s> Dashboard<'s> {
    async fn new(server: &'s HatoServer, app: &OwnedApp) -> Self {
        let session = server.client().log_in("owner@example.com", PASSWORD).await;
        Self {
            server,
            settings: format!("/apps/{}/settings", app.id),
            cookie: format!("hato_session={}", session.expect("a session")),
        }
    }

    async fn upload(&self, from: &str, file: &[u8]) -> Reply {
        let headers = [
            ("cookie", self.cookie.as_str()),
            ("sec-fetch-site", from),
            ("accept", "text/html"),
            ("content-type", "multipart/form-data; boundary=limit"),
        ];
        let head = "--limit\r\nContent-Disposition: form-data; name=\"picture\"; filename=\"p\"\r\nContent-Type: text/html\r\n\r\n";
        let body = [head.as_bytes(), file, b"\r\n--limit--\r\n"].concat();
        send(
            &self.server.client(),
            Method::POST,
            &self.settings,
            &headers,
            body,
        )
        .await
    }

    async fn page(&self) -> String {
        let headers = [("cookie", self.cookie.as_str())];
        let client = self.server.client();
        let page = send(&client, Method::GET, &self.settings, &headers, "").await;
        page.text()
    }
}

#[on_each_database]
async fn a_picture_is_kept_by_browsers_and_nothing_in_it_runs(database: TestDatabase) {
    let (server, app) = setup(database).await;
    let dashboard = Dashboard::new(&server, &app).await;
    let file = STANDARD.decode(PNG).expect("base64");
    let refused = dashboard.upload("cross-site", &file).await;
    assert_eq!(refused.status, 403, "{refused}");
    let large = vec![7; 300 * 1024];
    let refused = dashboard.upload("same-origin", &large).await;
    assert_eq!(refused.status, 413, "{refused}");
    assert!(refused.text().contains("256 KB"), "{refused}");
    let kept = dashboard.upload("same-origin", &file).await;
    assert_eq!(kept.status, 303, "{kept}");
    let page = dashboard.page().await;
    let (_, name) = page.split_once("src=\"/media/").expect("a picture");
    let path = format!("/media/{}", name.split('"').next().expect("a name"));

    for method in [Method::GET, Method::HEAD] {
        let picture = send(&server.client(), method, &path, &[], "").await;
        assert_eq!(picture.status, 200, "{picture}");
        for (name, value) in [
            ("content-type", "image/png"),
            ("cache-control", "public, max-age=31536000, immutable"),
            ("x-content-type-options", "nosniff"),
            (
                "content-security-policy",
                "default-src 'none'; sandbox; frame-ancestors 'none'",
            ),
            ("cross-origin-resource-policy", "cross-origin"),
        ] {
            assert_eq!(picture.header(name), Some(value), "{name}");
        }
    }
    let picture = get(&server.client(), &path).await;
    assert!(picture.body.starts_with(b"\x89PNG\r\n\x1a\n"));
    for unknown in ["/media/nothing.png", "/media/%FF", "/media/", "/media/a/b"] {
        let missing = get(&server.client(), unknown).await;
        assert!(matches!(missing.status.as_u16(), 400 | 404), "{missing}");
        assert_eq!(
            missing
                .header("cache-control")
                .filter(|it| it.contains("immutable")),
            None
        );
    }
    let deleted = app.owner.delete(&format!("/api/v1/apps/{}", app.id)).await;
    assert!(deleted.expect("an answer").status.is_success());
    assert_eq!(get(&server.client(), &path).await.code(), "NOT_FOUND");
}
