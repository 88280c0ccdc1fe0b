//! What the requests that send are read as.

use super::{Notify, NotifyBatch};
use crate::ErrorCode;

fn read(json: &str) -> Result<Notify, ErrorCode> {
    crate::wire::read(json.as_bytes())
}

#[test]
fn null_and_empty_count_as_absent() {
    let notify = read(r#"{"title":"t","body":"","url":null,"ttl":"","x":1}"#).expect("well-formed");
    assert!(notify.url.is_none() && notify.ttl.is_none());
    assert_eq!(
        notify.into_notification().err(),
        Some(ErrorCode::MissingFields)
    );
}

#[test]
fn an_endpoint_is_never_ignored() {
    assert!(read(r#"{"endpoint":null}"#).is_err());
    assert_eq!(
        read(r#"{"endpoint":""}"#)
            .expect("well-formed")
            .endpoint
            .as_deref(),
        Some("")
    );
}

#[test]
fn a_part_of_the_audience_is_never_ignored() {
    for json in [
        r#"{"to":null}"#,
        r#"{"to":""}"#,
        r#"{"to":[]}"#,
        r#"{"to":["a"]}"#,
        r#"{"to":"a"}"#,
        r#"{"to":{"user_ids":null}}"#,
        r#"{"to":{"tags":null}}"#,
        r#"{"to":{"user_id":"a"}}"#,
        r#"{"to":{"tags":"a","x":1}}"#,
        r#"{"to":{"tags":"a","tags":"b"}}"#,
        r#"{"to":{"user_ids":"a"}}"#,
        r#"{"to":{"tags":["a"]}}"#,
    ] {
        assert!(read(json).is_err(), "{json}");
    }
    for (json, good) in [
        (r#"{"to":{"tags":"a"}}"#, true),
        (r#"{"to":{"user_ids":["a"],"tags":"a"}}"#, true),
        (r#"{"to":{}}"#, false),
        (r#"{"to":{"tags":""}}"#, false),
        (r#"{"to":{"user_ids":[]}}"#, false),
        (r#"{"to":{"tags":"a"},"endpoint":""}"#, false),
    ] {
        let filter = read(json).expect("well-formed").filter();
        assert_eq!(filter.is_ok(), good, "{json}");
    }
}

#[test]
fn times_and_pace_are_never_ignored() {
    for member in ["send_at", "expires_at", "max_per_minute"] {
        for value in ["null", r#""""#, r#""1""#, "1.5", "[]", "true"] {
            let json = format!(r#"{{"{member}":{value}}}"#);
            assert!(read(&json).is_err(), "{json}");
        }
        assert!(read(&format!(r#"{{"{member}":1}}"#)).is_ok());
    }
}

#[test]
fn wrong_types_are_not_well_formed() {
    for json in [
        r#"{"title":1}"#,
        r#"{"ttl":"60"}"#,
        r#"{"ttl":1.5}"#,
        "[]",
        r#"{"title":"a","title":"b"}"#,
    ] {
        assert!(read(json).is_err(), "{json}");
    }
}

#[test]
fn a_batch_is_a_list_and_an_object() {
    let parts = |json: &str| {
        crate::wire::read::<NotifyBatch>(json.as_bytes())?
            .into_parts()
            .map(|(endpoints, _)| endpoints.len())
    };
    let twice = r#"{"endpoints":["https://a.example/","https://a.example/"],"payload":{}}"#;
    assert_eq!(parts(twice), Ok(1));
    for (json, code) in [
        (r#"{"endpoints":[],"payload":{}}"#, ErrorCode::MissingFields),
        (r#"{"endpoints":"","payload":{}}"#, ErrorCode::MissingFields),
        (
            r#"{"endpoints":["https://a.example/"],"payload":null}"#,
            ErrorCode::MissingFields,
        ),
        (
            r#"{"endpoints":["https://a.example/"],"payload":["t","b"]}"#,
            ErrorCode::InvalidInput,
        ),
        (
            r#"{"endpoints":["https://a.example/"],"payload":{"title":"a","title":"b"}}"#,
            ErrorCode::InvalidInput,
        ),
        (r#"{"endpoints":[""],"payload":{}}"#, ErrorCode::InvalidUrl),
        (
            r#"{"endpoints":["https://a.example/"],"payload":{"to":{"tags":"a"}}}"#,
            ErrorCode::InvalidInput,
        ),
        (
            r#"{"endpoints":["https://a.example/"],"payload":{},"to":{"tags":"a"}}"#,
            ErrorCode::InvalidInput,
        ),
        (
            r#"{"endpoints":["https://a.example/"],"payload":{},"send_at":null}"#,
            ErrorCode::InvalidInput,
        ),
        (
            r#"{"endpoints":["https://a.example/"],"payload":{},"max_per_minute":5}"#,
            ErrorCode::InvalidInput,
        ),
        (
            r#"{"endpoints":[null],"payload":{}}"#,
            ErrorCode::InvalidInput,
        ),
    ] {
        assert_eq!(parts(json), Err(code), "{json}");
    }
}

#[test]
fn rich_members_are_read_and_null_and_empty_count_as_absent() {
    let absent = r#"{"title":"t","body":"b","image":null,"actions":"","tag":"","renotify":null,
        "require_interaction":"","silent":null,"data":"","dir":"","lang":null,"timestamp":"","app_badge":null}"#;
    let sent = read(absent).expect("well-formed").into_notification();
    let payload = sent.expect("a message").payload().to_owned();
    assert_eq!(payload, r#"{"title":"t","body":"b"}"#);
    let json = r#"{"title":"t","body":"b","actions":[{"action":"a","title":"A","url":null,"x":1}],
        "data":{ "b" : [1.50, {"c": null}] },"app_badge":0}"#;
    let sent = read(json).expect("well-formed").into_notification();
    let payload = sent.expect("a message").payload().to_owned();
    let expected = r#"{"title":"t","body":"b","actions":[{"action":"a","title":"A"}],"data":{"b":[1.5,{"c":null}]},"app_badge":0}"#;
    assert_eq!(payload, expected);
}

#[test]
fn of_data_that_is_too_long_only_the_length_is_known() {
    let message = |data: &str| read(&format!(r#"{{"title":"t","body":"b","data":{data}}}"#));
    let no_tree = "1e999";
    assert!(message(&format!(r#"{{"a":{no_tree}}}"#)).is_err());
    let objects = vec![r#"{"":0}"#; 37_000].join(",");
    let sent = message(&format!(r#"{{"a":[{objects},{no_tree}]}}"#)).expect("a text");
    assert_eq!(
        sent.into_notification().err(),
        Some(ErrorCode::InvalidInput)
    );
}

#[test]
fn rich_members_that_are_wrong_are_refused() {
    let input = ErrorCode::InvalidInput;
    for (members, code) in [
        (r#""image":"http://a.example/""#, ErrorCode::InvalidUrl),
        (r#""image":1"#, input),
        (r#""actions":{}"#, input),
        (r#""actions":[null]"#, input),
        (r#""actions":[["a","A"]]"#, input),
        (r#""actions":[{"action":"a"}]"#, input),
        (r#""actions":[{"title":"A"}]"#, input),
        (r#""actions":[{"action":1,"title":"A"}]"#, input),
        (
            r#""actions":[{"action":"a","action":"b","title":"A"}]"#,
            input,
        ),
        (
            r#""actions":[{"action":"a","title":"A","url":"http://a.example/"}]"#,
            ErrorCode::InvalidUrl,
        ),
        (
            r#""actions":[{"action":"a","title":"A","icon":"x"}]"#,
            ErrorCode::InvalidUrl,
        ),
        (r#""tag":1"#, input),
        (r#""renotify":"true""#, input),
        (r#""renotify":true"#, input),
        (r#""renotify":true,"tag":"g","silent":true"#, input),
        (r#""require_interaction":1"#, input),
        (r#""silent":"x""#, input),
        (r#""data":[]"#, input),
        (r#""data":"x""#, input),
        (r#""data":1"#, input),
        (r#""data":{"a":1,"a":2}"#, input),
        (r#""data":{"a":[{"b":1,"b":2}]}"#, input),
        (r#""dir":"up""#, input),
        (r#""lang":"日本語""#, input),
        (r#""timestamp":-1"#, input),
        (r#""timestamp":1.5"#, input),
        (r#""timestamp":"now""#, input),
        (r#""app_badge":-1"#, input),
        (r#""app_badge":1000000"#, input),
        (r#""app_badge":true"#, input),
        (r#""tag":"a","tag":"b""#, input),
    ] {
        let refused = read(&format!(r#"{{"title":"t","body":"b",{members}}}"#))
            .and_then(Notify::into_notification);
        assert_eq!(refused.err(), Some(code), "{members}");
    }
}
