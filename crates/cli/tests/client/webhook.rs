//! The webhook of an app on the Pro plan.

use hato_testkit::push_service::PushService;
use hato_testkit::webhook_receiver::{ReceiverResponse, WebhookReceiver};

use crate::setup::{CliSetup, launch};

#[tokio::test]
async fn a_webhook_is_set_shown_rotated_switched_on_and_cleared() {
    let service = PushService::start().await;
    let receiver = WebhookReceiver::start(service.ca()).await;
    receiver.respond_with(ReceiverResponse::Status(410));
    let launch = launch()
        .with_push_service(&service)
        .env("HATO_DEFAULT_PLAN", "pro");
    let setup = CliSetup::with_launch(launch).await;
    let hato = async |line: &[&str]| setup.with_key("full", line).await;
    let none = hato(&["webhook", "show"]).await.output().await;
    assert_eq!(none.error_code(), (3, "NOT_FOUND"));
    assert!(none.stderr.contains("hato webhook set URL"), "{none:?}");

    let set = hato(&["webhook", "set", receiver.url()])
        .await
        .success()
        .await;
    assert_eq!(set, format!("Results are posted to {}.\n", receiver.url()));
    let first = hato(&["webhook", "show"]).await.json().await;
    let path = format!("/api/v1/apps/{}/webhook", setup.app.id);
    let expected = setup.app.owner.get(&path).await.expect("an answer").json();
    assert_eq!(first, expected);
    let secret = first["secret"].as_str().expect("a secret");
    let shown = hato(&["webhook", "show"]).await.success().await;
    assert!(
        shown.contains(secret) && shown.contains("state     on\n"),
        "{shown}"
    );
    assert!(!shown.contains("previous"), "{shown}");

    let rotated = hato(&["webhook", "rotate"]).await.success().await;
    assert!(
        rotated.contains(&format!("previous  {secret} (until ")),
        "{rotated}"
    );

    // An event that is answered 410 disables it.
    hato(&["notify", "a", "b", "--wait"]).await.success().await;
    receiver.wait_until(|seen| !seen.is_empty()).await;
    let mut shown = String::new();
    for _ in 0..1_000 {
        shown = hato(&["webhook", "show"]).await.success().await;
        if shown.contains("off") {
            break;
        }
    }
    assert!(shown.contains("state     off: gone"), "{shown}");
    let on = hato(&["webhook", "enable"]).await.success().await;
    assert!(on.contains("state     on\n"), "{on}");

    hato(&["webhook", "clear"]).await.success().await;
    let none = hato(&["webhook", "show"]).await.output().await;
    assert_eq!(none.error_code(), (3, "NOT_FOUND"));
}
