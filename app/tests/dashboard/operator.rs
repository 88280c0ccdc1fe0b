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
    page.shows("アカウントを作成しました").shows(OTHER);
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
    refused.hides("<details class=\"confirm\" name=\"question\" open");
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
async fn a_refusal_is_said_in_the_row_or_with_the_name_of_its_account() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    dashboard.set_operator(OWNER, true).await;
    let local = Operator::local();
    for number in 0..55 {
        let email = format!("member-{number}@example.com");
        let email = Email::parse(&email).expect("an address");
        let password = hato_domain::NewPassword::parse(PASSWORD.to_owned()).expect("a password");
        let made = dashboard
            .context
            .service
            .create_account(&local, email, password);
        made.await.expect("an account");
    }
    let member = "member-54@example.com";
    let first = browser.get(PAGE).await;
    first.hides(member);
    let after = first
        .between("href=\"/operator?after=", "\"")
        .expect("a page");
    let page = browser.get(&format!("{PAGE}?after={after}")).await;
    let row = page.between(member, "</tr>").expect("a row");
    let (_, rest) = row.split_once("name=\"account\" value=\"").expect("its id");
    let account = rest.split('"').next().expect("a value");
    let fields = |after| {
        let plan = ("plan", "platinum");
        [
            ("email", member),
            ("account", account),
            plan,
            ("after", after),
        ]
    };
    let path = "/_app/operator_set_plan";
    let note = "class=\"note error\"";
    let said = browser.submit(path, &fields(after)).await;
    let row = said.between(member, "</tr>").expect("a row");
    assert!(row.contains(note), "{row}");
    assert!(row.contains(ErrorCode::InvalidInput.message()), "{row}");
    assert_eq!(said.body.matches(note).count(), 1);
    // Where the row is not, the note says whose it is.
    let elsewhere = browser.submit(path, &fields("")).await;
    let top = elsewhere.between(note, "</div>").expect("a note");
    assert!(top.contains(member), "{top}");
    assert!(top.contains(ErrorCode::InvalidInput.message()), "{top}");
    assert_eq!(elsewhere.body.matches(note).count(), 1);
    let mut pro = fields(after);
    pro[2].1 = "pro";
    let done = browser.submit(path, &pro).await;
    done.shows("プランを変更しました").shows(member).hides(note);
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

#[tokio::test]
async fn a_password_that_is_refused_is_said_in_its_own_row() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    dashboard.logged_in(OTHER).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    dashboard.set_operator(OWNER, true).await;
    let page = browser.get(PAGE).await;
    let row = page.between(OTHER, "</tr>").expect("a row");
    let (_, rest) = row.split_once("name=\"account\" value=\"").expect("its id");
    let account = rest.split('"').next().expect("a value");
    assert_eq!(row.matches("class=\"show-password\"").count(), 2);
    let fields = [
        ("email", OTHER),
        ("account", account),
        ("password", "short"),
        ("confirmation", PASSWORD),
    ];
    let refused = browser.submit("/_app/operator_set_password", &fields).await;
    let wrong = format!("id=\"accounts-{account}-password-wrong\"");
    refused
        .shows(&wrong)
        .shows(ErrorCode::InvalidInput.message());
    assert_eq!(refused.body.matches("class=\"wrong\"").count(), 1);
    let row = refused.between(OTHER, "</tr>").expect("a row");
    assert!(row.contains("name=\"question\" open"), "{row}");
    let others = refused.body.matches("name=\"question\" open").count();
    assert_eq!(others, 1);
    browser.get(PAGE).await.hides(&wrong);
}
