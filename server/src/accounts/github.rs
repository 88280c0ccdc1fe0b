//! Logging in through GitHub: the two requests of a browser, before and after its way there (SPEC 4.14, CONTRACT 4).
//!
//! ```text
//! GET /auth/github           state and PKCE verifier are kept, the browser gets a cookie and goes to GitHub
//! GET /auth/github/callback  configured? a code? the state of this browser? what does GitHub say? whose account?
//! ```

mod login_cookie;

use axum::extract::State;
use axum::response::{AppendHeaders, IntoResponse as _, Response};
use hato_app::{local_path, session_cookie};
use hato_domain::ErrorCode;
use hato_service::GithubLogin;
use hato_service::access::AccountPrincipal;
use http::header::{LOCATION, SET_COOKIE};
use http::{HeaderMap, StatusCode, Uri};
use oauth2::PkceCodeChallenge;

use self::login_cookie::LoginCookie;
use crate::http::error::ApiResult;
use crate::http::rate_limit::GithubAttempt;
use crate::state::{self, AppState};

/// `GET /auth/github`, with `?next=` for the page to come back to.
pub async fn begin(
    State(state): State<AppState>,
    _: GithubAttempt,
    address: Uri,
) -> ApiResult<Response> {
    let provider = state.github()?;
    let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
    let login = state.service.begin_github_login(verifier.into_secret());
    let GithubLogin {
        state: state_sent,
        browser,
    } = login.await?;
    let next = parameter(&address, "next").filter(|next| local_path(next).is_some());
    let cookie = LoginCookie {
        secret: browser,
        next,
    };
    let cookie = cookie.to_set_cookie(state.secure_cookies());
    let address = provider.authorize_url(state_sent, challenge);
    Ok(redirect(address.as_str(), [cookie]))
}

/// `GET /auth/github/callback`: GitHub sends the browser here with a code; the account that it proves is logged in.
pub async fn finish(
    State(state): State<AppState>,
    headers: HeaderMap,
    address: Uri,
) -> ApiResult<Response> {
    let provider = state.github()?;
    let code = parameter(&address, "code").ok_or(ErrorCode::MissingCode)?;
    let state_back = parameter(&address, "state").ok_or(ErrorCode::InvalidState)?;
    let cookie = LoginCookie::from_headers(&headers).ok_or(ErrorCode::InvalidState)?;
    let login = GithubLogin {
        state: state_back,
        browser: cookie.secret,
    };
    let verifier = state.service.resume_github_login(&login).await?;
    let user = provider.identify(code, verifier).await?;
    let owner = state.service.log_in_with_github(user).await?;
    complete_login(&state, &headers, &owner, cookie.next.as_deref()).await
}

/// Starts a session of its own for every login, and ends the one there was.
async fn complete_login(
    state: &state::AppStateInner,
    headers: &HeaderMap,
    owner: &AccountPrincipal,
    next: Option<&str>,
) -> ApiResult<Response> {
    if let Some(token) = session_cookie::read(headers) {
        state.service.end_session(&token).await?;
    }
    let browser = session_cookie::user_agent(headers);
    let token = state.service.start_session(owner, browser).await?;
    let secure = state.secure_cookies();
    let cookies = [
        session_cookie::set(&token, secure),
        LoginCookie::clear(secure),
    ];
    let address = next.and_then(local_path).unwrap_or("/apps");
    Ok(redirect(address, cookies))
}

/// The first value of this name in the query; an empty one counts as absent.
fn parameter(address: &Uri, name: &str) -> Option<String> {
    url::form_urlencoded::parse(address.query()?.as_bytes())
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
        .filter(|value| !value.is_empty())
}

/// `302 Found`, which is what the contract says; axum's own redirects are others.
fn redirect<const N: usize>(address: &str, cookies: [String; N]) -> Response {
    let cookies = AppendHeaders(cookies.map(|cookie| (SET_COOKIE, cookie)));
    (StatusCode::FOUND, [(LOCATION, address)], cookies).into_response()
}
