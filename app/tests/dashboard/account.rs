//! The account's own page.

use hato_domain::ErrorCode;
use hato_testkit::{TestDatabase, on_each_database};

use crate::harness::{PASSWORD, TestDashboard};

#[on_each_database]
async fn a_changed_password_ends_every_other_session(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut here = dashboard.logged_in("owner@example.com").await;
    let mut there = dashboard.browser();
    let known = [("email", "owner@example.com"), ("password", PASSWORD)];
    there.post("/_app/login", &known).await.location();
    let wrong = [("current", "not-the-password"), ("new", "coo-coo-coo-coo")];
    let page = here.submit("/_app/change_password", &wrong).await;
    page.shows(ErrorCode::InvalidCredentials.message());
    let right = [("current", PASSWORD), ("new", "coo-coo-coo-coo")];
    let page = here.submit("/_app/change_password", &right).await;
    page.shows("パスワードを変更しました");
    assert_eq!(there.get("/apps").await.location(), "/login?next=%2Fapps");
    let refused = there.post("/_app/login", &known).await.location();
    assert!(refused.contains("INVALID_CREDENTIALS"), "{refused}");
}

#[on_each_database]
async fn sessions_are_listed_and_ended_together(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut here = dashboard.logged_in("owner@example.com").await;
    let mut there = dashboard.browser();
    there.user_agent = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko Firefox/140.0";
    let known = [("email", "owner@example.com"), ("password", PASSWORD)];
    there.post("/_app/login", &known).await.location();
    let page = here.get("/account").await;
    page.shows("Firefox · Linux").shows("不明なブラウザ");
    assert_eq!(page.body.matches("このブラウザ").count(), 1);
    let response = here.post("/_app/logout_everywhere", &[]).await;
    assert_eq!(response.location(), "/login");
    for browser in [&mut here, &mut there] {
        assert_eq!(
            browser.get("/account").await.location(),
            "/login?next=%2Faccount"
        );
    }
}

#[on_each_database]
async fn a_deleted_account_is_gone_with_its_apps(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    browser.create_app("blog").await;
    let wrong = [("confirmation", "owner@example.com")];
    let page = browser.submit("/_app/delete_account", &wrong).await;
    page.shows(ErrorCode::InvalidCredentials.message());
    let response = browser
        .post("/_app/delete_account", &[("confirmation", PASSWORD)])
        .await;
    assert_eq!(response.location(), "/");
    let known = [("email", "owner@example.com"), ("password", PASSWORD)];
    let refused = browser.post("/_app/login", &known).await.location();
    assert!(refused.contains("INVALID_CREDENTIALS"), "{refused}");
    let mut anew = dashboard.logged_in("owner@example.com").await;
    anew.get("/apps").await.shows("まだ鳩小屋は空です");
}
