//! The VAPID key that imported subscriptions were made with.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::connection::ServerConnection;
use crate::error::{CliError, Result};

/// Most bytes that are read of a key's file.
const MAX_BYTES: u64 = 16 * 1024;

#[derive(Deserialize)]
struct AppKey {
    public_key: String,
}

/// Gives the app the key of this file; its public key. A dry run gives nothing, and judges the lines as if they were made with the app's
/// own key.
pub fn take_over(
    connection: &ServerConnection,
    file: Option<&Path>,
    is_dry_run: bool,
) -> Result<Option<String>> {
    let Some(file) = file else {
        return Ok(None);
    };
    let private_key = read(file)?;
    if is_dry_run {
        return Ok(None);
    }
    let path = connection.app_path("/vapid-keys")?;
    let body = json!({"private_key": private_key});
    let key: AppKey = connection.api().post_idempotent(&path, &body)?;
    Ok(Some(key.public_key))
}

/// The text of the key; of a pair in JSON, as web-push writes it, the private one.
fn read(file: &Path) -> Result<String> {
    let failed = |error| CliError::file(file, &error);
    let mut text = String::new();
    let opened = File::open(file).map_err(failed)?;
    opened
        .take(MAX_BYTES)
        .read_to_string(&mut text)
        .map_err(failed)?;
    let text = text.trim();
    let pair = serde_json::from_str::<Value>(text).ok();
    let private = pair.as_ref().and_then(|pair| pair["privateKey"].as_str());
    Ok(private.unwrap_or(text).to_owned())
}
