//! What happened to keys: newest first, by cursors that neither skip nor repeat.

use hato_domain::{AppId, Cursor, KeyEventId, PageRequest};
use hato_service::access::{ActorKind, ActorRecord};
use hato_service::ports::{DeletedKey, KeyEventKind, KeyEventRecord, KeyEventScope};
use hato_testkit::{TestDatabase, on_each_database};

use crate::test_store::{TestStore, actor, at};

async fn events(test: &TestStore, app: &AppId, page: &PageRequest) -> Vec<KeyEventRecord> {
    let events = test.store.key_events_of(app, page).await;
    events.expect("listed")
}

fn newest(limit: usize) -> PageRequest {
    PageRequest::parse(Some(&limit.to_string()), None, None).expect("a limit")
}

#[on_each_database]
async fn making_and_deleting_a_key_are_told(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let app = test.app().await;
    let made = test.new_key(&app, [1; 32]);
    let (key, creation) = (made.record.id.clone(), made.event_id.clone());
    test.create_key(made).await;
    let owner = ActorRecord {
        kind: ActorKind::User,
        id: "usr_1".to_owned(),
        name: "owner@example.com".to_owned(),
    };
    let deletion = KeyEventId::from_uuid(test.uuid());
    let deleted = DeletedKey {
        id: key.clone(),
        app_id: app.clone(),
        event_id: deletion.clone(),
        actor: owner.clone(),
        now: at(5),
    };
    assert!(test.store.delete_key(deleted).await.expect("deleted"));

    let events = events(&test, &app, &newest(10)).await;
    let recorded: Vec<_> = events
        .iter()
        .map(|event| (&event.id, event.event, &event.actor, event.created_at))
        .collect();
    assert_eq!(
        recorded,
        [
            (&deletion, KeyEventKind::Deleted, &owner, at(5)),
            (&creation, KeyEventKind::Created, &actor(), at(0)),
        ]
    );
    for event in &events {
        let shown = [&event.key_id, &event.key_name].map(String::as_str);
        assert_eq!(shown, [key.as_str(), "key"]);
        assert_eq!(event.key_scope, KeyEventScope::Notify);
    }
}

#[on_each_database]
async fn pages_of_any_size_show_every_event_once_and_in_order(database: TestDatabase) {
    let test = TestStore::new(database).await;
    let (app, other) = (test.app().await, test.app().await);
    for number in 0..12 {
        for app in [&app, &other] {
            let mut key = test.new_key(app, [0; 32]);
            key.hash[..16].copy_from_slice(&test.uuid().into_bytes());
            key.record.created_at = at(number % 3);
            test.create_key(key).await;
        }
    }
    let all = events(&test, &app, &newest(100)).await;
    assert_eq!(all.len(), 12);
    let all: Vec<_> = all.into_iter().map(|it| (it.created_at, it.id)).collect();
    assert!(all.is_sorted_by(|a, b| a > b));
    for limit in [1, 2, 5, 11, 12] {
        let mut page = newest(limit);
        let mut seen = Vec::new();
        loop {
            let items = events(&test, &app, &page).await;
            let more = items.len() > limit;
            seen.extend(
                items
                    .into_iter()
                    .take(limit)
                    .map(|it| (it.created_at, it.id)),
            );
            if !more {
                break;
            }
            page.cursor = seen.last().map(|(time, id)| Cursor {
                before: *time,
                before_id: Some(id.to_string()),
            });
        }
        assert_eq!(seen, all, "{limit}");
    }
}

/// As a process of a later version writes it that runs beside this one.
#[tokio::test]
async fn an_unknown_event_is_left_out_and_hides_no_other() {
    let test = TestStore::new(TestDatabase::postgres().await).await;
    let app = test.app().await;
    for number in 0..5 {
        test.create_key(test.new_key(&app, [number; 32])).await;
    }
    let all = events(&test, &app, &newest(10)).await;
    let unknown = [&all[1].id, &all[2].id]
        .map(|id| format!("'{id}'"))
        .join(", ");
    test.database.execute(&format!(
        "ALTER TABLE key_events DROP CONSTRAINT key_events_event_check;
         UPDATE key_events SET event = 'lent' WHERE id IN ({unknown})"
    ));
    let known = |limit| async move {
        let events = events(&test, &app, &newest(limit)).await;
        events.into_iter().map(|it| it.id).collect::<Vec<_>>()
    };
    let expected = [0, 3, 4].map(|number: usize| all[number].id.clone());
    assert_eq!(
        known(2).await,
        expected,
        "a page, and one more that tells of the next"
    );
}
