//! Files of other services, and files that are none.

use serde_json::{Value, json};

use super::{AUTH, P256DH, exported, refused, run, setup, write};

#[tokio::test]
async fn what_is_no_text_in_utf_8_is_refused_as_a_whole() {
    let setup = setup().await;
    for (bytes, said) in [
        (&b"\x1f\x8b\x08\x00"[..], "gunzip"),
        (b"\x28\xb5\x2f\xfd\x00", "unzstd"),
        (b"\xff\xfe{\x00", "UTF-16"),
        (b"name,colour\nx,y\n", "names a column"),
    ] {
        let file = write(&setup, "foreign", bytes);
        let output = setup
            .with_key("full", &["import", &file])
            .await
            .output()
            .await;
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.contains(said), "{output:?}");
    }
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
