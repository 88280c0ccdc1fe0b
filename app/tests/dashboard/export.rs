//! Exports that go on while something changes.

use hato_domain::wire::{BulkItem, RegisterSubscription};
use hato_service::ports::VapidKeyUse;
use hato_testkit::{TestDatabase, on_each_database};

use crate::harness::{AUTH, OWNER, P256DH, TestDashboard};

#[on_each_database]
async fn an_export_names_a_key_that_came_while_it_ran(database: TestDatabase) {
    let dashboard = TestDashboard::unlimited(database).await;
    let mut browser = dashboard.logged_in(OWNER).await;
    let app = browser.create_app("loft").await;
    let access = browser.access(&app).await;
    let service = &dashboard.context.service;
    let item = |number: usize, key: Option<String>| {
        let registration = RegisterSubscription {
            endpoint: Some(format!("https://push.example/{number}")),
            p256dh: Some(P256DH.to_owned()),
            auth: Some(AUTH.to_owned()),
            vapid_public_key: key,
            ..RegisterSubscription::default()
        };
        Ok(BulkItem {
            registration,
            created_at: None,
        })
    };
    let all = (0..100).map(|number| item(number, None)).collect();
    let registered = service.register_many(&access, all, false).await;
    assert_eq!(registered.expect("registered").created, 100);
    let mut export = service.export_subscriptions(&access).await.expect("begun");
    let mut exported = 0;
    while exported < 100 {
        let page = export.next_page().await.expect("a page");
        assert_ne!(page.len(), 0, "after {exported}");
        exported += page.len();
    }

    let added = service.add_vapid_key(&access, None).await;
    let (VapidKeyUse { key, .. }, _) = added.expect("added");
    let late = vec![item(100, Some(key.public_text()))];
    service
        .register_many(&access, late, false)
        .await
        .expect("registered");
    let page = export.next_page().await.expect("a page");
    assert_eq!(page.len(), 1);
    assert_eq!(page[0].vapid_public_key, key.public_text());
}
