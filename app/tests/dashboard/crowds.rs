//! What many people do, by way of the database, and what pages then show.

use hato_testkit::{TestDatabase, on_each_database};

use crate::database::Value::{Number, Text};
use crate::harness::{TestDashboard, id};

impl TestDashboard {
    /// Gives the app so many subscribers.
    pub async fn subscribe_many(&self, app: &str, count: i64) {
        let statement = if self.database.is_postgres() {
            "INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth,
                                        position, created_at)
             SELECT 'sub_' || i, $1, 'https://push.example/' || i, sha256(int8send(i)), '\\x04', '\\x01', i, i
             FROM generate_series(1, $2) AS n (i)"
        } else {
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)
             INSERT INTO subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth,
                                        position, created_at)
             SELECT 'sub_' || i, $1, 'https://push.example/' || i, randomblob(32), x'04', x'01', i, i
             FROM n"
        };
        self.execute(statement, &[Text(app), Number(count)]).await;
    }

    /// Lets every send have failed at so many push services.
    pub async fn fail_at(&self, push_services: i64) {
        for statement in [
            "UPDATE sends SET failed_other = $1",
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
             INSERT INTO send_failures (send_id, host, reason, recipients)
             SELECT s.id, 'push-' || i || '.example', 'refused', 1 FROM sends AS s, n",
        ] {
            self.execute(statement, &[Number(push_services)]).await;
        }
    }
}

#[on_each_database]
async fn a_search_that_is_cut_short_says_so_and_goes_on(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    dashboard.subscribe_many(id(&app), 20_001).await;
    let path = format!("{app}/subscribers");
    let cut_short = "途中まで調べた結果です";
    let many = browser.get(&format!("{path}?q=push")).await;
    many.shows("/20001<").hides(cut_short);
    let none = browser.get(&format!("{path}?q=nothing")).await;
    none.shows(cut_short)
        .hides("条件に合う購読者は見つかりませんでした");
    let rest = none.older_path().expect("the rest");
    let end = browser.get(&rest).await;
    end.shows("条件に合う購読者は見つかりませんでした")
        .hides(cut_short);
}

#[on_each_database]
async fn failures_that_are_cut_short_say_so(database: TestDatabase) {
    let dashboard = TestDashboard::start(database).await;
    let mut browser = dashboard.logged_in("owner@example.com").await;
    let app = browser.create_app("blog").await;
    browser.subscribe(&app, 1).await;
    let send = browser.send(&app, "便り").await;
    let cut_short = "一部だけを調べた内訳です";
    browser.get(&send).await.hides(cut_short);
    dashboard.fail_at(10_000).await;
    browser.get(&send).await.shows(cut_short).shows("10,000");
}
