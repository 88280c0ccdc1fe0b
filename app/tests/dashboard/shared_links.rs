//! What a shared address and a home screen show of the site.

use hato_testkit::TestDatabase;

use crate::harness::TestDashboard;

#[tokio::test]
async fn a_shared_address_has_a_title_a_picture_and_its_language() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.browser();
    let page = browser.get("/pricing?utm=1").await;
    for (property, content) in [
        ("og:title", "料金 · Hato"),
        ("og:site_name", "Hato"),
        ("og:locale", "ja_JP"),
        ("og:url", "https://hato.example/pricing"),
        ("og:image", "https://hato.example/og.png"),
        ("og:description", "ブラウザへ、まっすぐ届くプッシュ通知"),
    ] {
        page.shows(&format!("property=\"{property}\" content=\"{content}\""));
    }
    for file in [
        "/favicon.ico",
        "/apple-touch-icon.png",
        "/manifest.webmanifest",
    ] {
        page.shows(&format!("href=\"{file}\""));
    }
    browser.language = "en";
    let page = browser.get("/pricing").await;
    page.shows("property=\"og:locale\" content=\"en_GB\"");
}
