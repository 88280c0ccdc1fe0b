//! Which server a command talks to, with which credential, about which app: flags before the environment before the profile.
//!
//! Nothing here opens a connection: `api.rs` and `http.rs` do, and `connect_error.rs` says why one failed. The address has
//! the flag `--server` and the variable `HATO_URL`; the credential has the variable `HATO_KEY` and no flag, so it is read
//! here and not in `options.rs`.

use std::cell::OnceCell;

use hato_domain::ErrorCode;
use hato_domain::wire::{App, PublicKey};

use crate::api::Api;
use crate::config_file::ConfigFile;
use crate::error::{CliError, Exit, Result};
use crate::hint;
use crate::options::GlobalOptions;
use crate::server_url::ServerUrl;

/// The server's address where nobody gave one: that of a server with its default settings.
pub const DEFAULT_URL: &str = "http://localhost:3000";

/// A server with a credential, and the app that commands are about once it is known.
pub struct ServerConnection {
    api: Api,
    is_key: bool,
    app: OnceCell<String>,
}

/// Whether a credential is an API key (SPEC 2.3); else it is a session's token.
pub fn is_key(credential: &str) -> bool {
    credential.starts_with("pk_")
}

impl ServerConnection {
    /// Finds server and credential; asks nobody yet. Where the environment has both, the file of settings is not needed.
    pub fn open(options: &GlobalOptions) -> Result<Self> {
        let (url, credential) = match (options.server(), environment("HATO_KEY")) {
            (Some(url), Some(key)) => (ServerUrl::parse(url)?, key),
            (url, key) => with_profile(options.profile(), url, key)?,
        };
        let app = options.app().map(str::to_owned);
        Ok(Self {
            is_key: is_key(&credential),
            api: Api::new(url, Some(credential)),
            app: app.map_or_else(OnceCell::new, OnceCell::from),
        })
    }

    pub fn api(&self) -> &Api {
        &self.api
    }

    pub fn has_key(&self) -> bool {
        self.is_key
    }

    /// Fails if an app was named that is not the key's: a path without an app goes by the key alone (SPEC 5.4).
    pub fn require_named_app(&self) -> Result<()> {
        match self.app.get() {
            Some(named) if self.is_key => require_key_app(Some(named), &self.key_app()?),
            _ => Ok(()),
        }
    }

    /// The app that commands are about: the one that was named, else the key's, else the account's only one.
    pub fn app(&self) -> Result<&str> {
        if let Some(app) = self.app.get() {
            return Ok(app);
        }
        let app = if self.is_key {
            self.key_app()?
        } else {
            only_app(self.api.get("/api/v1/apps")?)?
        };
        Ok(self.app.get_or_init(|| app))
    }

    /// The API's path of something of the app; `rest` begins with a slash or is empty.
    pub fn app_path(&self, rest: &str) -> Result<String> {
        Ok(format!("/api/v1/apps/{}{rest}", segment(self.app()?)))
    }

    fn key_app(&self) -> Result<String> {
        let key: PublicKey = self.api.get("/api/v1/vapid-public-key")?;
        Ok(key.app_id)
    }
}

/// Fails if an app was named and it is not `own`, the key's.
pub fn require_key_app(named: Option<&str>, own: &str) -> Result<()> {
    match named {
        Some(named) if named != own => Err(CliError::new(
            Exit::NotAllowed,
            ErrorCode::AppMismatch.as_str(),
            format!("the key is of {own}, not of {named}"),
            hint::for_code(ErrorCode::AppMismatch),
        )),
        _ => Ok(()),
    }
}

/// Server and credential, with the profile's in place of what was not given.
fn with_profile(
    name: Option<&str>,
    url: Option<&str>,
    key: Option<String>,
) -> Result<(ServerUrl, String)> {
    let file = ConfigFile::read()?;
    let profile = file.profile(name)?;
    let stored_url = profile.map(|profile| profile.url.as_str());
    let url = ServerUrl::parse(url.or(stored_url).unwrap_or(DEFAULT_URL))?;
    let credential = match (key, profile) {
        (Some(key), _) => key,
        (None, Some(profile)) if ServerUrl::parse(&profile.url)? == url => {
            profile.credential.clone()
        }
        (None, Some(profile)) => return Err(wrong_server(&url, &profile.url)),
        (None, None) => return Err(logged_out()),
    };
    Ok((url, credential))
}

/// A variable; an empty one counts as unset.
pub fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// A member of a query, if it is given.
pub type QueryMember<'a> = (&'a str, Option<&'a str>);

/// The members of a query that are given.
pub fn query(members: &[QueryMember<'_>]) -> String {
    let present = members
        .iter()
        .filter_map(|(name, value)| Some(format!("{name}={}", segment((*value)?))));
    present.collect::<Vec<_>>().join("&")
}

/// Text as one segment of a path.
pub fn segment(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes())
        .collect::<String>()
        .replace('+', "%20")
}

fn only_app(apps: Vec<App>) -> Result<String> {
    let ids: Vec<_> = apps.into_iter().map(|app| app.app_id).collect();
    match <[String; 1]>::try_from(ids) {
        Ok([app]) => Ok(app),
        Err(ids) if ids.is_empty() => Err(CliError::usage(
            "the account has no app",
            "`hato apps create NAME` makes one",
        )),
        Err(ids) => Err(CliError::usage(
            format!("the account has {} apps", ids.len()),
            "name one with --app; `hato apps list` shows them",
        )),
    }
}

fn logged_out() -> CliError {
    CliError::new(
        Exit::NotAllowed,
        "signed-out",
        "there is no credential",
        "set HATO_KEY to an API key, or `hato login`",
    )
}

/// A stored credential is shown to the server it belongs to and to nobody else.
fn wrong_server(url: &ServerUrl, stored: &str) -> CliError {
    CliError::usage(
        format!("the profile's credential is for {stored}, not for {url}"),
        "set HATO_KEY too, or choose a profile with --profile",
    )
}
