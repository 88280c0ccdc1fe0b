//! What has to be done to be refused with the codes of the login through GitHub.

use hato_domain::ErrorCode;
use hato_testkit::TestDatabase;
use hato_testkit::client::{Client, Reply};
use hato_testkit::server::ServerLaunch;
use http::Method;

use super::ErrorCase;
use super::cases::{launch, setup};
use crate::fixtures::{get, send, start};

/// The provider cannot be reached: nobody listens on the port for discarding.
pub async fn all(database: TestDatabase) -> Vec<ErrorCase> {
    let (unconfigured, _) = setup(database.another().await).await;
    let login = get(&unconfigured.client(), "/auth/github").await;
    let server = start(with_github(database)).await;
    let client = server.client();
    let callback = "/auth/github/callback";
    let state = begin_login(&client).await;
    vec![
        (ErrorCode::OauthNotConfigured, login),
        (
            ErrorCode::MissingCode,
            state
                .finish(&client, &format!("{callback}?state={}", state.value))
                .await,
        ),
        (
            ErrorCode::InvalidState,
            state
                .finish(&client, &format!("{callback}?code=c&state=other"))
                .await,
        ),
        (ErrorCode::GithubAuthFailed, {
            let state = begin_login(&client).await;
            state
                .finish(&client, &format!("{callback}?code=c&state={}", state.value))
                .await
        }),
    ]
}

fn with_github(database: TestDatabase) -> ServerLaunch {
    launch(database)
        .env("HATO_GITHUB_CLIENT_ID", "id")
        .env("HATO_GITHUB_CLIENT_SECRET", "secret")
        .env("HATO_GITHUB_TOKEN_URL", "http://127.0.0.1:9/token")
        .env("HATO_GITHUB_API_URL", "http://127.0.0.1:9/api")
}

/// A login on its way through GitHub.
struct StartedLogin {
    value: String,
    cookies: String,
}

async fn begin_login(client: &Client) -> StartedLogin {
    let reply = get(client, "/auth/github").await;
    assert_eq!(reply.status, 302, "{reply}");
    let location = reply.header("location").expect("an address");
    let (_, state) = location.split_once("state=").expect("a state");
    let cookies = reply.headers.get_all("set-cookie").iter();
    let cookies = cookies.map(|cookie| cookie.to_str().expect("text"));
    let pairs: Vec<_> = cookies
        .map(|cookie| cookie.split(';').next().unwrap_or(cookie))
        .collect();
    StartedLogin {
        value: state.split('&').next().unwrap_or(state).to_owned(),
        cookies: pairs.join("; "),
    }
}

impl StartedLogin {
    async fn finish(&self, client: &Client, path: &str) -> Reply {
        send(
            client,
            Method::GET,
            path,
            &[("cookie", self.cookies.as_str())],
            "",
        )
        .await
    }
}
