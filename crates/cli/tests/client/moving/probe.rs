//! A message to some of those who were imported.

use serde_json::json;

use super::{P256DH, endpoint, line, run, setup, write};
use crate::http_proxy::{HttpProxy, ProxyAction};
use crate::setup::with_push_service;
use crate::stub_site::answer;

#[tokio::test]
async fn a_probe_also_asks_whom_an_earlier_run_has_taken() {
    const LIVING: usize = 40;
    let (setup, service) = with_push_service().await;
    let browsers = service.subscribe_many(Some(&setup.app.vapid_public_key), LIVING);
    let mut lines: Vec<_> = browsers
        .iter()
        .map(|it| it.registration().to_string())
        .collect();
    lines.extend((LIVING..1_000).map(|number| {
        let gone = format!("{}/push/gone-{number}", service.origin());
        line(number).replace(&endpoint(number), &gone)
    }));
    lines.push(line(1_000).replace(P256DH, &"B".repeat(87)));
    let file = write(&setup, "list", lines.join("\n"));
    let words = [
        "--probe",
        "1000",
        "--title",
        "Hello",
        "--body",
        "We have moved.",
    ];
    let command = [&["import", &*file][..], &words].concat();
    // The app is asked for first, then the history, and one batch follows.
    let action = |number| match number {
        0..=2 => ProxyAction::Forward,
        _ => ProxyAction::Respond(answer("403 Forbidden", "", "")),
    };
    let proxy = HttpProxy::start(action, setup.server.address()).await;
    let cut = setup.with_key("full", &command).await;
    let cut = cut.env("HATO_URL", &proxy.url).output().await;
    assert_ne!(cut.code, 0, "{cut:?}");
    let (code, report) = run(&setup, &command).await;
    assert_eq!((code, &report["created"]), (1, &json!(1_000)), "{report}");
    assert_eq!(report["probe"]["recipients"], 1_000, "{report}");
    assert_eq!(report["probe"]["sent_count"], LIVING, "{report}");
}

#[tokio::test]
async fn a_probe_that_failed_is_sent_by_the_same_command() {
    let (setup, service) = with_push_service().await;
    let browsers = service.subscribe_many(Some(&setup.app.vapid_public_key), 5);
    let lines = browsers.iter().map(|it| it.registration().to_string());
    let file = write(&setup, "list", lines.collect::<Vec<_>>().join("\n"));
    let words = ["--title", "Hello", "--body", "We have moved."];
    let command = [&["import", &*file, "--probe", "3"][..], &words].concat();
    // The app is asked for first, then the history, and one batch follows.
    let action = |number| match number {
        0..=2 => ProxyAction::Forward,
        _ => ProxyAction::Respond(answer("403 Forbidden", "", "")),
    };
    let proxy = HttpProxy::start(action, setup.server.address()).await;
    let failed = setup.with_key("full", &command).await;
    let failed = failed.env("HATO_URL", &proxy.url).output().await;
    assert_ne!(failed.code, 0, "{failed:?}");
    assert!(failed.stdout.contains("5 new, 0 known"), "{failed:?}");
    assert!(failed.stderr.contains("the same command"), "{failed:?}");
    let (code, report) = run(&setup, &command).await;
    assert_eq!((code, &report["created"]), (0, &json!(5)), "{report}");
    assert_eq!(report["probe"]["sent_count"], 3, "{report}");
    assert_eq!(service.seen(|seen| seen.total.created), 3);
}

#[tokio::test]
async fn a_probe_of_nobody_says_so() {
    let setup = setup().await;
    let bad = line(1).replace(P256DH, &"B".repeat(87));
    let words = [
        "--probe",
        "5",
        "--title",
        "Hello",
        "--body",
        "We have moved.",
    ];
    for (lines, code) in [(&*bad, "refused"), ("", "nobody")] {
        let file = write(&setup, "list", lines);
        let command = [&["import", &*file][..], &words].concat();
        let output = setup.with_key("full", &command).await.output().await;
        assert_eq!(output.error_code(), (1, code), "{output:?}");
        assert!(output.stdout.contains("nobody to probe"), "{output:?}");
    }
}

#[tokio::test]
async fn a_probe_says_how_many_of_them_still_live() {
    let (setup, service) = with_push_service().await;
    let browsers = service.subscribe_many(Some(&setup.app.vapid_public_key), 40);
    let lines: Vec<_> = browsers
        .iter()
        .map(|it| it.registration().to_string())
        .collect();
    for gone in &browsers[..20] {
        service.unsubscribe(gone);
    }
    let file = write(&setup, "browsers", lines.join("\n"));
    let words = ["--title", "Hello", "--body", "We have moved."];
    let line = [&["import", &*file, "--probe", "30"][..], &words].concat();
    let (code, report) = run(&setup, &line).await;
    assert_eq!((code, &report["created"]), (0, &json!(40)), "{report}");
    let count = |name: &str| report["probe"][name].as_i64().expect("a number");
    let (sent, expired) = (count("sent_count"), count("failed_expired"));
    assert_eq!(sent + expired, 30, "{report}");
    // Of 40, of which 20 are gone, at least 10 of each are among 30.
    assert!(sent >= 10 && expired >= 10, "{report}");
    let taken = service.seen(|seen| seen.total.created);
    assert_eq!(i64::try_from(taken), Ok(sent));

    let wrong = [&["import", &*file, "--dry-run", "--probe", "1"][..], &words].concat();
    let silent = ["import", &*file, "--probe", "1"];
    for line in [&wrong[..], &silent] {
        let output = setup.with_key("full", line).await.output().await;
        assert_eq!(output.code, 2, "{output:?}");
    }
}
