//! What an error says to people: the error table's sentence in Japanese, and its English counterpart.

use hato_domain::ErrorCode;

use crate::language::Lang;

/// The sentence of `code`.
pub const fn message(lang: Lang, code: ErrorCode) -> &'static str {
    match lang {
        Lang::Ja => code.message(),
        Lang::En => english(code),
    }
}

#[rustfmt::skip]
const fn english(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::MissingFields => "A required field is empty.",
        ErrorCode::InvalidUrl => "Enter a complete URL that starts with https://.",
        ErrorCode::InvalidEndpoint => "The endpoint is not valid.",
        ErrorCode::TooManyEndpoints => "At most 100 endpoints can be given at once.",
        ErrorCode::InvalidEmail => "That is not an email address.",
        ErrorCode::InvalidInput => "Something you entered is not valid.",
        ErrorCode::InvalidScope => "Choose subscribe_only, notify or full as the scope.",
        ErrorCode::MissingCode => "The authorization code is missing.",
        ErrorCode::Unauthorized => "Please log in.",
        ErrorCode::InvalidApiKey => "The API key is unknown or was deleted.",
        ErrorCode::InvalidSession => "Your session has ended. Please log in again.",
        ErrorCode::InvalidCredentials => "The email address or the password is wrong.",
        ErrorCode::InsufficientScope => "These credentials do not allow this.",
        ErrorCode::AppMismatch => "The API key belongs to another app.",
        ErrorCode::PlanLimitExceeded => "Your plan allows no more apps.",
        ErrorCode::PlanRequired => "This needs the Pro plan.",
        ErrorCode::InvalidState => "The login was started elsewhere. Please log in again.",
        ErrorCode::NotFound => "Not found.",
        ErrorCode::EmailInUse => "This email address is already registered.",
        ErrorCode::PayloadTooLarge => "Too large: a notification has at most 3,072 bytes, a request's body 256 KiB.",
        ErrorCode::MonthlyLimitExceeded => "This would exceed your plan's monthly limit of recipients.",
        ErrorCode::SubscriberLimitExceeded => "This app has reached its limit of subscribers.",
        ErrorCode::RateLimited => "Too many requests. Please wait a minute and try again.",
        ErrorCode::InternalError => "Something went wrong on the server.",
        ErrorCode::GithubAuthFailed => "GitHub did not confirm the login.",
        ErrorCode::OauthNotConfigured => "This server offers no external login.",
        ErrorCode::ConfigError => "This server is not fully configured.",
        ErrorCode::MethodNotAllowed => "This address does not support that method.",
        ErrorCode::InvalidOrigin => "Requests from other sites are not accepted.",
        ErrorCode::RegistrationClosed => "Sign-up is closed on this server.",
        ErrorCode::IdempotencyConflict => "This Idempotency-Key was already used with other content.",
        ErrorCode::Overloaded => "The server is busy. Please try again in a moment.",
        ErrorCode::InvalidUserToken => "The token of the user is missing or wrong.",
        ErrorCode::TooManyKeys => "This app has reached its limit of keys. Delete those you do not use.",
        ErrorCode::KeyInUse => "This VAPID key is in use: it is the primary one, or active subscriptions depend on it.",
    }
}
