//! The credential: whether it is alive, and what it may do.

use hato_domain::ErrorCode;
use hato_domain::wire::{Account, PublicKey, SendAccepted, Stats};
use serde_json::json;

use super::finding::Finding;
use crate::connection::ServerConnection;
use crate::error::{CliError, Result};

pub fn examine(connection: &ServerConnection) -> Finding {
    if connection.has_key() {
        key(connection)
    } else {
        session(connection)
    }
}

fn key(connection: &ServerConnection) -> Finding {
    let app: Result<PublicKey> = connection.api().get("/api/v1/vapid-public-key");
    let scope = app.and_then(|app| Ok((app, scope(connection)?)));
    let (app, scope) = match scope {
        Ok(found) => found,
        Err(error) => return dead("key", &error),
    };
    if let Err(error) = connection.require_named_app() {
        return Finding::problem("key", error.message(), error.hint());
    }
    Finding::judge(
        "key",
        scope != "subscribe_only",
        &format!("scope {scope}, app {}", app.app_id),
        "it is for pages and cannot send: use one with scope notify on a server, full for management",
    )
}

/// Which scope a key has shows in what it is refused. A send without members is always refused: it sends nothing.
fn scope(connection: &ServerConnection) -> Result<&'static str> {
    let api = connection.api();
    if may(api.get::<Stats>("/api/v1/stats").map(drop))? {
        return Ok("full");
    }
    let sent = api.post::<SendAccepted>("/api/v1/notify", &json!({}));
    Ok(if may(sent.map(drop))? {
        "notify"
    } else {
        "subscribe_only"
    })
}

/// Whether the scope sufficed; what is refused for missing fields had passed that check.
fn may(outcome: Result<()>) -> Result<bool> {
    match outcome {
        Err(error) if error.code() == "INSUFFICIENT_SCOPE" => Ok(false),
        Err(error) if error.code() == "MISSING_FIELDS" => Ok(true),
        Err(error) => Err(error),
        Ok(()) => Ok(true),
    }
}

fn session(connection: &ServerConnection) -> Finding {
    match connection.api().get::<Account>("/auth/session") {
        Ok(account) => Finding::fine(
            "session",
            &format!("{}, plan {}", account.user.email, account.user.plan),
        ),
        Err(error) => dead("session", &error),
    }
}

/// Why nothing is known of a credential: it is dead, or the server would not or could not say.
fn dead(check: &'static str, error: &CliError) -> Finding {
    let found = format!("{}: {}", error.code(), error.message());
    let hint = match ErrorCode::parse(error.code()) {
        Some(ErrorCode::InvalidApiKey | ErrorCode::InvalidSession | ErrorCode::Unauthorized) => {
            "make a new key in the dashboard or with `hato keys create`, or `hato login` again"
        }
        _ => error.hint(),
    };
    Finding::problem(check, &found, hint)
}
