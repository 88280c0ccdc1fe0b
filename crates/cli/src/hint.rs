//! What the reader of an error can do about it, for each code of the API (SPEC 7).

use hato_domain::ErrorCode;

pub const fn for_code(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::MissingFields => "give what is missing; see --help",
        ErrorCode::InvalidUrl => "use an address that starts with https://",
        ErrorCode::InvalidEndpoint => "copy the endpoint as the browser gave it",
        ErrorCode::TooManyEndpoints => "send to at most 100 endpoints at a time",
        ErrorCode::InvalidEmail => "check the e-mail address",
        ErrorCode::InvalidInput => "check the values against docs/API.md",
        ErrorCode::InvalidScope => "use subscribe_only, notify or full",
        ErrorCode::MissingCode | ErrorCode::InvalidState | ErrorCode::GithubAuthFailed => {
            "begin the login in the browser again"
        }
        ErrorCode::Unauthorized => {
            "this takes an API key: set HATO_KEY, or store one with `hato login --key`"
        }
        ErrorCode::InvalidApiKey => {
            "the key was deleted or belongs to another server: use another one"
        }
        ErrorCode::InvalidSession => "log in again: `hato login`",
        ErrorCode::InvalidCredentials => "check the address and the password",
        ErrorCode::InsufficientScope => {
            "use a key with a higher scope (`hato keys create`), or `hato login` for apps"
        }
        ErrorCode::AppMismatch => "leave out --app (and HATO_APP), or use a key of that app",
        ErrorCode::PlanLimitExceeded
        | ErrorCode::PlanRequired
        | ErrorCode::MonthlyLimitExceeded
        | ErrorCode::SubscriberLimitExceeded => "the Pro plan has no such limit",
        ErrorCode::NotFound => {
            "check the id; `hato apps list` and `hato history` show what there is"
        }
        ErrorCode::EmailInUse => "log in instead: `hato login`",
        ErrorCode::PayloadTooLarge => "shorten it: a notification has at most 3,072 bytes",
        ErrorCode::RateLimited => "wait a minute",
        ErrorCode::Overloaded => "try again in a moment",
        ErrorCode::InvalidUserToken => "use a key that is not public, or the user's token",
        ErrorCode::TooManyKeys => "delete keys that are not used: `hato keys delete`",
        ErrorCode::InternalError => "try again; the server's log has the cause",
        ErrorCode::OauthNotConfigured | ErrorCode::ConfigError => {
            "the server's operator has to complete its settings"
        }
        ErrorCode::MethodNotAllowed => "server and client are of different versions: update one",
        ErrorCode::InvalidOrigin => "use the server's own address",
        ErrorCode::RegistrationClosed => "ask the server's operator for an account",
        ErrorCode::IdempotencyConflict => "use another --idempotency-key for another message",
        ErrorCode::KeyInUse => {
            "make another key the primary one, and wait until its subscribers have moved"
        }
    }
}
