//! Subscribers from a file that is uploaded, and into one, with scripts off.

use hato_app::{MAX_FORM_BYTES, MAX_LIST_BYTES};
use hato_domain::ErrorCode;
use hato_service::access::MayManage;
use hato_testkit::{TestDatabase, on_each_database};

use crate::harness::{AUTH, DashboardBrowser, OWNER, P256DH, PageResponse, TestDashboard};

fn line(number: usize) -> String {
    format!(
        r#"{{"endpoint":"https://push.example/{number}","expirationTime":null,"keys":{{"p256dh":"{P256DH}","auth":"{AUTH}"}}}}"#
    )
}

/// The endpoints and keys of all active subscribers, in their order.
async fn exported(dashboard: &TestDashboard, access: &MayManage) -> Vec<(String, String)> {
    let service = &dashboard.context.service;
    let mut export = service.export_subscriptions(access).await.expect("begun");
    let mut all = Vec::new();
    loop {
        let page = export.next_page().await.expect("read");
        if page.is_empty() {
            return all;
        }
        let subscriptions = page.into_iter();
        all.extend(subscriptions.map(|it| (it.endpoint, it.vapid_public_key)));
    }
}

/// Shows the refused lines, by their numbers and codes, and no others.
fn assert_refused(page: &PageResponse, lines: &[(u32, &str)]) {
    for (line, code) in lines {
        page.shows(&format!(">{line}</td>"))
            .shows(&format!("<code>{code}</code>"));
    }
    let count = page.body.matches("data-label=\"行\"").count();
    assert_eq!(count, lines.len());
}

async fn step(
    browser: &mut DashboardBrowser<'_>,
    app: &str,
    step: &str,
    list: &[u8],
) -> PageResponse {
    let path = format!("{app}/subscribers/import?step={step}");
    browser.upload(&path, "", list).await
}

#[on_each_database]
async fn a_list_is_looked_at_first_and_then_taken(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let page = format!("{app}/subscribers/import");
    let subscribers = browser.get(&format!("{app}/subscribers")).await;
    subscribers
        .shows(&format!("href=\"{page}\""))
        .shows(&format!("href=\"/api/v1{app}/export\""));
    let form = browser.get(&page).await;
    form.shows("multipart/form-data").hides("import-key");

    let wrong_key = line(3).replace(P256DH, &"B".repeat(87));
    let endless = format!(r#"{{"endpoint":"{}"}}"#, "x".repeat(100_000));
    let lines = [
        line(1),
        line(2)[..40].to_owned(),
        wrong_key,
        line(1),
        endless,
        String::new(),
        r#"{"keys":{}}"#.to_owned(),
        line(8),
    ];
    let list = format!("\u{feff}{}", lines.join("\r\n"));
    let refused = [
        (2, "INVALID_INPUT"),
        (3, "INVALID_INPUT"),
        (4, "DUPLICATE"),
        (5, "LINE_TOO_LONG"),
        (7, "MISSING_FIELDS"),
    ];
    let access = browser.access(&app).await;
    let checked = step(&mut browser, &app, "check", list.as_bytes()).await;
    checked.shows("何も保存していません。新しい購読：2、登録済み：0");
    assert_refused(&checked, &refused);
    assert_eq!(exported(&dashboard, &access).await, []);

    let imported = step(&mut browser, &app, "import", list.as_bytes()).await;
    imported.shows("取り込みました。新しい購読：2、登録済み：0");
    assert_refused(&imported, &refused);
    assert_eq!(exported(&dashboard, &access).await.len(), 2);
    let again = step(&mut browser, &app, "import", line(8).as_bytes()).await;
    again.shows("新しい購読：0、登録済み：1");
}

#[on_each_database]
async fn what_is_no_list_is_refused_as_a_whole(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let mut large = line(1).into_bytes();
    large.resize(MAX_LIST_BYTES + MAX_FORM_BYTES, b'\n');
    for (list, status, words) in [
        (&b"\x1f\x8b\x08\x00"[..], 400, "展開してから"),
        (b"\xff\xfe{\x00", 400, "UTF-8 で保存"),
        (b"name,colour\nx,y\n", 400, "購読者の一覧ではありません"),
        (&large, 413, "16 MiB を超えています"),
    ] {
        let refused = step(&mut browser, &app, "import", list).await;
        assert_eq!(refused.status.as_u16(), status);
        refused.shows(words).hides("取り込みました");
    }
    let access = browser.access(&app).await;
    assert_eq!(exported(&dashboard, &access).await, []);
    let path = format!("{app}/subscribers/import?step=import");
    let no_list = browser.post(&path, &[("list", "{}")]).await;
    no_list.shows("multipart/form-data");
    let empty = step(&mut browser, &app, "import", b"").await;
    empty.shows("新しい購読：0、登録済み：0");
}

#[on_each_database]
async fn csv_and_another_key_come_along(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let access = browser.access(&app).await;
    let service = &dashboard.context.service;
    let added = service.add_vapid_key(&access, None).await;
    let (key, _) = added.expect("added");
    let key = key.public_text();
    let page = format!("{app}/subscribers/import");
    browser.get(&page).await.shows(&format!("value=\"{key}\""));
    let csv = format!(
        "identifier,web_p256,web_auth,note,external_user_id,tags\n\
         https://push.example/1,{P256DH},{AUTH},\"two\nlines\",u1,\n\
         https://push.example/2,{P256DH},{AUTH},,u2,\"a, b\"\n\
         mobile,,,,,\n"
    );
    let path = format!("{page}?step=import");
    let imported = browser.upload(&path, &key, csv.as_bytes()).await;
    imported.shows("新しい購読：2");
    assert_refused(&imported, &[(5, "MISSING_FIELDS")]);
    let expected = [1, 2].map(|it| (format!("https://push.example/{it}"), key.clone()));
    assert_eq!(exported(&dashboard, &access).await, expected);
}

#[on_each_database]
async fn a_plan_ends_a_list_and_says_so(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    browser.language = "en";
    let lines: Vec<_> = (0..1_010).map(line).collect();
    let imported = step(&mut browser, &app, "import", lines.join("\n").as_bytes()).await;
    imported
        .shows("New: 1,000.")
        .shows("Lines that are not taken: 10")
        .shows(ErrorCode::SubscriberLimitExceeded.as_str())
        .shows("has reached its limit of subscribers");
}
