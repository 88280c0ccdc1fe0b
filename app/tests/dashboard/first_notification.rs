//! From an account to the first notification.

use hato_domain::ErrorCode;

use crate::site::Site;

#[tokio::test]
async fn an_app_is_made_and_listed() {
    let site = Site::open().await;
    let mut browser = site.signed_in("owner@example.com").await;
    browser.get("/apps").await.shows("まだ鳩小屋は空です");
    let app = browser.create_app("鳩の <便り>").await;
    browser.get(&app).await.shows("鳩の &lt;便り&gt;");
    browser.get("/apps").await.shows(&format!("href=\"{app}\""));
}

#[tokio::test]
async fn the_plan_limits_apps_and_the_name_is_kept() {
    let site = Site::open().await;
    let mut browser = site.signed_in("owner@example.com").await;
    browser.create_app("one").await;
    let page = browser
        .submit("/_app/create_app", &[("name", "two \"2\"")])
        .await;
    page.shows(ErrorCode::PlanLimitExceeded.message())
        .shows("two &quot;2&quot;")
        .shows(r#"href="/pricing""#);
}

#[tokio::test]
async fn a_key_is_shown_once_and_fills_the_snippet_it_is_for() {
    let site = Site::open().await;
    let mut browser = site.signed_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    browser
        .get(&app)
        .await
        .shows("pk_…")
        .hides("id=\"new-key\"");
    for (scope, snippets) in [("subscribe_only", 2), ("notify", 2), ("full", 2)] {
        let fields = [("app", id(&app)), ("name", "site"), ("scope", scope)];
        let page = browser.submit("/_app/create_key", &fields).await;
        let raw = page
            .between("id=\"raw-key\">", "<")
            .expect("the raw key")
            .to_owned();
        assert_eq!((raw.len(), raw.starts_with("pk_")), (67, true), "{raw}");
        assert_eq!(page.body.matches(&raw).count(), snippets, "{scope}");
        let public = page.between("hato.init(", ")").expect("the snippet");
        assert_eq!(public.contains(&raw), scope == "subscribe_only");
        browser.get(&app).await.hides(&raw).shows(scope);
    }
}

#[tokio::test]
async fn the_snippet_names_this_server() {
    let site = Site::open().await;
    let mut browser = site.signed_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    browser
        .get(&app)
        .await
        .shows("importScripts(\"https://hato.example/sdk/sw.js\")")
        .shows("src=\"https://hato.example/sdk/0.1.0/hato.js\"")
        .shows("integrity=\"sha384-page\"")
        .shows("src=\"https://hato.example/sdk/0.1.0/bell.js\"")
        .shows("integrity=\"sha384-bell\"");
}

#[tokio::test]
async fn a_send_is_recorded_and_the_history_pages() {
    let site = Site::open().await;
    let mut browser = site.signed_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    for number in 0..21 {
        let title = format!("便り{number:02}");
        let fields = [("app", id(&app)), ("title", &title), ("body", "本文")];
        let answer = browser.post("/_app/send", &fields).await;
        assert_eq!(answer.leads_to(), format!("{app}?queued=0#history"));
    }
    let page = browser.get(&app).await;
    page.shows("便り20").shows("便り01").hides("便り00");
    let older = page
        .between("<a href=\"", "\" rel=\"next\"")
        .expect("a link");
    let older = older
        .rsplit('"')
        .next()
        .unwrap_or(older)
        .replace("&amp;", "&");
    let older = browser.get(&older).await;
    older
        .shows("便り00")
        .hides("便り01")
        .shows(&format!("href=\"{app}/history\""));
    let newest = browser.get(&format!("{app}/history")).await;
    newest.shows("便り20").shows("便り01").hides("便り00");
}

#[tokio::test]
async fn a_refused_send_comes_back_as_it_was() {
    let site = Site::open().await;
    let mut browser = site.signed_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let fields = [
        ("app", id(&app)),
        ("title", "見出し"),
        ("body", "一行目\r\n二行目"),
        ("url", "http://insecure.example/"),
    ];
    let page = browser.submit("/_app/send", &fields).await;
    page.shows(ErrorCode::InvalidUrl.message())
        .shows("value=\"見出し\"")
        .shows("一行目")
        .shows("value=\"http://insecure.example/\"");
}

#[tokio::test]
async fn line_ends_count_as_one_byte_escaped_to_two() {
    let site = Site::open().await;
    let mut browser = site.signed_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    let frame = r#"{"title":"t","body":"\n"}"#.len();
    for (bytes, queued) in [(3_072, true), (3_073, false)] {
        let body = format!("{}\r\n", "x".repeat(bytes - frame));
        let fields = [("app", id(&app)), ("title", "t"), ("body", &body)];
        let answer = browser.post("/_app/send", &fields).await;
        assert_eq!(answer.leads_to().contains("queued="), queued, "{bytes}");
    }
}

fn id(app: &str) -> &str {
    app.strip_prefix("/apps/").expect("an app's path")
}
