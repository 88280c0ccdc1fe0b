//! Private keys in all their forms, and what is none.

use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use super::{PRIVATE, PUBLIC, add, list, path};
use crate::fixtures::{post, setup, status_and_code};

const SEC1: &str = "-----BEGIN EC PRIVATE KEY-----\n\
    MHcCAQEEIIaCQTzwbgMXIURPvR5UxAZf6lCu5Gbj/1+1hf3xNiOOoAoGCCqGSM49\n\
    AwEHoUQDQgAE4TaCgdkX4hLTxdg3vL3BZ8KqjVnrzNoJpVYFCfgOWhf4BTbnzRaz\n\
    dDxaU3ORyVI0+lVNXRYBN9yVOlaiI3q5yg==\n-----END EC PRIVATE KEY-----\n";

fn jwk() -> Value {
    json!({
        "kty": "EC", "crv": "P-256", "d": PRIVATE, "ext": true,
        "x": "4TaCgdkX4hLTxdg3vL3BZ8KqjVnrzNoJpVYFCfgOWhc",
        "y": "-AU2580Ws3Q8WlNzkclSNPpVTV0WATfclTpWoiN6uco",
    })
}

#[on_each_database]
async fn a_known_key_changes_nothing_in_whatever_form_it_comes(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let imported = add(&app.owner, &app, &json!({"private_key": jwk()})).await;
    let before = list(&app).await;
    for form in [json!(PRIVATE), jwk(), json!(jwk().to_string()), json!(SEC1)] {
        let again = post(&app.owner, &path(&app, ""), &json!({"private_key": form})).await;
        assert_eq!(
            (again.status.as_u16(), again.json()),
            (200, imported.clone())
        );
    }
    assert_eq!(list(&app).await, before);
}

#[on_each_database]
async fn what_is_no_private_key_is_refused_and_stored_nowhere(database: TestDatabase) {
    let (_server, app) = setup(database).await;
    let mut mismatched = jwk();
    mismatched["x"] = mismatched["y"].clone();
    for refused in [
        json!("A".repeat(43)),
        json!("short"),
        json!(PUBLIC),
        mismatched,
        json!({}),
        json!(7),
        json!([PRIVATE]),
        json!("-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----"),
        json!("x".repeat(5_000)),
    ] {
        let body = json!({"private_key": refused});
        let reply = post(&app.owner, &path(&app, ""), &body).await;
        assert_eq!(
            status_and_code(&reply),
            (400, "INVALID_INPUT".into()),
            "{body}"
        );
    }
    assert_eq!(list(&app).await.len(), 1);
}
