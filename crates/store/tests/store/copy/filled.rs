//! A store with rows in every table.

use std::time::Duration;

use hato_domain::notification::Links;
use hato_domain::{
    AppId, Email, Engagement, FailureDetail, FailureReason, FieldChange, IdempotencyKey,
    MessageSettingsChange, Notification, OutboundPolicy, Plan, SendId, SiteUrl, Tracking,
    UnixMillis, WebhookUrl,
};
use hato_service::hour_of;
use hato_service::ports::{
    AppChange, Attempt, Audience, Disposition, EngagementReport, FailingRule, FailureTally,
    IdempotencyEntry, NewDeadLetter, NewPicture, NewSend, NextOutbox, OutboxClaimRequest,
    PendingLogin, QueueTestOutcome, RecipientId, RetryJob, Settlement, WebhookResponse,
};

use crate::test_store::{LEASE, START, TestStore, at, ids, new_session, sent_to};

const EMAIL: &str = "hato@example.com";
const URL: &str = "https://hooks.example/1";
const SITE: &str = "https://shop.example/鳩";
const FAILING: FailingRule = FailingRule {
    limit: Duration::from_hours(24),
    quiet_time: Duration::from_hours(24),
};

/// When nothing of it is claimed any more.
pub const TOMORROW: UnixMillis = UnixMillis(START.0 + 86_400_000);

/// The app of a store that was filled.
pub async fn app(test: &TestStore) -> AppId {
    let email = Email::parse(EMAIL).expect("an address");
    let account = test.store.account_by_email(&email).await.expect("read");
    let account = account.expect("the account").id;
    let apps = test.store.apps_of(&account).await.expect("listed");
    apps[0].id.clone()
}

/// Puts something into every table.
pub async fn fill(test: &TestStore) {
    let app = make_app(test).await;
    for number in 0..6 {
        test.subscribe(&app, number).await;
    }
    test.unsubscribe(&app, 5).await;
    send_with_every_outcome(test, &app).await;
    post_an_event(test, &app).await;
    let login = PendingLogin {
        state_hash: [1; 32],
        browser_hash: [2; 32],
        pkce_verifier: "verifier".to_owned(),
        expires_at: at(600_000),
    };
    let begun = test.store.begin_github_login(login, START).await;
    begun.expect("kept");
}

async fn make_app(test: &TestStore) -> AppId {
    let account = test.new_account(EMAIL, Plan::Pro);
    let id = account.id.clone();
    assert!(test.store.create_account(account).await.expect("stored"));
    let browser = Some("Firefox 鳩 \\ \t 'quoted'".to_owned());
    let session = test
        .store
        .create_session(new_session([9; 32], id.clone(), TOMORROW, browser));
    session.await.expect("stored");
    let app = test.app_of(&id).await;
    test.create_key(test.new_key(&app, [3; 32])).await;
    test.add_vapid_key(&app, [5; 65]).await;
    let url = WebhookUrl::parse(URL, &OutboundPolicy::default()).expect("a URL");
    let change = AppChange {
        messages: MessageSettingsChange {
            site_url: FieldChange::Set(SiteUrl::parse(SITE).expect("an address")),
            declarative: Some(true),
            tracking: Some(Tracking::Counts),
        },
        ..AppChange::from_webhook(Some(url))
    };
    let set = test.store.change_app(&app, change).await;
    set.expect("stored");
    let picture = NewPicture {
        app_id: app.clone(),
        name: "0123.png".to_owned(),
        content: vec![0x89, 0, 255],
        created_at: START,
    };
    test.store.add_picture(picture).await.expect("stored");
    let made = test.store.make_icon(&app, "0123.png").await;
    assert!(made.expect("stored"));
    let kept = test.store.keep_first_secret(&app, vec![0, 255, 1]).await;
    kept.expect("stored");
    app
}

/// A send of which one recipient is reached, one given up and one to be tried again, and which replays.
async fn send_with_every_outcome(test: &TestStore, app: &AppId) {
    let send = NewSend {
        idempotency: Some(IdempotencyEntry {
            key: IdempotencyKey::parse(b"key").expect("a key"),
            path: "/notify",
            body_hash: [4; 32],
        }),
        max_per_minute: Some(10),
        notification: Notification::new("鳩\0\u{1a}0".into(), "\u{1a}\0".into(), Links::default())
            .expect("small"),
        ..test.new_send(app, Audience::Everyone, START)
    };
    test.accept(send).await;
    let page = test.claim(START, 3).await;
    let recipients = ids(&test.recipients(&page).await);
    let settlement = Settlement {
        sent: sent_to(&recipients[..1]),
        dead_letters: vec![NewDeadLetter {
            recipient: recipients[1],
            reason: FailureReason::Refused,
            http_status: Some(403),
            attempts: 1,
            detail: FailureDetail::from_text("errno 鳩"),
        }],
        tallies: vec![FailureTally {
            host: "push.example".to_owned(),
            reason: "refused",
            recipients: 1,
        }],
        retries: vec![RetryJob {
            recipients: recipients[2..].to_vec(),
            attempt: 1,
            due_at: at(5_000),
        }],
        ..Settlement::default()
    };
    test.settle(&page, settlement).await;
    count_displayed(test, &page.send_id, recipients[0]).await;
}

async fn count_displayed(test: &TestStore, send: &SendId, recipient: RecipientId) {
    let displayed = EngagementReport {
        recipient,
        hour: hour_of(START),
        engagement: Engagement::Displayed,
        action: None,
    };
    let counted = test
        .store
        .count_engagement(send, vec![displayed], START)
        .await;
    counted.expect("counted");
}

/// An event that the app's URL has refused once.
async fn post_an_event(test: &TestStore, app: &AppId) {
    let queued = test.store.queue_test_event(app, START).await;
    assert_eq!(queued.expect("judged"), QueueTestOutcome::Queued);
    let claim = OutboxClaimRequest {
        now: START,
        lease: LEASE,
        include_slow: true,
    };
    let claimed = test.store.claim_outbox(claim).await.expect("asked");
    let NextOutbox::Claimed(outbox) = claimed else {
        panic!("an event is due");
    };
    let due = test.store.due_events(&outbox, &[], START, 100).await;
    let attempt = Attempt {
        event: due.expect("read")[0].number,
        earlier: 0,
        resend: None,
        url: URL.to_owned(),
        signature: "v1,x".to_owned(),
        response: WebhookResponse::Received {
            status: 500,
            text: "鳩".to_owned(),
        },
        started_at: START,
        duration: Duration::from_millis(3),
        is_slow: false,
        disposition: Disposition::Failed(Some(at(5_000))),
    };
    let recorded = test
        .store
        .record_attempt(&outbox, attempt, FAILING, START)
        .await;
    recorded.expect("stored");
    let released = test.store.release_outbox(&outbox, START).await;
    released.expect("stored");
}
