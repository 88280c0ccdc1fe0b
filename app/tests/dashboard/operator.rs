//! The page of who runs the server: accounts and their plans.

use hato_domain::{Email, ErrorCode};
use hato_service::access::Operator;
use hato_testkit::{TestDatabase, on_each_database};
use http::StatusCode;

use crate::harness::{OWNER, PASSWORD, TestDashboard};

const PAGE: &str = "/operator";
const OTHER: &str = "other@example.com";
const NEW_PASSWORD: &str = "another-coo-coo";

impl TestDashboard {
    /// Makes the account an operator's, or an ordinary one again, as the command does.
    pub async fn set_operator(&self, email: &str, is_operator: bool) {
        let email = Email::parse(email).expect("an address");
        let operator = Operator::local();
        let service = &self.context.service;
        let set = service.set_operator(&operator, &email, is_operator).await;
        set.expect("an account");
    }
}

#[on_each_database]
async fn only_operators_find_it(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let stranger = dashboard.browser().get(PAGE).await;
    assert_eq!(stranger.location(), "/login?next=%2Foperator");
    let set_plan = [("email", OWNER), ("plan", "pro")];
    for (is_operator, status) in [
        (false, StatusCode::NOT_FOUND),
        (true, StatusCode::OK),
        (false, StatusCode::NOT_FOUND),
    ] {
        dashboard.set_operator(OWNER, is_operator).await;
        assert_eq!(browser.get(PAGE).await.status, status);
        let account = browser.get("/account").await;
        assert_eq!(account.body.contains("href=\"/operator\""), is_operator);
        let posted = browser.call("operator_set_plan", &set_plan).await;
        assert_eq!(posted.status == StatusCode::NOT_FOUND, !is_operator);
        for form in ["operator_set_password", "operator_create_account"] {
            let posted = browser.call(form, &[("email", OTHER), ("password", "short")]);
            let status = posted.await.status;
            assert_eq!(status == StatusCode::NOT_FOUND, !is_operator, "{form}");
        }
    }
}

#[on_each_database]
async fn it_does_what_the_commands_do(database: TestDatabase) {
    let dashboard = TestDashboard::closed(database).await;
    let email = Email::parse(OWNER).expect("an address");
    let password = hato_domain::NewPassword::parse(PASSWORD.to_owned()).expect("a password");
    let (service, local) = (&dashboard.context.service, Operator::local());
    let made = service.create_account(&local, email, password).await;
    made.expect("an account");
    dashboard.set_operator(OWNER, true).await;
    let mut browser = dashboard.browser();
    let known = [("email", OWNER), ("password", PASSWORD)];
    browser.post("/_app/login", &known).await.location();

    let create = |password: &'static str| [("email", OTHER), ("password", password)];
    let refused = browser
        .submit("/_app/operator_create_account", &create("short"))
        .await;
    refused
        .shows(ErrorCode::InvalidInput.message())
        .shows(&format!("value=\"{OTHER}\""));
    let page = browser
        .submit("/_app/operator_create_account", &create(PASSWORD))
        .await;
    page.shows("アカウントを作りました").shows(OTHER);
    let mut other = dashboard.browser();
    other
        .post("/_app/login", &create(PASSWORD))
        .await
        .location();

    let to_pro = [("email", OTHER), ("plan", "pro")];
    let page = browser.submit("/_app/operator_set_plan", &to_pro).await;
    page.shows("プランを変更しました").shows("Free にする");
    other.get("/account").await.shows(">Pro<");

    let set = |confirmation: &'static str| {
        [
            ("email", OTHER),
            ("password", NEW_PASSWORD),
            ("confirmation", confirmation),
        ]
    };
    let path = "/_app/operator_set_password";
    let refused = browser.submit(path, &set("not-the-password")).await;
    refused.shows(ErrorCode::InvalidCredentials.message());
    other.get("/account").await.shows(OTHER);
    let page = browser.submit(path, &set(PASSWORD)).await;
    page.shows("パスワードを設定しました");
    assert_eq!(
        other.get("/account").await.location(),
        "/login?next=%2Faccount"
    );
    let login = other.post("/_app/login", &create(NEW_PASSWORD)).await;
    assert_eq!(login.location(), "/apps");
}

#[tokio::test]
async fn who_runs_the_server_is_told_the_command() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let command = format!("hato-server admin set-plan {OWNER} pro");
    browser.get("/pricing").await.shows(&command);
    let stranger = dashboard.browser().get("/pricing").await;
    stranger.shows("hato-server admin set-plan").hides(OWNER);
    dashboard.set_operator(OWNER, true).await;
    let page = browser.get("/pricing").await;
    page.shows("href=\"/operator\"").hides(&command);
}
