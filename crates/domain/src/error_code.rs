//! The one error table: every code with its HTTP status, its Japanese sentence and what travels with it.
//!
//! The order is that of SPEC 7, followed by the codes that CONTRACT 2 adds.

/// A machine-readable error code (SPEC 7), the `code` member of every error body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// A required field is missing.
    MissingFields,
    /// A URL does not start with `https://` or cannot be parsed.
    InvalidUrl,
    /// The format of an endpoint is invalid.
    InvalidEndpoint,
    /// A batch has more than 100 endpoints.
    TooManyEndpoints,
    /// The format of an email address is invalid.
    InvalidEmail,
    /// The input is invalid in another way.
    InvalidInput,
    /// The scope is not one of the three.
    InvalidScope,
    /// The OAuth callback lacks its `code`.
    MissingCode,
    /// The Authorization header is missing or malformed.
    Unauthorized,
    /// The API key is unknown or deleted.
    InvalidApiKey,
    /// The session is unknown or over.
    InvalidSession,
    /// The email address or the password is wrong.
    InvalidCredentials,
    /// The key's scope is too low for the operation.
    InsufficientScope,
    /// The key does not belong to the app in the path.
    AppMismatch,
    /// The Free plan's number of apps is used up.
    PlanLimitExceeded,
    /// The operation needs the Pro plan.
    PlanRequired,
    /// The OAuth state does not match.
    InvalidState,
    /// The resource does not exist.
    NotFound,
    /// The email address is already registered.
    EmailInUse,
    /// The payload or the body is too large.
    PayloadTooLarge,
    /// The Free plan's monthly number of sends would be exceeded.
    MonthlyLimitExceeded,
    /// The Free plan's number of active subscriptions is used up.
    SubscriberLimitExceeded,
    /// Too many requests; `Retry-After` says how many seconds to wait.
    RateLimited,
    /// Something unforeseen failed.
    InternalError,
    /// The external identity provider failed.
    GithubAuthFailed,
    /// The external login is not configured.
    OauthNotConfigured,
    /// A secret that the request needs is not configured.
    ConfigError,
    /// The path exists, but not with this method.
    MethodNotAllowed,
    /// A cookie-borne change came from another site.
    InvalidOrigin,
    /// Registration is closed on this server.
    RegistrationClosed,
    /// The idempotency key was used with another body.
    IdempotencyConflict,
}

struct ErrorCodeRow {
    code: &'static str,
    status: u16,
    message: &'static str,
}

const fn row(code: &'static str, status: u16, message: &'static str) -> ErrorCodeRow {
    ErrorCodeRow {
        code,
        status,
        message,
    }
}

impl ErrorCode {
    /// Every code, in the order of the table.
    pub const ALL: [Self; 31] = [
        Self::MissingFields,
        Self::InvalidUrl,
        Self::InvalidEndpoint,
        Self::TooManyEndpoints,
        Self::InvalidEmail,
        Self::InvalidInput,
        Self::InvalidScope,
        Self::MissingCode,
        Self::Unauthorized,
        Self::InvalidApiKey,
        Self::InvalidSession,
        Self::InvalidCredentials,
        Self::InsufficientScope,
        Self::AppMismatch,
        Self::PlanLimitExceeded,
        Self::PlanRequired,
        Self::InvalidState,
        Self::NotFound,
        Self::EmailInUse,
        Self::PayloadTooLarge,
        Self::MonthlyLimitExceeded,
        Self::SubscriberLimitExceeded,
        Self::RateLimited,
        Self::InternalError,
        Self::GithubAuthFailed,
        Self::OauthNotConfigured,
        Self::ConfigError,
        Self::MethodNotAllowed,
        Self::InvalidOrigin,
        Self::RegistrationClosed,
        Self::IdempotencyConflict,
    ];

    #[rustfmt::skip]
    const fn row(self) -> ErrorCodeRow {
        match self {
            Self::MissingFields => row("MISSING_FIELDS", 400, "必須項目が入力されていません。"),
            Self::InvalidUrl => row("INVALID_URL", 400, "URL は https:// で始まる正しい形式で指定してください。"),
            Self::InvalidEndpoint => row("INVALID_ENDPOINT", 400, "endpoint の形式が正しくありません。"),
            Self::TooManyEndpoints => row("TOO_MANY_ENDPOINTS", 400, "一度に指定できる endpoint は 100 件までです。"),
            Self::InvalidEmail => row("INVALID_EMAIL", 400, "メールアドレスの形式が正しくありません。"),
            Self::InvalidInput => row("INVALID_INPUT", 400, "入力内容が正しくありません。"),
            Self::InvalidScope => row("INVALID_SCOPE", 400, "scope は subscribe_only、notify、full のいずれかを指定してください。"),
            Self::MissingCode => row("MISSING_CODE", 400, "認証コードがありません。"),
            Self::Unauthorized => row("UNAUTHORIZED", 401, "認証が必要です。"),
            Self::InvalidApiKey => row("INVALID_API_KEY", 401, "API キーが無効か、削除されています。"),
            Self::InvalidSession => row("INVALID_SESSION", 401, "セッションが無効です。もう一度ログインしてください。"),
            Self::InvalidCredentials => row("INVALID_CREDENTIALS", 401, "メールアドレスまたはパスワードが違います。"),
            Self::InsufficientScope => row("INSUFFICIENT_SCOPE", 403, "この API キーの権限ではこの操作はできません。"),
            Self::AppMismatch => row("APP_MISMATCH", 403, "この API キーは指定されたアプリのものではありません。"),
            Self::PlanLimitExceeded => row("PLAN_LIMIT_EXCEEDED", 403, "現在のプランで作成できるアプリ数の上限に達しました。"),
            Self::PlanRequired => row("PLAN_REQUIRED", 403, "この機能を使うには Pro プランが必要です。"),
            Self::InvalidState => row("INVALID_STATE", 403, "認証の state が一致しません。もう一度ログインしてください。"),
            Self::NotFound => row("NOT_FOUND", 404, "指定されたものが見つかりません。"),
            Self::EmailInUse => row("EMAIL_IN_USE", 409, "このメールアドレスはすでに登録されています。"),
            Self::PayloadTooLarge => row("PAYLOAD_TOO_LARGE", 413, "送信内容が大きすぎます（上限は 3,072 バイトです）。"),
            Self::MonthlyLimitExceeded => row("MONTHLY_LIMIT_EXCEEDED", 429, "今月の送信数の上限を超えます。"),
            Self::SubscriberLimitExceeded => row("SUBSCRIBER_LIMIT_EXCEEDED", 429, "現在のプランの購読者数の上限に達しました。"),
            Self::RateLimited => row("RATE_LIMITED", 429, "リクエストが多すぎます。しばらく待ってからやり直してください。"),
            Self::InternalError => row("INTERNAL_ERROR", 500, "サーバー内部でエラーが発生しました。"),
            Self::GithubAuthFailed => row("GITHUB_AUTH_FAILED", 502, "GitHub での認証に失敗しました。"),
            Self::OauthNotConfigured => row("OAUTH_NOT_CONFIGURED", 503, "外部ログインはこのサーバーでは設定されていません。"),
            Self::ConfigError => row("CONFIG_ERROR", 503, "サーバーの設定が完了していません。"),
            Self::MethodNotAllowed => row("METHOD_NOT_ALLOWED", 405, "このメソッドは使用できません。"),
            Self::InvalidOrigin => row("INVALID_ORIGIN", 403, "別のサイトからのリクエストは受け付けられません。"),
            Self::RegistrationClosed => row("REGISTRATION_CLOSED", 403, "このサーバーでは新規登録を受け付けていません。"),
            Self::IdempotencyConflict => row("IDEMPOTENCY_CONFLICT", 409, "同じ Idempotency-Key が別の内容で使われています。"),
        }
    }

    /// The code as it stands in an error body, for example `MISSING_FIELDS`.
    pub const fn as_str(self) -> &'static str {
        self.row().code
    }

    /// The HTTP status.
    pub const fn status(self) -> u16 {
        self.row().status
    }

    /// The Japanese sentence for people.
    pub const fn message(self) -> &'static str {
        self.row().message
    }

    /// The code named by `text`, if there is one; clients read error bodies with it.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == text)
    }

    /// Whether the error body carries `upgrade_url` (CONTRACT 2).
    pub const fn has_upgrade_url(self) -> bool {
        matches!(
            self,
            Self::PlanLimitExceeded
                | Self::PlanRequired
                | Self::MonthlyLimitExceeded
                | Self::SubscriberLimitExceeded
        )
    }

    /// Seconds of the `Retry-After` header, where the code has one (SPEC 8).
    pub const fn retry_after(self) -> Option<u32> {
        match self {
            Self::RateLimited => Some(60),
            _ => None,
        }
    }
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::error::Error for ErrorCode {}

#[cfg(test)]
mod tests {
    use super::ErrorCode;

    #[test]
    fn codes_are_distinct_and_parse_back() {
        for code in ErrorCode::ALL {
            assert_eq!(ErrorCode::parse(code.as_str()), Some(code));
        }
    }

    #[test]
    fn only_rate_limits_say_when_to_come_back() {
        let with_retry: Vec<_> = ErrorCode::ALL
            .into_iter()
            .filter(|c| c.retry_after().is_some())
            .collect();
        assert_eq!(with_retry, [ErrorCode::RateLimited]);
    }
}
