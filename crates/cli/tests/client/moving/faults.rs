//! Why lines are refused, in words that say what to mend.

use std::fs;

use serde_json::{Value, json};

use super::{line, refused, run, setup, write};

/// A line with one more member, or another value of it.
fn with(number: usize, member: &str, value: Value) -> String {
    let mut line: Value = serde_json::from_str(&line(number)).expect("JSON");
    line[member] = value;
    line.to_string()
}

fn with_key(number: usize, member: &str, value: &str) -> String {
    let line: Value = serde_json::from_str(&line(number)).expect("JSON");
    let mut keys = line["keys"].clone();
    keys[member] = json!(value);
    with(number, "keys", keys)
}

/// Lines with their codes and something of why they are refused.
fn faulty() -> Vec<(String, &'static str, &'static str)> {
    let foreign = super::P256DH;
    vec![
        (
            with_key(1, "p256dh", &"B".repeat(87)),
            "INVALID_INPUT",
            "p256dh が",
        ),
        (with_key(2, "auth", "short"), "INVALID_INPUT", "auth が"),
        (
            with(3, "vapid_public_key", json!(foreign)),
            "INVALID_INPUT",
            "このアプリにありません",
        ),
        (
            with(4, "vapid_public_key", json!("x")),
            "INVALID_INPUT",
            "vapid_public_key が",
        ),
        (with(5, "tags", json!(["a b"])), "INVALID_INPUT", "タグ"),
        (
            with(6, "user_id", json!("a\tb")),
            "INVALID_INPUT",
            "user_id",
        ),
        (with(7, "lang", json!("日本語")), "INVALID_INPUT", "lang"),
        (
            with(8, "time_zone", json!("/")),
            "INVALID_INPUT",
            "time_zone",
        ),
        (
            with(9, "created_at", json!(99_999_999_999_999_i64)),
            "INVALID_INPUT",
            "created_at",
        ),
        (
            with(10, "endpoint", json!("http://push.example.com/")),
            "INVALID_URL",
            "endpoint は https://",
        ),
        (
            with(11, "endpoint", json!("https://127.0.0.1/")),
            "INVALID_ENDPOINT",
            "endpoint が",
        ),
        (
            with(12, "keys", json!({"auth": "x"})),
            "MISSING_FIELDS",
            "p256dh か auth",
        ),
    ]
}

#[tokio::test]
async fn each_cause_has_words_of_its_own() {
    let (setup, lines) = (setup().await, faulty());
    let texts: Vec<_> = lines.iter().map(|it| it.0.clone()).collect();
    let file = write(&setup, "list", texts.join("\n"));
    for step in [&["--dry-run"][..], &[]] {
        let command = [&["import", &*file], step].concat();
        assert_eq!(run(&setup, &command).await.0, 1);
        let names = format!("{file}.refused");
        let codes = lines
            .iter()
            .zip(1..)
            .map(|(it, number)| (number, it.1.to_owned()));
        assert_eq!(refused(&names), codes.collect::<Vec<_>>());
        let text = fs::read_to_string(&names).expect("a file");
        for (said, (_, _, words)) in text.lines().zip(&lines) {
            let said: Value = serde_json::from_str(said).expect("JSON");
            let message = said["message"].as_str().expect("text");
            assert!(message.contains(words), "{said}");
        }
    }
}

#[tokio::test]
async fn what_is_no_private_key_is_refused_before_anything_else() {
    let setup = setup().await;
    let file = write(&setup, "list", line(1));
    let public = "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n";
    for garbage in ["", "garbage", public, r#"{"publicKey":"x"}"#] {
        let key = write(&setup, "vapid", garbage);
        for step in [&["--dry-run"][..], &[]] {
            let command = [&["import", &*file, "--vapid-key", &key], step].concat();
            let output = setup.with_key("full", &command).await.output().await;
            assert_eq!(output.error_code(), (2, "usage"), "{garbage}: {output:?}");
            assert!(output.stderr.contains("no private VAPID key"), "{output:?}");
        }
    }
    assert_eq!(run(&setup, &["import", &file]).await.1["created"], 1);
}

#[tokio::test]
async fn a_pair_whose_public_key_is_anothers_is_refused_before_anything_else() {
    let setup = setup().await;
    let file = write(&setup, "list", line(1));
    let private = "hoJBPPBuAxchRE-9HlTEBl_qUK7kZuP_X7WF_fE2I44";
    let pair = json!({ "publicKey": super::P256DH, "privateKey": private }).to_string();
    let key = write(&setup, "vapid", pair);
    let command = ["import", &file, "--vapid-key", &key];
    let output = setup.with_key("full", &command).await.output().await;
    assert_eq!(output.error_code(), (2, "usage"), "{output:?}");
    assert!(output.stderr.contains("keys of two pairs"), "{output:?}");
}

#[tokio::test]
async fn a_dry_run_judges_the_keys_of_lines_as_the_import_does() {
    const PRIVATE: &str = "hoJBPPBuAxchRE-9HlTEBl_qUK7kZuP_X7WF_fE2I44";
    const PUBLIC: &str =
        "BOE2goHZF-IS08XYN7y9wWfCqo1Z68zaCaVWBQn4DloX-AU2580Ws3Q8WlNzkclSNPpVTV0WATfclTpWoiN6uco";
    let setup = setup().await;
    let key = write(&setup, "vapid", PRIVATE);
    let padded = format!("{PUBLIC}=");
    let of_key = |number, key: &str| with(number, "vapid_public_key", json!(key));
    let lines = [
        of_key(1, PUBLIC),
        of_key(2, super::P256DH),
        line(3),
        of_key(4, "x"),
        of_key(5, &setup.app.vapid_public_key),
        of_key(6, &padded),
    ];
    let file = write(&setup, "list", lines.join("\n"));
    let expected = [2, 4].map(|line| (line, "INVALID_INPUT".to_owned()));
    for step in [&["--dry-run"][..], &[]] {
        let command = [&["import", &*file, "--vapid-key", &key], step].concat();
        let (code, report) = run(&setup, &command).await;
        assert_eq!((code, &report["created"]), (1, &json!(4)), "{report}");
        assert_eq!(refused(&format!("{file}.refused")), expected, "{step:?}");
    }
}
