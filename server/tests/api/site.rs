//! The browser's files and pages, out of the binary alone (CONTRACT 10, 11).

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use aws_lc_rs::digest::{SHA384, digest};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hato_testkit::owner::PASSWORD;
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use http::Method;
use serde_json::json;

use crate::fixtures::{BINARY, get, post, send, server, setup, start};

/// The scripts that sites load, with the most bytes that each may cost a visitor.
const SCRIPTS: [(&str, usize); 5] = [
    ("sw.js", 24_576),
    ("hato.js", 6_144),
    ("hato.mjs", 6_144),
    ("bell.js", 3_072),
    ("preferences.js", 3_072),
];

/// Where the repository keeps the files of every release, a folder for each; there is none before the first.
const RELEASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../sw/releases");

#[tokio::test]
async fn the_binary_alone_is_a_whole_server() {
    let (folder, elsewhere) = (tempfile::tempdir(), tempfile::tempdir());
    let (folder, elsewhere) = (folder.expect("a folder"), elsewhere.expect("a folder"));
    fs::copy(BINARY, folder.path().join("hato-server")).expect("a copy");
    // The program must not find anything of the repository below the folder in which it runs.
    let runner = elsewhere.path().join("run");
    let script = format!(
        "#!/bin/sh\ncd '{}' && exec ./hato-server \"$@\"\n",
        folder.path().display()
    );
    fs::write(&runner, script).expect("written");
    fs::set_permissions(&runner, fs::Permissions::from_mode(0o700)).expect("made executable");

    let server = start(ServerLaunch::new(runner).data_dir(folder.path().join("data"))).await;
    let page = get(&server.client(), "/").await;
    assert_eq!(page.status, 200, "{page}");
    assert!(page.text().contains("<html"));
    for (file, _) in SCRIPTS {
        let path = format!("/sdk/{file}");
        assert_eq!(get(&server.client(), &path).await.status, 200, "{file}");
    }
    let account = json!({"email": "a@example.com", "password": "correct horse"});
    assert_eq!(
        post(&server.client(), "/auth/register", &account)
            .await
            .status,
        201
    );
}

#[tokio::test]
async fn the_sdk_is_revalidated_and_its_releases_never_change() {
    let server = server(TestDatabase::sqlite().await).await;
    let version = env!("CARGO_PKG_VERSION");
    let is_released = Path::new(RELEASES).join(version).is_dir();
    for (file, _) in SCRIPTS {
        let current = get(&server.client(), &format!("/sdk/{file}")).await;
        let kept = get(&server.client(), &format!("/sdk/{version}/{file}")).await;
        assert_eq!(
            (current.status.as_u16(), kept.status.as_u16()),
            (200, 200),
            "{file}"
        );
        assert_eq!(current.header("cache-control"), Some("no-cache"));
        let cache = kept.header("cache-control").expect("a rule");
        assert!(cache.contains("immutable"), "{file}: {cache}");
        assert!(is_released || kept.body == current.body, "{file}");
        assert_eq!(
            current.header("content-type"),
            Some("text/javascript; charset=utf-8")
        );
        assert_eq!(
            current.header("cross-origin-resource-policy"),
            Some("cross-origin")
        );

        let etag = current.header("etag").expect("a tag").to_owned();
        let path = format!("/sdk/{file}");
        let known = [("if-none-match", etag.as_str())];
        let unchanged = send(&server.client(), Method::GET, &path, &known, "").await;
        assert_eq!(
            (unchanged.status.as_u16(), unchanged.body.len()),
            (304, 0),
            "{file}"
        );
        assert_eq!(unchanged.header("etag"), Some(etag.as_str()));
        let changed = send(
            &server.client(),
            Method::GET,
            &path,
            &[("if-none-match", "\"x\"")],
            "",
        )
        .await;
        assert_eq!(changed.status, 200);
    }
}

#[tokio::test]
async fn scripts_are_small() {
    let server = server(TestDatabase::sqlite().await).await;
    for (file, limit) in SCRIPTS {
        let (path, headers) = (format!("/sdk/{file}"), [("accept-encoding", "br")]);
        let reply = send(&server.client(), Method::GET, &path, &headers, "").await;
        let size = reply.body.len();
        assert!(
            size <= limit,
            "{file} has {size} bytes, at most {limit} are allowed"
        );
    }
}

#[tokio::test]
async fn a_page_that_pastes_the_snippets_runs_what_is_served() {
    let (server, app) = setup(TestDatabase::sqlite().await).await;
    let account = json!({"email": "owner@example.com", "password": PASSWORD});
    let entered = post(&server.client(), "/auth/login", &account).await.json();
    let token = entered["session_token"].as_str().expect("a token");
    let cookie = format!("hato_session={token}");
    let (path, headers) = (
        format!("/apps/{}/embed", app.id),
        [("cookie", cookie.as_str())],
    );
    let page = send(&server.client(), Method::GET, &path, &headers, "").await;
    let page = page.text();
    let scripts: Vec<_> = page.split("/sdk/").filter_map(script).collect();
    let names: Vec<_> = scripts
        .iter()
        .filter_map(|(path, _)| path.split('?').next())
        .map(|path| file_name_of(Path::new(path)))
        .collect();
    assert_eq!(names, ["hato.js", "bell.js", "preferences.js"], "{page}");
    for (path, integrity) in scripts {
        let reply = get(&server.client(), &format!("/sdk/{path}")).await;
        let release = fs::read(Path::new(RELEASES).join(path)).ok();
        assert!(
            release.as_ref().is_none_or(|it| reply.body == *it),
            "{path}"
        );
        let expected = format!("sha384-{}", STANDARD.encode(digest(&SHA384, &reply.body)));
        assert_eq!(integrity, expected, "{path}");
        let cache = reply.header("cache-control").expect("a rule");
        assert!(cache.contains("immutable"), "{path}: {cache}");
        assert_eq!(path.contains('?'), release.is_none(), "{path}");
    }
}

/// The path and the integrity value of a script whose address begins the text.
fn script(text: &str) -> Option<(&str, &str)> {
    let (path, rest) = text.split_once('"')?;
    let rest = rest.trim_start().strip_prefix("integrity=\"")?;
    Some((path, rest.split_once('"')?.0))
}

#[tokio::test]
async fn every_release_of_the_sdk_is_served_as_it_was() {
    let server = server(TestDatabase::sqlite().await).await;
    for file in releases() {
        let version = file_name_of(file.parent().expect("a version"));
        let path = format!("/sdk/{version}/{}", file_name_of(&file));
        let reply = get(&server.client(), &path).await;
        let kept = fs::read(&file).expect("it is there");
        assert!(reply.status == 200 && reply.body == kept, "{path}");
        let cache = reply.header("cache-control").expect("a rule");
        assert!(cache.contains("immutable"), "{path}: {cache}");
    }
}

/// The files of the releases in the repository.
fn releases() -> Vec<PathBuf> {
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.expect("an entry").path())
    };
    let versions = entries(Path::new(RELEASES)).filter(|path| path.is_dir());
    versions
        .flat_map(|version| entries(&version).collect::<Vec<_>>())
        .collect()
}

fn file_name_of(path: &Path) -> String {
    let name = path.file_name().expect("a name");
    name.to_string_lossy().into_owned()
}

#[tokio::test]
async fn files_are_sent_compressed_to_those_who_take_it() {
    let server = server(TestDatabase::sqlite().await).await;
    let plain = get(&server.client(), "/sdk/sw.js").await;
    let headers = [("accept-encoding", "gzip, br")];
    let small = send(&server.client(), Method::GET, "/sdk/sw.js", &headers, "").await;
    assert_eq!(small.header("content-encoding"), Some("br"));
    assert!(small.body.len() < plain.body.len());
    assert_ne!(small.header("etag"), plain.header("etag"));
    for reply in [&small, &plain] {
        assert!(
            reply
                .header("vary")
                .is_some_and(|vary| vary.contains("accept-encoding"))
        );
    }
}

#[tokio::test]
async fn pages_are_guarded_and_compressed() {
    let server = server(TestDatabase::sqlite().await).await;
    for (path, status) in [
        ("/", 200),
        ("/login", 200),
        ("/register", 200),
        ("/nothing", 404),
    ] {
        for (accepted, expected) in [
            ("br, gzip", Some("br")),
            ("gzip", Some("gzip")),
            ("identity", None),
        ] {
            let headers = [("accept-encoding", accepted)];
            let page = send(&server.client(), Method::GET, path, &headers, "").await;
            assert_eq!(page.status, status, "{path}");
            assert_eq!(
                page.header("content-encoding"),
                expected,
                "{path} {accepted}"
            );
            // It is there as a whole before anything of it is written, so nothing else waits for a client that takes it slowly.
            let length = page.header("content-length").map(str::to_owned);
            assert_eq!(
                length,
                Some(page.body.len().to_string()),
                "{path} {accepted}"
            );
            let policy = page.header("content-security-policy").expect("a policy");
            assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe-inline"));
            assert_eq!(
                page.header("x-content-type-options"),
                Some("nosniff"),
                "{path}"
            );
        }
    }
}

#[on_each_database]
async fn a_form_signs_a_browser_in(database: TestDatabase) {
    let server = server(database).await;
    let form = |path, headers: &'static [(&'static str, &'static str)], body: &'static str| {
        let client = server.client();
        async move { send(&client, Method::POST, path, headers, body).await }
    };
    let headers: &[_] = &[
        ("sec-fetch-site", "same-origin"),
        ("content-type", "application/x-www-form-urlencoded"),
        ("accept", "text/html"),
    ];
    let account = "email=a%40example.com&password=correct+horse";
    let registered = form("/_app/register", headers, account).await;
    assert_eq!(registered.status, 303, "{registered}");
    let entered = form("/_app/login", headers, account).await;
    let cookie = entered.header("set-cookie").expect("a cookie").to_owned();
    let cookie = cookie.split(';').next().expect("a pair");
    for (headers, status) in [(&[("cookie", cookie)][..], 200), (&[][..], 302)] {
        let page = send(&server.client(), Method::GET, "/apps", headers, "").await;
        let redirected = status == 302 && page.status.is_redirection();
        assert!(page.status == status || redirected, "{page}");
    }
    let large = Box::leak("x".repeat(300 * 1024).into_boxed_str());
    assert_eq!(form("/_app/create_app", headers, large).await.status, 413);
}

#[tokio::test]
async fn nothing_but_the_site_is_served() {
    let server = server(TestDatabase::sqlite().await).await;
    for path in [
        "/build.txt",
        "/sdk/sw.js.br",
        "/sdk/",
        "/sdk/%2e%2e/build.txt",
        "/sdk/../build.txt",
        "/pkg/nothing.js",
        "/sdk/9.9.9/sw.js",
    ] {
        assert_eq!(get(&server.client(), path).await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn a_worker_only_tells_its_health() {
    let server = start(ServerLaunch::new(BINARY).env("HATO_ROLE", "worker")).await;
    assert_eq!(get(&server.client(), "/healthz").await.status, 200);
    assert_eq!(get(&server.client(), "/readyz").await.status, 200);
    for path in ["/", "/api/v1/apps", "/sdk/sw.js", "/auth/session"] {
        let reply = get(&server.client(), path).await;
        assert_eq!(
            (reply.status.as_u16(), reply.code()),
            (404, "NOT_FOUND".into()),
            "{path}"
        );
    }
}

#[tokio::test]
async fn browsers_are_told_to_stay_with_https_where_it_is_served() {
    for (base_url, expected) in [
        ("https://push.example", Some("max-age=31536000")),
        ("http://localhost:3000", None),
    ] {
        for role in ["all", "worker"] {
            let launch = ServerLaunch::new(BINARY)
                .env("HATO_BASE_URL", base_url)
                .env("HATO_ROLE", role);
            let server = start(launch).await;
            for path in [
                "/",
                "/apps",
                "/api/v1/apps",
                "/auth/session",
                "/sdk/sw.js",
                "/healthz",
                "/nowhere",
            ] {
                let reply = get(&server.client(), path).await;
                let header = reply.header("strict-transport-security");
                assert_eq!(header, expected, "{role} {path}");
            }
        }
    }
}

#[tokio::test]
async fn the_dashboard_leads_to_the_operators_page_about_plans() {
    let elsewhere = "https://pricing.example/plans?from=hato";
    let launch = ServerLaunch::new(BINARY).env("HATO_PRICING_URL", elsewhere);
    for (server, link) in [
        (start(launch).await, elsewhere),
        (server(TestDatabase::sqlite().await).await, "/pricing"),
    ] {
        let client = server.client();
        let account = client.register_account("a@example.com", PASSWORD).await;
        let session = account.expect("a session");
        let cookie = format!("hato_session={session}");
        let owner = client.bearer(&session);
        let app = owner.create_app("App").await.expect("an app");
        let webhook = format!("/apps/{}/webhook", app["appId"].as_str().expect("an id"));
        for page in [
            "/",
            "/apps",
            "/apps?error=PLAN_LIMIT_EXCEEDED&form=create",
            "/account",
            &webhook,
        ] {
            let headers = [("cookie", cookie.as_str())];
            let text = send(&client, Method::GET, page, &headers, "").await.text();
            let links: Vec<_> = text
                .match_indices("href=\"")
                .filter_map(|(at, start)| text[at + start.len()..].split('"').next())
                .filter(|link| link.contains("pricing"))
                .collect();
            assert!(links.len() >= 2, "{page}: {links:?}");
            assert!(links.iter().all(|it| *it == link), "{page}: {links:?}");
        }
    }
}
