//! Who agreed to what, and what they are told about it.

use super::request::{ApiCaller, Fault, JSON, OauthStep};
use crate::plain_http::{PlainResponse, respond};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use url::{Url, form_urlencoded};

/// The id of the only OAuth app here.
pub const CLIENT_ID: &str = "Iv1.hato";
/// The secret of that app.
pub const CLIENT_SECRET: &str = "0123456789-secret";

/// A user of GitHub: a number, and addresses as `GET /user/emails` lists them.
#[derive(Clone, Debug)]
pub struct GithubAccount {
    id: i64,
    emails: Vec<Value>,
}

impl GithubAccount {
    /// The user with this number, without an address.
    pub fn new(id: i64) -> Self {
        let emails = Vec::new();
        Self { id, emails }
    }

    /// Gives the user one more address: the primary one or not, verified or not.
    #[must_use]
    pub fn email(mut self, email: &str, primary: bool, verified: bool) -> Self {
        let visibility = primary.then_some("private");
        self.emails.push(json!({
            "email": email, "primary": primary, "verified": verified, "visibility": visibility,
        }));
        self
    }

    /// Gives the user a primary address that is verified.
    #[must_use]
    pub fn verified(self, email: &str) -> Self {
        self.email(email, true, true)
    }
}

/// A code that was given out.
struct Grant {
    person: GithubAccount,
    challenge: String,
    callback: String,
}

/// Who is logged in, which steps fail, and which codes and tokens were given out.
#[derive(Default)]
pub(super) struct GithubState {
    pub(super) person: Option<GithubAccount>,
    pub(super) faults: Vec<(OauthStep, Fault)>,
    grants: HashMap<String, Grant>,
    tokens: HashMap<String, GithubAccount>,
    issued: u32,
}

impl GithubState {
    /// The address that the browser goes back to with a code, or what is wrong with the request for it.
    pub(super) fn authorize(&mut self, query: &str) -> Result<Url, String> {
        let query = pairs(query.as_bytes());
        for (name, value) in [
            ("response_type", "code"),
            ("client_id", CLIENT_ID),
            ("scope", "user:email"),
            ("code_challenge_method", "S256"),
        ] {
            if query.get(name).map(String::as_str) != Some(value) {
                return Err(format!("{name} is not {value}"));
            }
        }
        let needed = |name: &str| query.get(name).cloned().ok_or(format!("no {name}"));
        let (state, callback) = (needed("state")?, needed("redirect_uri")?);
        let mut back = Url::parse(&callback).map_err(|error| error.to_string())?;
        let grant = Grant {
            person: self.person.clone().ok_or("nobody is there")?,
            challenge: needed("code_challenge")?,
            callback,
        };
        let code = self.next_id("code");
        self.grants.insert(code.clone(), grant);
        back.query_pairs_mut()
            .append_pair("code", &code)
            .append_pair("state", &state);
        Ok(back)
    }

    /// A token for a code, once; refusals have status 200, and only who asks for JSON gets it.
    pub(super) fn token(&mut self, form: &[u8], accept: &str) -> PlainResponse {
        let form = pairs(form);
        let answer = match self.exchange(&form) {
            Ok(token) => json!({
                "access_token": token, "token_type": "bearer", "scope": "user:email",
            }),
            Err(error) => json!({"error": error, "error_description": "refused"}),
        };
        if accept.contains(JSON) {
            respond(StatusCode::OK, JSON, answer.to_string())
        } else {
            let kind = "application/x-www-form-urlencoded";
            respond(StatusCode::OK, kind, "access_token=unread")
        }
    }

    fn exchange(&mut self, form: &HashMap<String, String>) -> Result<String, &'static str> {
        let field = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
        if (field("client_id"), field("client_secret")) != (CLIENT_ID, CLIENT_SECRET) {
            return Err("incorrect_client_credentials");
        }
        if field("grant_type") != "authorization_code" {
            return Err("unsupported_grant_type");
        }
        let grant = self.grants.remove(field("code"));
        let grant = grant.ok_or("bad_verification_code")?;
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(field("code_verifier")));
        if challenge != grant.challenge || field("redirect_uri") != grant.callback {
            return Err("bad_verification_code");
        }
        let token = self.next_id("gho");
        self.tokens.insert(token.clone(), grant.person);
        Ok(token)
    }

    pub(super) fn user(&self, caller: &ApiCaller) -> PlainResponse {
        self.to(
            caller,
            |person| json!({"login": format!("user{}", person.id), "id": person.id, "email": null}),
        )
    }

    pub(super) fn emails(&self, caller: &ApiCaller) -> PlainResponse {
        self.to(caller, |person| Value::from(person.emails.clone()))
    }

    fn to(&self, caller: &ApiCaller, truth: impl FnOnce(&GithubAccount) -> Value) -> PlainResponse {
        if !caller.has_user_agent {
            return respond(StatusCode::FORBIDDEN, JSON, "{}");
        }
        match self.tokens.get(&caller.token) {
            Some(person) => respond(StatusCode::OK, JSON, truth(person).to_string()),
            None => respond(StatusCode::UNAUTHORIZED, JSON, "{}"),
        }
    }

    fn next_id(&mut self, kind: &str) -> String {
        self.issued += 1;
        format!("{kind}_{:08}", self.issued)
    }
}

fn pairs(text: &[u8]) -> HashMap<String, String> {
    form_urlencoded::parse(text).into_owned().collect()
}
