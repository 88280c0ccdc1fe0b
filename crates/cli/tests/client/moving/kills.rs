//! What is killed in the middle of moving goes on, or leaves nothing behind.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use super::{P256DH, line, refused, run, setup, write};
use crate::http_proxy::{HttpProxy, ProxyAction};
use crate::setup::{CliSetup, subscribe, with_push_service};
use crate::stub_site::answer;

/// A key that outlives a restart of the server, whose address is another one then.
async fn key(setup: &CliSetup) -> String {
    let key = setup.app.owner.create_key(&setup.app.id, "mover", "full");
    key.await.expect("a key")
}

fn bad(number: usize) -> String {
    line(number).replace(P256DH, &"B".repeat(87))
}

/// Sends SIGKILL to the command while it waits in vain for the answer to a request, and to the server, which then starts again.
async fn kill_in_the_middle(setup: &mut CliSetup, key: &str, command: &[&str], request: u32) {
    let action = move |number| match number {
        number if number == request => ProxyAction::Stall,
        _ => ProxyAction::Forward,
    };
    let proxy = HttpProxy::start(action, setup.server.address()).await;
    let command = setup.hato(command).env("HATO_KEY", key);
    let mut child = command.env("HATO_URL", &proxy.url).spawn();
    proxy.fell_silent().await;
    child.kill().await.expect("it is our child");
    setup.server.kill().await;
    setup.server.restart().await.expect("it starts again");
}

#[tokio::test]
async fn an_import_that_was_killed_goes_on_and_names_each_bad_line_once() {
    let mut setup = setup().await;
    let key = key(&setup).await;
    let is_bad = |number: usize| number % 500 == 7;
    let mut lines: Vec<_> = (0..3_500)
        .map(|number| {
            if is_bad(number) {
                bad(number)
            } else {
                line(number)
            }
        })
        .collect();
    lines.insert(0, "# a list".to_owned());
    // The first line of an endpoint that is taken counts, also where an earlier run has done lines before.
    lines.push(line(7));
    lines.push(line(8));
    let file = write(&setup, "list", lines.join("\n"));
    // The app is asked for first. The second batch is registered, and nobody hears of it.
    kill_in_the_middle(&mut setup, &key, &["import", &file], 2).await;
    let names = format!("{file}.refused");
    let before = refused(&names).len();
    assert!((2..8).contains(&before), "{before}");
    // A run that is killed a little later has written of the batch what it refuses, and cannot know that.
    let half = "{\"line\":1509,\"code\":\"INVALID_INPUT\",\"message\":\"x\"}\n{\"line\":15";
    let mut left = OpenOptions::new()
        .append(true)
        .open(&names)
        .expect("a file");
    left.write_all(half.as_bytes()).expect("written");

    let again = ["import", &file, "--json"];
    let output = setup.hato(&again).env("HATO_KEY", &key).output().await;
    let report: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(
        (output.code, &report["refused"]),
        (1, &json!(9)),
        "{report}"
    );
    let count = |name: &str| report[name].as_u64().expect("a number");
    assert_eq!(count("created") + count("updated"), 3_494, "{report}");
    // What the server had done, and the run before had not heard of.
    assert_eq!(count("perhaps_created"), count("updated"));
    assert!((900..=1_000).contains(&count("updated")), "{report}");
    let mut expected = vec![(1, "INVALID_INPUT".to_owned())];
    expected.extend((0..7).map(|it| (it * 500 + 9, "INVALID_INPUT".to_owned())));
    expected.push((3_503, "DUPLICATE".to_owned()));
    assert_eq!(refused(&names), expected);
    let out = setup.home.path().join("out");
    let export = ["export", out.to_str().expect("text")];
    setup.hato(&export).env("HATO_KEY", &key).success().await;
    let text = fs::read_to_string(&out).expect("a file");
    assert_eq!(text.lines().count(), 3_494);
    assert!(!Path::new(&format!("{file}.progress")).exists());
}

#[tokio::test]
async fn another_file_of_refused_lines_is_not_touched_on_the_way() {
    let setup = setup().await;
    let lines: Vec<_> = (0..1_500).map(line).collect();
    let file = write(&setup, "list", lines.join("\n"));
    let action = |number| match number {
        0 | 1 => ProxyAction::Forward,
        _ => ProxyAction::Respond(answer("403 Forbidden", "", "")),
    };
    let proxy = HttpProxy::start(action, setup.server.address()).await;
    let cut = setup.with_key("full", &["import", &file]).await;
    let cut = cut.env("HATO_URL", &proxy.url).output().await;
    assert_ne!(cut.code, 0, "{cut:?}");
    let other = write(&setup, "diary", "mine");
    let command = ["import", &file, "--refused", &other];
    let output = setup.with_key("full", &command).await.output().await;
    assert_eq!(output.error_code(), (2, "usage"), "{output:?}");
    assert_eq!(fs::read_to_string(&other).expect("a file"), "mine");
    assert_eq!(run(&setup, &["import", &file]).await.0, 0);
}

#[tokio::test]
async fn a_probe_that_was_killed_asks_the_same_people_once() {
    let (setup, service) = with_push_service().await;
    let browsers = service.subscribe_many(Some(&setup.app.vapid_public_key), 150);
    let lines = browsers.iter().map(|it| it.registration().to_string());
    let file = write(&setup, "list", lines.collect::<Vec<_>>().join("\n"));
    let words = ["--title", "Hello", "--body", "We have moved."];
    let command = [&["import", &*file, "--probe", "120"][..], &words].concat();
    let key = key(&setup).await;
    // The app is asked for first, then the history. The first run then imports, and is killed when the second batch of the probe
    // is accepted; the next one sends both batches again, and is killed while it waits for what becomes of them.
    for _ in 0..2 {
        let action = |number| match number {
            4 => ProxyAction::Stall,
            _ => ProxyAction::Forward,
        };
        let proxy = HttpProxy::start(action, setup.server.address()).await;
        let command = setup.hato(&command).env("HATO_KEY", &key);
        let mut child = command.env("HATO_URL", &proxy.url).spawn();
        proxy.fell_silent().await;
        child.kill().await.expect("it is our child");
    }
    let report = setup.hato(&command).env("HATO_KEY", &key).json().await;
    assert_eq!(report["created"], 150, "{report}");
    assert_eq!(report["probe"]["sent_count"], 120, "{report}");
    assert_eq!(service.seen(|seen| seen.total.created), 120);
    let page = setup.hato(&["history"]).env("HATO_KEY", &key).json().await;
    assert_eq!(page["items"].as_array().map(Vec::len), Some(2), "{page}");
    assert!(!Path::new(&format!("{file}.progress")).exists());
}

#[tokio::test]
async fn a_file_of_messages_that_was_killed_sends_each_once() {
    let (mut setup, service) = with_push_service().await;
    subscribe(&setup, &service, 1).await;
    let key = key(&setup).await;
    let lines =
        (1..=5).map(|number| json!({"title": format!("m{number}"), "body": "b"}).to_string());
    let file = write(&setup, "messages", lines.collect::<Vec<_>>().join("\n"));
    let command = ["notify", "--file", &file];
    // The app is asked for first. The third message is accepted, and nobody hears of it.
    kill_in_the_middle(&mut setup, &key, &command, 3).await;
    let report = setup.hato(&command).env("HATO_KEY", &key).json().await;
    assert_eq!(
        (&report["skipped"], &report["sent"]),
        (&json!(2), &json!(3))
    );
    let page = setup.hato(&["history"]).env("HATO_KEY", &key).json().await;
    let items = page["items"].as_array().expect("a list").iter();
    let mut titles: Vec<_> = items
        .map(|it| it["title"].as_str().expect("text"))
        .collect();
    titles.sort_unstable();
    assert_eq!(titles, ["m1", "m2", "m3", "m4", "m5"]);
}

#[tokio::test]
async fn an_export_that_is_cut_short_is_no_file() {
    const BEGINNING: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n";
    let setup = setup().await;
    let file = write(&setup, "list", line(1));
    run(&setup, &["import", &file]).await;
    let out = setup.home.path().join("out");
    let command = ["export", out.to_str().expect("text")];
    // The app is asked for first.
    for is_killed in [false, true] {
        let action = move |number| match number {
            0 => ProxyAction::Forward,
            _ if is_killed => ProxyAction::Begin(BEGINNING.to_owned()),
            _ => ProxyAction::Respond(BEGINNING.to_owned()),
        };
        let proxy = HttpProxy::start(action, setup.server.address()).await;
        let command = setup.with_key("full", &command).await;
        let command = command.env("HATO_URL", &proxy.url);
        if is_killed {
            let mut child = command.spawn();
            proxy.fell_silent().await;
            child.kill().await.expect("it is our child");
        } else {
            let cut = command.output().await;
            assert_eq!(cut.error_code(), (6, "no-answer"), "{cut:?}");
            assert!(!Path::new(&format!("{}.new", out.display())).exists());
        }
        assert!(!out.exists());
    }
    setup.with_key("full", &command).await.success().await;
    let text = fs::read_to_string(&out).expect("a file");
    assert_eq!(text.lines().count(), 1);
}
