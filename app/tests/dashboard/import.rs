//! Subscribers from a file that is uploaded, and into one, with scripts off.

use std::future::poll_fn;
use std::pin::pin;

use hato_app::{MAX_FORM_BYTES, MAX_LIST_BYTES};
use hato_domain::ErrorCode;
use hato_service::ListOptions;
use hato_service::access::MayManage;
use hato_service::ports::VapidKeyUse;
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
async fn each_cause_has_words_of_its_own_in_both_languages(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let with = |number: usize, member: &str| {
        let line = line(number);
        format!("{},{member}}}", &line[..line.len() - 1])
    };
    let lines = [
        line(1).replace(P256DH, &"B".repeat(87)),
        line(2).replace(AUTH, "short"),
        with(3, &format!(r#""vapid_public_key":"{P256DH}""#)),
        with(4, r#""tags":["a b"]"#),
        with(5, r#""user_id":"a\tb""#),
        with(6, r#""lang":"日本語""#),
        with(7, r#""created_at":99999999999999"#),
        line(8).replace("https:", "http:"),
        "# a list".to_owned(),
    ];
    let list = lines.join("\n");
    let shown = step(&mut browser, &app, "check", list.as_bytes()).await;
    for words in [
        "p256dh が P-256 の公開鍵",
        "auth が 16 バイト",
        "このアプリにありません",
        "タグが正しくありません",
        "user_id が正しくありません",
        "lang が言語タグ",
        "created_at が未来の日時",
        "endpoint は https:// で始まる",
        "購読の JSON オブジェクトではありません",
    ] {
        shown.shows(words);
    }
    browser.language = "en";
    let shown = step(&mut browser, &app, "import", list.as_bytes()).await;
    for words in [
        "p256dh is no public key on P-256",
        "auth is not 16 bytes",
        "The app does not have the key of vapid_public_key",
        "A tag is not valid",
        "user_id is not valid",
        "lang is no language tag",
        "created_at is in the future",
        "The endpoint does not begin with https://",
        "The line is no JSON object of a subscription",
    ] {
        shown.shows(words);
    }
}

#[on_each_database]
async fn all_refused_lines_are_a_file(database: TestDatabase) {
    const REFUSED: usize = 250;
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let mut lines = vec!["=1+1".to_owned(); REFUSED - 1];
    lines.insert(0, line(0));
    lines.push(line(1).replace(P256DH, &"B".repeat(87)));
    let list = lines.join("\n");
    let checked = step(&mut browser, &app, "check", list.as_bytes()).await;
    checked
        .shows("step=refused")
        .shows("取り込めない行を CSV で保存");
    let file = step(&mut browser, &app, "refused", list.as_bytes()).await;
    assert_eq!(file.status.as_u16(), 200);
    let rows: Vec<_> = file.body.lines().collect();
    assert_eq!(rows.len(), 1 + REFUSED);
    assert_eq!(rows[0], "\u{feff}line,code,reason");
    assert_eq!(
        rows[1],
        "2,INVALID_INPUT,購読の JSON オブジェクトではありません。"
    );
    assert!(rows[REFUSED].starts_with("251,INVALID_INPUT,p256dh が"));
    let access = browser.access(&app).await;
    assert_eq!(exported(&dashboard, &access).await, []);
    // Where there is no such file, the page says why.
    let foreign = step(&mut browser, &app, "refused", b"\x1f\x8b\x08\x00").await;
    foreign.shows("1 行目：GZIP：").shows("multipart/form-data");
    let mut stranger = dashboard.logged_in("other@example.com").await;
    let path = format!("{app}/subscribers/import?step=refused");
    let refused = stranger.upload(&path, "", list.as_bytes()).await;
    assert_eq!(refused.status.as_u16(), 404);
    refused.hides("INVALID_INPUT");
}

#[on_each_database]
async fn what_is_no_list_is_refused_as_a_whole(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let mut large = line(1).into_bytes();
    large.resize(MAX_LIST_BYTES + MAX_FORM_BYTES, b'\n');
    for (list, status, words) in [
        (
            &b"\x1f\x8b\x08\x00"[..],
            400,
            "1 行目：GZIP：圧縮されたファイルです。展開してから",
        ),
        (b"\x28\xb5\x2f\xfd\x00", 400, "1 行目：ZSTD："),
        (b"\xff\xfe{\x00", 400, "1 行目：UTF_16："),
        (
            b"name,colour\nx,y\n",
            400,
            "1 行目：NO_LIST：購読者の一覧ではありません",
        ),
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
    let (VapidKeyUse { key, .. }, _) = added.expect("added");
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
        .shows("Lines not imported: 10")
        .shows(ErrorCode::SubscriberLimitExceeded.as_str())
        .shows("has reached its limit of subscribers");
}

#[on_each_database]
async fn lines_that_are_all_wrong_let_others_have_their_turn(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let access = browser.access(&app).await;
    let service = &dashboard.context.service;
    for line in ["a\n", "\"\"\n"] {
        let mut import = service.import_list(&access, ListOptions::default());
        let list = format!("endpoint\n{}", line.repeat(10_000));
        let mut turns = 0;
        let mut reading = pin!(import.read(list.as_bytes()));
        let read = poll_fn(|cx| {
            turns += 1;
            reading.as_mut().poll(cx)
        });
        read.await.expect("a list");
        assert!(turns > 10, "{turns} turns");
    }
}
