//! The HTTP client by which GitHub is asked.

use std::pin::Pin;
use std::time::Duration;

use oauth2::{AsyncHttpClient, HttpRequest, HttpResponse};
use reqwest::redirect::Policy;

use super::{GithubProviderError, IdentifyError};

/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a response may take, its body included.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
/// Most bytes of a response.
pub(super) const MAX_BYTES: usize = 256 * 1024;

/// Exchanges that are bounded in time and size and follow no redirects: a token must not.
pub(super) struct OAuthHttpClient(reqwest::Client);

impl OAuthHttpClient {
    pub(super) fn new(outbound_ca: Option<&str>) -> Result<Self, GithubProviderError> {
        let mut tls = hato_outbound::client_config(outbound_ca)?;
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .user_agent(concat!("hato-server/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(RESPONSE_TIMEOUT);
        Ok(Self(client.build()?))
    }

    pub(super) async fn exchange(
        &self,
        request: HttpRequest,
    ) -> Result<HttpResponse, IdentifyError> {
        let mut response = self.0.execute(request.try_into()?).await?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            if body.len() + chunk.len() > MAX_BYTES {
                return Err(IdentifyError::TooLong);
            }
            body.extend_from_slice(&chunk);
        }
        let mut whole = HttpResponse::new(body);
        *whole.status_mut() = response.status();
        *whole.headers_mut() = std::mem::take(response.headers_mut());
        Ok(whole)
    }
}

impl<'c> AsyncHttpClient<'c> for OAuthHttpClient {
    type Error = IdentifyError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, IdentifyError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.exchange(request))
    }
}
