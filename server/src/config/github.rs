//! Logging in through GitHub (CONTRACT 1): on when an OAuth app's id and secret are given.

use clap::Args;
use url::Url;

use super::base_url::web_url;
use super::parser::{SettingError, SettingParser};

/// The settings of the login through GitHub.
#[derive(Args, Clone)]
#[command(next_help_heading = "Login through GitHub")]
pub struct GithubConfig {
    /// Client id of the OAuth app; with the secret it switches the login on
    #[arg(long = "github-client-id", env = "HATO_GITHUB_CLIENT_ID")]
    #[arg(value_name = "ID", value_parser = SettingParser::text(ID, credential))]
    client_id: Option<String>,
    /// Client secret of the OAuth app
    #[arg(long = "github-client-secret", env = "HATO_GITHUB_CLIENT_SECRET")]
    #[arg(value_name = "SECRET", value_parser = SettingParser::text(SECRET, credential))]
    client_secret: Option<String>,
    /// Page at which people agree
    #[arg(long = "github-authorize-url", env = "HATO_GITHUB_AUTHORIZE_URL")]
    #[arg(value_name = "URL", default_value = "https://github.com/login/oauth/authorize", value_parser = url())]
    pub authorize_url: Url,
    /// Address that gives tokens
    #[arg(long = "github-token-url", env = "HATO_GITHUB_TOKEN_URL")]
    #[arg(value_name = "URL", default_value = "https://github.com/login/oauth/access_token", value_parser = url())]
    pub token_url: Url,
    /// Address of the API
    #[arg(long = "github-api-url", env = "HATO_GITHUB_API_URL")]
    #[arg(value_name = "URL", default_value = "https://api.github.com", value_parser = url())]
    api_url: Url,
}

/// The operator's OAuth app, as GitHub knows it.
pub struct GithubApp {
    /// The client id that GitHub has given the app, which everybody may see.
    pub client_id: String,
    /// What it proves itself with.
    pub client_secret: String,
}

impl GithubConfig {
    /// The OAuth app, if there is one; half of one is a bad setting.
    pub fn app(&self) -> Result<Option<GithubApp>, SettingError> {
        match (self.client_id.clone(), self.client_secret.clone()) {
            (Some(client_id), Some(client_secret)) => Ok(Some(GithubApp {
                client_id,
                client_secret,
            })),
            (None, None) => Ok(None),
            (Some(_), None) => Err(SettingError::new("HATO_GITHUB_CLIENT_SECRET", SECRET)),
            (None, Some(_)) => Err(SettingError::new("HATO_GITHUB_CLIENT_ID", ID)),
        }
    }

    /// What the paths of the API are appended to, without a slash at its end.
    pub fn api_url(&self) -> &str {
        self.api_url.as_str().trim_end_matches('/')
    }
}

const ID: &str = "the client id of an OAuth app, together with HATO_GITHUB_CLIENT_SECRET";
const SECRET: &str = "the client secret of an OAuth app, together with HATO_GITHUB_CLIENT_ID";

fn credential(text: &str) -> Option<String> {
    let is_visible = text.bytes().all(|byte| byte.is_ascii_graphic());
    (is_visible && !text.is_empty()).then(|| text.to_owned())
}

fn url() -> SettingParser<Url> {
    SettingParser::text("an http or https address", |text| {
        web_url(text).filter(|url| url.fragment().is_none())
    })
}
