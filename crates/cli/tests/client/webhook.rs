//! The webhook of an app on the Pro plan.

use hato_testkit::push_service::PushService;
use hato_testkit::webhook_receiver::{Reaction, WebhookReceiver};

use crate::stage::{Stage, launch};

#[tokio::test]
async fn a_webhook_is_set_shown_rotated_switched_on_and_cleared() {
    let service = PushService::start().await;
    let receiver = WebhookReceiver::start(service.authority()).await;
    receiver.react(Reaction::Status(410));
    let launch = launch().reaching(&service).env("HATO_DEFAULT_PLAN", "pro");
    let stage = Stage::of(launch).await;
    let hato = async |line: &[&str]| stage.with_key("full", line).await;
    let none = hato(&["webhook", "show"]).await.ran().await;
    assert_eq!(none.refusal(), (3, "NOT_FOUND"));
    assert!(none.errors.contains("hato webhook set URL"), "{none:?}");

    let set = hato(&["webhook", "set", receiver.url()]).await.done().await;
    assert_eq!(set, format!("Results are posted to {}.\n", receiver.url()));
    let first = hato(&["webhook", "show"]).await.json().await;
    let path = format!("/api/v1/apps/{}/webhook", stage.app.id);
    let told = stage.app.owner.get(&path).await.expect("an answer").json();
    assert_eq!(first, told);
    let secret = first["secret"].as_str().expect("a secret");
    let shown = hato(&["webhook", "show"]).await.done().await;
    assert!(
        shown.contains(secret) && shown.contains("state     on\n"),
        "{shown}"
    );
    assert!(!shown.contains("previous"), "{shown}");

    let rotated = hato(&["webhook", "rotate"]).await.done().await;
    assert!(
        rotated.contains(&format!("previous  {secret} (until ")),
        "{rotated}"
    );

    // An event that is answered 410 switches it off.
    hato(&["notify", "a", "b", "--wait"]).await.done().await;
    receiver.wait_until(|seen| !seen.is_empty()).await;
    let mut shown = String::new();
    for _ in 0..1_000 {
        shown = hato(&["webhook", "show"]).await.done().await;
        if shown.contains("off") {
            break;
        }
    }
    assert!(shown.contains("state     off: gone"), "{shown}");
    let on = hato(&["webhook", "enable"]).await.done().await;
    assert!(on.contains("state     on\n"), "{on}");

    hato(&["webhook", "clear"]).await.done().await;
    let none = hato(&["webhook", "show"]).await.ran().await;
    assert_eq!(none.refusal(), (3, "NOT_FOUND"));
}
