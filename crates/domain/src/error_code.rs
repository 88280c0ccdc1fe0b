//! The one error table: every code with its HTTP status, its Japanese sentence and what travels with it.
//!
//! The order is that of SPEC 7, followed by the codes that CONTRACT 2, 12 and 18 add. A new code also takes its English sentence, which the
//! dashboard alone shows (`app/src/i18n/errors.rs`), and its row in `docs/API.md`.

/// Makes the enum of the codes and its table from one row for each code.
macro_rules! error_codes {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $status:literal, $message:literal;)+) => {
        /// A machine-readable error code (SPEC 7), the `code` member of every error body.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $($(#[$doc])* $variant,)+
        }

        impl ErrorCode {
            /// Every code, in the order of the table.
            pub const ALL: [Self; [$($code),+].len()] = [$(Self::$variant),+];

            /// The code as it stands in an error body, for example `MISSING_FIELDS`.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)+
                }
            }

            /// The HTTP status of a response with this code.
            pub const fn status(self) -> u16 {
                match self {
                    $(Self::$variant => $status,)+
                }
            }

            /// The Japanese sentence that an error body has for people.
            pub const fn message(self) -> &'static str {
                match self {
                    $(Self::$variant => $message,)+
                }
            }
        }
    };
}

error_codes! {
    /// A required field is missing.
    MissingFields = "MISSING_FIELDS", 400, "必須項目が入力されていません。";
    /// A URL does not start with `https://` or cannot be parsed.
    InvalidUrl = "INVALID_URL", 400, "URL は https:// で始まる正しい形式で指定してください。";
    /// The format of an endpoint is invalid.
    InvalidEndpoint = "INVALID_ENDPOINT", 400, "endpoint の形式が正しくありません。";
    /// A batch has more than 100 endpoints.
    TooManyEndpoints = "TOO_MANY_ENDPOINTS", 400, "一度に指定できる endpoint は 100 件までです。";
    /// The format of an email address is invalid.
    InvalidEmail = "INVALID_EMAIL", 400, "メールアドレスの形式が正しくありません。";
    /// The input is invalid in another way.
    InvalidInput = "INVALID_INPUT", 400, "入力内容が正しくありません。";
    /// The scope is not one of the three.
    InvalidScope = "INVALID_SCOPE", 400, "scope は subscribe_only、notify、full のいずれかを指定してください。";
    /// The OAuth callback lacks its `code`.
    MissingCode = "MISSING_CODE", 400, "認証コードがありません。";
    /// The Authorization header is missing or malformed.
    Unauthorized = "UNAUTHORIZED", 401, "認証が必要です。";
    /// The API key is unknown or deleted.
    InvalidApiKey = "INVALID_API_KEY", 401, "API キーが無効か、削除されています。";
    /// The session is unknown or over.
    InvalidSession = "INVALID_SESSION", 401, "セッションが無効です。もう一度ログインしてください。";
    /// The email address or the password is wrong.
    InvalidCredentials = "INVALID_CREDENTIALS", 401, "メールアドレスまたはパスワードが違います。";
    /// The key's scope is too low for the operation, or the session's account waits for its owner's review.
    InsufficientScope = "INSUFFICIENT_SCOPE", 403, "この認証情報の権限では、この操作はできません。";
    /// The key does not belong to the app in the path.
    AppMismatch = "APP_MISMATCH", 403, "この API キーは指定されたアプリのものではありません。";
    /// The Free plan's number of apps is used up.
    PlanLimitExceeded = "PLAN_LIMIT_EXCEEDED", 403, "現在のプランで作成できるアプリ数の上限に達しました。";
    /// The operation needs the Pro plan.
    PlanRequired = "PLAN_REQUIRED", 403, "この機能を使うには Pro プランが必要です。";
    /// The OAuth state does not match.
    InvalidState = "INVALID_STATE", 403, "認証の state が一致しません。もう一度ログインしてください。";
    /// The resource does not exist.
    NotFound = "NOT_FOUND", 404, "指定されたものが見つかりません。";
    /// The email address is already registered.
    EmailInUse = "EMAIL_IN_USE", 409, "このメールアドレスはすでに登録されています。";
    /// The payload or the body is too large.
    PayloadTooLarge = "PAYLOAD_TOO_LARGE", 413, "送信内容が大きすぎます（上限は、通知が 3,072 バイト、リクエスト本文が 256 KiB です）。";
    /// The Free plan's monthly number of sends would be exceeded.
    MonthlyLimitExceeded = "MONTHLY_LIMIT_EXCEEDED", 429, "今月の宛先数の上限を超えます。";
    /// The app has as many active subscriptions as its plan or the operator allows.
    SubscriberLimitExceeded = "SUBSCRIBER_LIMIT_EXCEEDED", 429, "アプリの購読者数の上限に達しました。";
    /// Too many requests; `Retry-After` says how many seconds to wait.
    RateLimited = "RATE_LIMITED", 429, "リクエストが多すぎます。しばらく待ってからやり直してください。";
    /// Something unforeseen failed.
    InternalError = "INTERNAL_ERROR", 500, "サーバー内部でエラーが発生しました。";
    /// The external identity provider failed.
    GithubAuthFailed = "GITHUB_AUTH_FAILED", 502, "GitHub での認証に失敗しました。";
    /// The external login is not configured.
    OauthNotConfigured = "OAUTH_NOT_CONFIGURED", 503, "外部ログインはこのサーバーでは設定されていません。";
    /// A secret that the request needs is not configured.
    ConfigError = "CONFIG_ERROR", 503, "サーバーの設定が完了していません。";
    /// The path exists, but not with this method.
    MethodNotAllowed = "METHOD_NOT_ALLOWED", 405, "このメソッドは使用できません。";
    /// A cookie-borne change came from another site.
    InvalidOrigin = "INVALID_ORIGIN", 403, "別のサイトからのリクエストは受け付けられません。";
    /// Registration is closed on this server.
    RegistrationClosed = "REGISTRATION_CLOSED", 403, "このサーバーでは新規登録を受け付けていません。";
    /// The idempotency key was used with another body.
    IdempotencyConflict = "IDEMPOTENCY_CONFLICT", 409, "同じ Idempotency-Key が別の内容で使われています。";
    /// This process has no room for the request; `Retry-After` says how many seconds to wait.
    Overloaded = "OVERLOADED", 503, "サーバーが混み合っています。しばらく待ってからやり直してください。";
    /// A visitor's user is not proven: its `user_token` is missing or wrong.
    InvalidUserToken = "INVALID_USER_TOKEN", 403, "user_token がないか、正しくありません。";
    /// The app has as many API keys or VAPID keys as it may have.
    TooManyKeys = "TOO_MANY_KEYS", 409, "アプリのキー数の上限に達しました。使わないキーを削除してください。";
    /// The VAPID key is the app's primary one, or active subscriptions were made with it.
    KeyInUse = "KEY_IN_USE", 409, "この VAPID 鍵は使用中です。既定の鍵と、有効な購読がある鍵は削除できません。";
}

impl ErrorCode {
    /// How long a rate limit's window lasts, seconds, and so how long one has to wait at most (SPEC 8).
    pub const RATE_LIMIT_WINDOW: u64 = 60;

    /// How long to wait for room in a process that has none, seconds: longer than most requests take, shorter than people wait.
    const OVERLOAD_DELAY: u64 = 5;

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

    /// Seconds of the `Retry-After` header, where the code has one (SPEC 8, CONTRACT 2).
    pub const fn retry_after(self) -> Option<u64> {
        match self {
            Self::RateLimited => Some(Self::RATE_LIMIT_WINDOW),
            Self::Overloaded => Some(Self::OVERLOAD_DELAY),
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
    fn only_what_passes_by_itself_says_when_to_come_back() {
        let with_retry: Vec<_> = ErrorCode::ALL
            .into_iter()
            .filter(|c| c.retry_after().is_some())
            .collect();
        assert_eq!(with_retry, [ErrorCode::RateLimited, ErrorCode::Overloaded]);
    }
}
