//! The search for what one goes to by its name.

use hato_testkit::{TestDatabase, on_each_database};
use http::StatusCode;

use crate::database::Value::Text;
use crate::harness::{DashboardBrowser, OWNER, TestDashboard, id};

/// The paths that a search leads to.
async fn found(browser: &mut DashboardBrowser<'_>, query: &str) -> Vec<String> {
    let page = browser.get(&format!("/search?{query}")).await;
    assert_eq!(page.status, StatusCode::OK, "{query}");
    let list = page.between("id=\"found\"", "</ul>").expect("a list");
    let links = list.split("href=\"").skip(1);
    let paths = links.filter_map(|rest| rest.split('"').next());
    paths.map(|path| path.replace("&amp;", "&")).collect()
}

#[on_each_database]
async fn it_finds_apps_pages_sends_and_subscribers(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let bakery = browser.create_app("はとパン").await;
    let blog = browser.create_app("Blog").await;
    browser
        .subscribe_with_tags(&bakery, 1, "member 7", &[])
        .await;
    let send = browser.send(&bakery, "焼きたて Bread").await;
    assert_eq!(found(&mut browser, "q=BLOG").await, [blog.as_str()]);
    assert_eq!(
        found(&mut browser, "q=%E3%83%91%E3%83%B3").await,
        [bakery.as_str()]
    );
    let in_bakery = |text: &str| format!("q={text}&app={}", id(&bakery));
    assert_eq!(found(&mut browser, &in_bakery("bread")).await, [send]);
    let subscriber = found(&mut browser, &in_bakery("member%207")).await;
    let [subscriber] = &subscriber[..] else {
        panic!("{subscriber:?}")
    };
    let own_page = format!("{bakery}/subscribers/sub_");
    assert!(subscriber.starts_with(&own_page), "{subscriber}");
    let page = browser.get(subscriber).await;
    page.shows("push.example").shows("member 7");
    let (_, own_id) = subscriber.rsplit_once('/').expect("an id");
    assert_eq!(
        found(&mut browser, &in_bakery(own_id)).await,
        [subscriber.as_str()]
    );
    assert_eq!(
        found(&mut browser, &in_bakery(&own_id.replace("sub_0", "sub_f"))).await,
        [""; 0]
    );
    let in_blog = format!("q={own_id}&app={}", id(&blog));
    assert_eq!(found(&mut browser, &in_blog).await, [""; 0]);
    assert_eq!(found(&mut browser, &in_bakery("blog")).await, [blog]);
    // A name counts in both languages.
    for name in ["webhook", "Undelivered", "%E4%B8%8D%E9%81%94"] {
        let section = if name == "webhook" {
            "webhook"
        } else {
            "dead-letters"
        };
        let expected = format!("{bakery}/{section}");
        assert_eq!(
            found(&mut browser, &in_bakery(name)).await,
            [expected],
            "{name}"
        );
    }
    assert_eq!(found(&mut browser, "q=Putting+Hato").await, ["/docs/embed"]);
    let nothing = browser.get("/search?q=nowhere").await;
    nothing.shows("見つかりませんでした。");
}

/// Pages that nobody goes to who is logged in, and the search itself.
const NOT_FOUND_BY_NAME: [&str; 5] = ["/", "/login", "/register", "/search", "/account/review"];

#[tokio::test]
async fn it_finds_every_page_that_needs_no_more_than_an_app() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let all = format!("q=&app={}", id(&app));
    assert!(
        !found(&mut browser, &all)
            .await
            .contains(&"/operator".to_owned())
    );
    dashboard.set_operator(OWNER, true).await;
    let found = found(&mut browser, &all).await;
    let routes = include_str!("../../src/shell.rs").split("path!(\"").skip(1);
    let routes = routes.filter_map(|rest| rest.split('"').next());
    let paths = routes.map(|route| route.replace("/apps/:app", &app));
    let paths: Vec<_> = paths
        .filter(|path| !path.contains(':') && !NOT_FOUND_BY_NAME.contains(&path.as_str()))
        .collect();
    assert!(paths.contains(&"/operator".to_owned()) && paths.len() > 15);
    for path in paths {
        assert!(found.contains(&path), "{path} in {found:?}");
    }
}

#[on_each_database]
async fn it_finds_sends_and_subscribers_of_all_apps(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let bakery = browser.create_app("はとパン").await;
    let blog = browser.create_app("Blog").await;
    let mut sends = Vec::new();
    for app in [&bakery, &blog] {
        browser.subscribe_with_tags(app, 1, "member 7", &[]).await;
        sends.push(browser.send(app, "焼きたて Bread").await);
    }
    sends.reverse();
    assert_eq!(found(&mut browser, "q=bREAD").await, sends);
    let subscribers = found(&mut browser, "q=member+7").await;
    let [newer, older] = &subscribers[..] else {
        panic!("{subscribers:?}")
    };
    for (subscriber, app) in [(newer, &blog), (older, &bakery)] {
        let own_page = format!("{app}/subscribers/sub_");
        assert!(subscriber.starts_with(&own_page), "{subscriber}");
        let (_, id) = subscriber.rsplit_once('/').expect("an id");
        let by_id = found(&mut browser, &format!("q={id}")).await;
        assert_eq!(by_id, [subscriber.as_str()]);
    }
    // Each says of which app it is.
    let page = browser.get("/search?q=bread").await;
    page.shows(">はとパン</small>").shows(">Blog</small>");
}

#[on_each_database]
async fn what_is_found_in_all_apps_is_the_newest_and_nothing_of_others(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut stranger = dashboard.logged_in("stranger@example.com").await;
    let strange = stranger.create_app("Strange").await;
    stranger
        .subscribe_with_tags(&strange, 1, "member 7", &[])
        .await;
    stranger.send(&strange, "Bread").await;
    let list = stranger.get(&format!("{strange}/subscribers")).await;
    let strange_id = list.between("name=\"subscription\" value=\"", "\"");
    let strange_id = strange_id.expect("an id");
    let mut browser = dashboard.logged_in(OWNER).await;
    let bakery = browser.create_app("はとパン").await;
    let deleted = browser.create_app("Gone").await;
    browser.send(&deleted, "Bread").await;
    let fields = [("app", id(&deleted)), ("name", "Gone")];
    browser.submit("/_app/delete_app", &fields).await;
    for text in ["bread", "member+7", strange_id] {
        let query = format!("q={text}");
        assert_eq!(found(&mut browser, &query).await, [""; 0], "{text}");
    }
    let mut sends = Vec::new();
    for number in 0..7 {
        sends.push(browser.send(&bakery, &format!("Bread {number}")).await);
    }
    sends.reverse();
    assert_eq!(found(&mut browser, "q=bread").await, sends[..5]);
}

#[tokio::test]
async fn a_subscriber_is_named_by_its_browser_and_system() {
    let dashboard = TestDashboard::unlimited(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    browser.subscribe_with_tags(&app, 1, "member 7", &[]).await;
    let statement = "UPDATE subscriptions SET platform = $1";
    dashboard
        .execute(statement, &[Text("Chrome Windows")])
        .await;
    let query = format!("/search?q=member+7&app={}", id(&app));
    let page = browser.get(&query).await;
    page.shows(">Chrome · Windows</b>")
        .shows(">member 7</span>");
}

#[on_each_database]
async fn it_finds_nothing_of_others_and_bears_any_text(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut stranger = dashboard.logged_in("stranger@example.com").await;
    let strange = stranger.create_app("Blog").await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let own = browser.create_app("<i>own</i>").await;
    assert_eq!(found(&mut browser, "q=Blog").await, [""; 0]);
    let others = browser
        .get(&format!("/search?q=x&app={}", id(&strange)))
        .await;
    assert_eq!(others.status, StatusCode::NOT_FOUND);
    for text in ["%25", "_", "!", "%00", "%E0%80", "%27%22%3Cscript%3E"] {
        for app in ["", id(&own)] {
            let page = browser.get(&format!("/search?q={text}&app={app}")).await;
            assert_eq!(page.status, StatusCode::OK, "{text}");
            page.hides("<script>alert").hides("<i>own");
        }
    }
    let long = "a".repeat(201);
    let long = browser.get(&format!("/search?q={long}")).await;
    assert_eq!(long.status, StatusCode::BAD_REQUEST);
    let login = dashboard.browser().get("/search?q=a").await;
    assert_eq!(login.location(), "/login?next=%2Fsearch%3Fq%3Da");
}

#[tokio::test]
async fn the_header_leads_to_a_search_in_the_app_that_is_open() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("blog").await;
    let link = format!("href=\"/search?app={}\"", id(&app));
    browser.get(&format!("{app}/keys")).await.shows(&link);
    let apps = browser.get("/apps").await;
    apps.shows("href=\"/search\"")
        .shows("<dialog id=\"palette\"");
    dashboard.browser().get("/").await.hides("palette");
}
