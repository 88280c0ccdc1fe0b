//! Files of other services, and files that are none.

use std::fs::File;
use std::io::{Seek as _, SeekFrom, Write as _};

use serde_json::{Value, json};

use super::{AUTH, P256DH, exported, line, refused, run, setup, write};

#[tokio::test]
async fn what_is_no_text_in_utf_8_is_refused_as_a_whole() {
    let setup = setup().await;
    for (bytes, code, said) in [
        (&b"\x1f\x8b\x08\x00"[..], "GZIP", "gunzip"),
        (b"\x28\xb5\x2f\xfd\x00", "ZSTD", "unzstd"),
        (b"\xff\xfe{\x00", "UTF_16", "UTF-16"),
        (b"\xfe\xff\x00{", "UTF_16", "UTF-16"),
        (b"name,colour\nx,y\n", "NO_LIST", "names a column"),
    ] {
        let file = write(&setup, "foreign", bytes);
        let output = setup
            .with_key("full", &["import", &file])
            .await
            .output()
            .await;
        assert_eq!(output.code, 2, "{output:?}");
        let at = format!("{file}:1: {code}: ");
        let is_told = |words: &str| output.stderr.contains(words);
        assert!(is_told(&at) && is_told(said), "{output:?}");
    }
}

/// `make test-long` says more.
fn endless_line() -> u64 {
    let bytes = std::env::var("HATO_LINE_BYTES").ok();
    bytes.map_or(64 << 20, |bytes| bytes.parse().expect("a number"))
}

#[tokio::test]
async fn an_endless_line_costs_no_memory_and_nobody_their_place() {
    let setup = setup().await;
    let path = setup.home.path().join("endless");
    let mut file = File::create(&path).expect("a file");
    writeln!(file, "{}", line(1)).expect("written");
    // A file with a hole: NUL bytes, which are one line.
    file.seek(SeekFrom::Start(endless_line())).expect("moved");
    write!(file, "\n{}\n", line(2)).expect("written");
    drop(file);
    let file = path.to_str().expect("text");
    let command = ["import", file, "--dry-run", "--json"];
    let command = setup.with_key("full", &command).await;
    let output = command.with_memory(256 * 1024).output().await;
    assert_eq!(output.code, 1, "{output:?}");
    let report: Value = serde_json::from_str(&output.stdout).expect("JSON");
    assert_eq!(
        (&report["created"], &report["refused"]),
        (&json!(2), &json!(1))
    );
    let expected = vec![(2, "LINE_TOO_LONG".to_owned())];
    assert_eq!(refused(&format!("{file}.refused")), expected);
}

#[tokio::test]
async fn other_services_columns_are_known() {
    let setup = setup().await;
    let one = |text: &str| {
        text.replace("P256", P256DH)
            .replace("AUTH", AUTH)
            .replace("URL", "https://push.example.com")
    };
    for (number, csv) in [
        "id,Identifier,web_auth,web_p256,external_user_id,tags\n1,URL/a,AUTH,P256,u1,\"{\"\"team\"\":\"\"osaka\"\"}\"\n",
        "endpoint,p256dh,auth,uid,tags\nURL/b,P256,AUTH,u1,\"team:osaka\"\n",
        "\"endpoint\",\"p256dh\",\"auth\",\"user_id\",\"tags\"\n\"URL/c\",\"P256\",\"AUTH\",\"u1\",\"[\"\"team:osaka\"\"]\"",
    ]
    .into_iter()
    .enumerate()
    {
        let file = write(&setup, &format!("{number}.csv"), one(csv));
        let (code, report) = run(&setup, &["import", &file]).await;
        assert_eq!((code, &report["created"]), (0, &json!(1)), "{csv}: {report}");
    }
    let text = exported(&setup, "all").await;
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(
            (&line["user_id"], &line["tags"]),
            (&json!("u1"), &json!(["team:osaka"]))
        );
    }
    assert_eq!(text.lines().count(), 3);
}

#[tokio::test]
async fn who_has_unsubscribed_at_the_other_service_is_left_out() {
    let setup = setup().await;
    let row = |name: &str, gone: &str, state: &str| {
        format!("1,https://push.example.com/{name},{gone},{state},{AUTH},{P256DH}\n")
    };
    let csv = [
        "id,identifier,invalid_identifier,notification_types,web_auth,web_p256\n",
        &row("a", "f", "1"),
        &row("b", "f", "-2"),
        &row("c", "f", "0"),
        &row("d", "t", "1"),
        &row("e", "", ""),
        &row("f", "false", "-18"),
        &row("b", "f", "1"),
        &row("g", "True", ""),
        &row("h", "f", "-2.0"),
    ];
    let file = write(&setup, "onesignal.csv", csv.concat());
    let expected = [3, 4, 5, 7, 9, 10].map(|line| (line, "UNSUBSCRIBED".to_owned()));
    for step in [&["--dry-run"][..], &[]] {
        let command = [&["import", &*file], step].concat();
        let (code, report) = run(&setup, &command).await;
        assert_eq!((code, &report["created"]), (1, &json!(3)), "{report}");
        assert_eq!(refused(&format!("{file}.refused")), expected, "{step:?}");
    }
    let text = exported(&setup, "all").await;
    for (line, name) in text.lines().zip(["a", "e", "b"]) {
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(line["endpoint"], format!("https://push.example.com/{name}"));
    }
    assert_eq!(text.lines().count(), 3);
}

#[tokio::test]
async fn quotes_hold_line_breaks_and_numbers_stay_right() {
    let setup = setup().await;
    let row = |note: &str, name: &str| {
        format!("{note},https://push.example.com/{name},{P256DH},{AUTH}\r\n")
    };
    let csv = [
        "note,endpoint,p256dh,auth\r\n",
        &row("\"two\r\nlines, \"\"quoted\"\"\"", "a"),
        "short,,,\r\n",
        &row("\"never closed", "b"),
        &row("", "c"),
        &row("\"\n\n\"", "a"),
        &row("last", "d"),
    ];
    let file = write(&setup, "notes.csv", csv.concat());
    let (code, report) = run(&setup, &["import", &file]).await;
    assert_eq!((code, &report["created"]), (1, &json!(3)), "{report}");
    let expected = [
        (4, "MISSING_FIELDS"),
        (5, "INVALID_INPUT"),
        (7, "DUPLICATE"),
    ];
    let expected = expected.map(|(line, code)| (line, code.to_owned()));
    assert_eq!(refused(&format!("{file}.refused")), expected);
    let text = exported(&setup, "all").await;
    for (line, name) in text.lines().zip(["a", "c", "d"]) {
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(line["endpoint"], format!("https://push.example.com/{name}"));
    }
}
