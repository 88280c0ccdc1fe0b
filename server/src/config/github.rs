//! Logging in through GitHub (CONTRACT 1): on when an OAuth app's id and secret are given.

use std::ffi::OsString;

use clap::Args;
use url::Url;

use super::SettingError;
use super::setting::Setting;

/// The flags about GitHub.
#[derive(Args)]
#[command(next_help_heading = "Login through GitHub")]
pub struct GithubArgs {
    /// Client id of the OAuth app; with the secret it switches the login on
    #[arg(
        long = "github-client-id",
        env = "HATO_GITHUB_CLIENT_ID",
        hide_env_values = true,
        value_name = "ID"
    )]
    pub client_id: Vec<OsString>,
    /// Client secret of the OAuth app
    #[arg(
        long = "github-client-secret",
        env = "HATO_GITHUB_CLIENT_SECRET",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    pub client_secret: Vec<OsString>,
    /// Page at which people agree [default: `https://github.com/login/oauth/authorize`]
    #[arg(
        long = "github-authorize-url",
        env = "HATO_GITHUB_AUTHORIZE_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub authorize_url: Vec<OsString>,
    /// Address that gives tokens [default: `https://github.com/login/oauth/access_token`]
    #[arg(
        long = "github-token-url",
        env = "HATO_GITHUB_TOKEN_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub token_url: Vec<OsString>,
    /// Address of the API [default: `https://api.github.com`]
    #[arg(
        long = "github-api-url",
        env = "HATO_GITHUB_API_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub api_url: Vec<OsString>,
}

/// An OAuth app and the addresses of its provider.
pub struct GithubConfig {
    /// The app's public name.
    pub client_id: String,
    /// What proves that the server is the app.
    pub client_secret: String,
    /// Where people agree.
    pub authorize_url: Url,
    /// Where codes become tokens.
    pub token_url: Url,
    /// What the paths of the API are appended to, without a slash at its end.
    pub api_url: String,
}

impl GithubConfig {
    /// Reads the flags; none without an OAuth app, of which half is a bad setting.
    pub fn read(args: GithubArgs) -> Result<Option<Self>, SettingError> {
        let id = credential("HATO_GITHUB_CLIENT_ID", ID, args.client_id)?;
        let secret = credential("HATO_GITHUB_CLIENT_SECRET", SECRET, args.client_secret)?;
        let authorize_url = url(
            "HATO_GITHUB_AUTHORIZE_URL",
            args.authorize_url,
            "https://github.com/login/oauth/authorize",
        )?;
        let token_url = url(
            "HATO_GITHUB_TOKEN_URL",
            args.token_url,
            "https://github.com/login/oauth/access_token",
        )?;
        let api_url = url(
            "HATO_GITHUB_API_URL",
            args.api_url,
            "https://api.github.com",
        )?;
        Ok(app(id, secret)?.map(|(client_id, client_secret)| Self {
            client_id,
            client_secret,
            authorize_url,
            token_url,
            api_url: api_url.as_str().trim_end_matches('/').to_owned(),
        }))
    }
}

const ID: &str = "the client id of an OAuth app, together with HATO_GITHUB_CLIENT_SECRET";
const SECRET: &str = "the client secret of an OAuth app, together with HATO_GITHUB_CLIENT_ID";

fn app(
    id: Option<String>,
    secret: Option<String>,
) -> Result<Option<(String, String)>, SettingError> {
    match (id, secret) {
        (Some(id), Some(secret)) => Ok(Some((id, secret))),
        (None, None) => Ok(None),
        (Some(_), None) => Err(SettingError::new("HATO_GITHUB_CLIENT_SECRET", SECRET)),
        (None, Some(_)) => Err(SettingError::new("HATO_GITHUB_CLIENT_ID", ID)),
    }
}

fn credential(
    name: &'static str,
    expected: &'static str,
    raw: Vec<OsString>,
) -> Result<Option<String>, SettingError> {
    Setting::new(name, expected, raw).parse(|text| {
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        (visible && !text.is_empty()).then(|| text.to_owned())
    })
}

fn url(name: &'static str, raw: Vec<OsString>, default: &str) -> Result<Url, SettingError> {
    let url = Setting::new(name, "an http or https address", raw).parse(|text| {
        let url = Url::parse(text).ok()?;
        (matches!(url.scheme(), "http" | "https") && url.fragment().is_none()).then_some(url)
    })?;
    Ok(url.unwrap_or_else(|| Url::parse(default).expect("the defaults are addresses")))
}
