//! `hato login` and `hato logout`: the credential of a profile.

use clap::Args;
use hato_domain::wire::{Acknowledged, Credentials, PublicKey, SessionCreated};
use serde::Serialize;

use crate::api::Api;
use crate::config_file::{ConfigFile, LoginProfile};
use crate::connection::{DEFAULT_URL, is_key, require_key_app};
use crate::error::{CliError, Result};
use crate::options::GlobalOptions;
use crate::output::Output;
use crate::secret;
use crate::server_url::ServerUrl;

/// The arguments of `hato login`.
#[derive(Args)]
pub struct Login {
    /// The account's e-mail address, else it is asked for; the password is asked for, or is a line of standard input
    #[arg(long)]
    email: Option<String>,
    /// Store an API key instead, which is asked for, or is a line of standard input
    #[arg(long, conflicts_with = "email")]
    key: bool,
}

#[derive(Serialize)]
struct StoredLogin {
    profile: String,
    url: String,
    holder: String,
}

impl Login {
    /// Proves the credential to the server, then stores it.
    pub fn run(self, options: &GlobalOptions, output: &Output) -> Result<()> {
        let mut file = ConfigFile::read()?;
        let name = options.profile().unwrap_or(file.current_name());
        let name = name.to_owned();
        let stored = file.profiles.get(&name).map(|profile| profile.url.as_str());
        let url = ServerUrl::parse(options.server().or(stored).unwrap_or(DEFAULT_URL))?;
        let (credential, holder) = if self.key {
            with_key(&url, options.app())?
        } else {
            with_password(&url, self.email.map_or_else(secret::ask_email, Ok)?)?
        };
        let url = url.to_string();
        let profile = LoginProfile {
            url: url.clone(),
            credential,
            holder: holder.clone(),
        };
        file.profiles.insert(name.clone(), profile);
        file.current = Some(name.clone());
        file.write()?;
        let stored = StoredLogin {
            profile: name,
            url,
            holder,
        };
        output.show(&stored, |it| {
            let (url, holder, profile) = (&it.url, &it.holder, &it.profile);
            vec![format!(
                "Logged in at {url} as {holder} (profile {profile})."
            )]
        })
    }
}

fn with_password(url: &ServerUrl, email: String) -> Result<(String, String)> {
    let password = secret::ask("password")?;
    let credentials = Credentials {
        email: Some(email),
        password: Some(password),
    };
    let api = Api::new(url.clone(), None);
    let session: SessionCreated = api.post("/auth/login", &credentials)?;
    Ok((session.session_token, session.user.email))
}

fn with_key(url: &ServerUrl, named_app: Option<&str>) -> Result<(String, String)> {
    let key = secret::ask("API key")?;
    if !is_key(&key) {
        return Err(CliError::usage(
            "an API key starts with pk_",
            "copy the whole key",
        ));
    }
    let api = Api::new(url.clone(), Some(key.clone()));
    let app: PublicKey = api.get("/api/v1/vapid-public-key")?;
    require_key_app(named_app, &app.app_id)?;
    Ok((key, format!("a key of {}", app.app_id)))
}

fn end_session(profile: LoginProfile) -> Result<()> {
    let api = Api::new(ServerUrl::parse(&profile.url)?, Some(profile.credential));
    match api.post::<Acknowledged>("/auth/logout", &()) {
        Err(error) if error.code() != "INVALID_SESSION" => Err(error),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Ends the session and forgets the profile's credential, also when the session had ended already.
pub fn log_out(options: &GlobalOptions, output: &Output) -> Result<()> {
    let mut file = ConfigFile::read()?;
    let name = options.profile().unwrap_or(file.current_name());
    let name = name.to_owned();
    let profile = file.profiles.remove(&name).ok_or_else(|| {
        CliError::usage(
            format!("nobody is logged in under {name}"),
            "`hato profiles list` shows those who are",
        )
    })?;
    if !is_key(&profile.credential) {
        end_session(profile)?;
    }
    file.current.take_if(|current| *current == name);
    file.write()?;
    output.show(&Acknowledged { ok: true }, |_| {
        vec![format!("Signed out (profile {name}).")]
    })
}
