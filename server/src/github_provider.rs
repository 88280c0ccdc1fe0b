//! GitHub, or what speaks like it, as the server talks to it: three requests that turn a code into somebody.

mod oauth_http_client;

use hato_domain::{Email, ErrorCode};
use hato_outbound::RootStoreError;
use hato_service::ports::GithubId;
use hato_service::{GithubUser, ServiceError};
use http::header::{ACCEPT, AUTHORIZATION};
use oauth2::basic::BasicClient;
use oauth2::{
    AccessToken, AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken,
    EndpointNotSet, EndpointSet, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl,
    RequestTokenError, Scope, TokenResponse as _, TokenUrl,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use url::Url;

use self::oauth_http_client::{MAX_BYTES, OAuthHttpClient};
use crate::config::{BaseUrl, GithubApp, GithubConfig};

/// The provider cannot be talked to with these settings.
#[derive(Debug, thiserror::Error)]
pub enum GithubProviderError {
    /// The additional trusted roots cannot be used.
    #[error(transparent)]
    Roots(#[from] RootStoreError),
    /// The HTTP client cannot be made.
    #[error("the client for GitHub cannot be made")]
    Client(#[from] reqwest::Error),
    /// The server's own address is none that a browser can be sent back to.
    #[error("the base address is no address to come back to")]
    Callback(#[from] url::ParseError),
}

/// Why somebody could not be identified. No variant repeats what the provider answered, which may hold a token.
#[derive(Debug, thiserror::Error)]
enum IdentifyError {
    #[error("GitHub cannot be reached")]
    Unreachable(#[from] reqwest::Error),
    #[error("an answer of GitHub is over {MAX_BYTES} bytes")]
    TooLong,
    #[error("GitHub answered {0} with status {1}")]
    Status(&'static str, u16),
    #[error("GitHub's answer to {0} is not what its documentation says")]
    Malformed(&'static str),
    #[error("GitHub gave no token for the code")]
    NoToken,
}

impl From<IdentifyError> for ServiceError {
    fn from(cause: IdentifyError) -> Self {
        Self::caused_by(ErrorCode::GithubAuthFailed, cause)
    }
}

type OAuthApp =
    BasicClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>;

/// The operator's OAuth app at GitHub.
pub struct GithubProvider {
    app: OAuthApp,
    api_url: String,
    http: OAuthHttpClient,
}

impl GithubProvider {
    /// The operator's `app` at the addresses of `config`, which sends browsers back to `base_url`; TLS trusts the machine's
    /// roots and those in `outbound_ca`, the text of a PEM file.
    pub fn new(
        app: GithubApp,
        config: &GithubConfig,
        base_url: &BaseUrl,
        outbound_ca: Option<&str>,
    ) -> Result<Self, GithubProviderError> {
        let callback = Url::parse(&format!("{base_url}/auth/github/callback"))?;
        let app = BasicClient::new(ClientId::new(app.client_id))
            .set_client_secret(ClientSecret::new(app.client_secret))
            .set_auth_uri(AuthUrl::from_url(config.authorize_url.clone()))
            .set_token_uri(TokenUrl::from_url(config.token_url.clone()))
            .set_redirect_uri(RedirectUrl::from_url(callback))
            .set_auth_type(AuthType::RequestBody);
        Ok(Self {
            app,
            api_url: config.api_url().to_owned(),
            http: OAuthHttpClient::new(outbound_ca)?,
        })
    }

    /// Where the browser goes to agree (RFC 6749 §4.1.1, RFC 7636 §4.3).
    pub fn authorize_url(&self, state: String, challenge: PkceCodeChallenge) -> Url {
        let request = self
            .app
            .authorize_url(|| CsrfToken::new(state))
            .add_scope(Scope::new("user:email".to_owned()))
            .set_pkce_challenge(challenge);
        request.url().0
    }

    /// Who stands behind a code; whatever goes wrong is `GITHUB_AUTH_FAILED`.
    pub async fn identify(
        &self,
        code: String,
        verifier: String,
    ) -> Result<GithubUser, ServiceError> {
        let token = self.token(code, verifier).await?;
        let user: UserResponse = self.read("/user", &token).await?;
        let addresses: Vec<EmailResponse> = self.read("/user/emails", &token).await?;
        if user.id <= 0 {
            return Err(IdentifyError::Malformed("/user").into());
        }
        Ok(GithubUser {
            id: GithubId(user.id),
            email: verified(&addresses),
        })
    }

    async fn token(&self, code: String, verifier: String) -> Result<AccessToken, IdentifyError> {
        let response = self
            .app
            .exchange_code(AuthorizationCode::new(code))
            .set_pkce_verifier(PkceCodeVerifier::new(verifier))
            .request_async(&self.http)
            .await;
        match response {
            Ok(token) => Ok(token.access_token().clone()),
            Err(RequestTokenError::Request(cause)) => Err(cause),
            Err(_) => Err(IdentifyError::NoToken),
        }
    }

    async fn read<T: DeserializeOwned>(
        &self,
        path: &'static str,
        token: &AccessToken,
    ) -> Result<T, IdentifyError> {
        let request = http::Request::get(format!("{}{path}", self.api_url))
            .header(AUTHORIZATION, format!("Bearer {}", token.secret()))
            .header(ACCEPT, "application/vnd.github+json")
            .body(Vec::new())
            .map_err(|_| IdentifyError::NoToken)?;
        let response = self.http.exchange(request).await?;
        if response.status() != http::StatusCode::OK {
            return Err(IdentifyError::Status(path, response.status().as_u16()));
        }
        serde_json::from_slice(response.body()).map_err(|_| IdentifyError::Malformed(path))
    }
}

/// What is read of the answer to `GET /user`: the number of the account, which never changes.
#[derive(Deserialize)]
struct UserResponse {
    id: i64,
}

/// One of `GET /user/emails`.
#[derive(Deserialize)]
struct EmailResponse {
    email: String,
    #[serde(default)]
    primary: bool,
    #[serde(default)]
    verified: bool,
}

/// The primary verified address, else any verified one (CONTRACT 4).
fn verified(addresses: &[EmailResponse]) -> Option<Email> {
    let verified = addresses.iter().filter(|address| address.verified);
    let (primary, others): (Vec<_>, Vec<_>) = verified.partition(|address| address.primary);
    let mut candidates = primary.into_iter().chain(others);
    candidates.find_map(|address| Email::parse(&address.email).ok())
}
