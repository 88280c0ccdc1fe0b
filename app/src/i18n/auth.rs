//! Texts of the sign-in pages: registering and logging in.

/// Texts of both pages.
pub struct AuthTexts {
    /// Headline of the registration.
    pub register_title: &'static str,
    /// Below it.
    pub register_lead: &'static str,
    /// Its button.
    pub register: &'static str,
    /// Leads to the login.
    pub registered: &'static str,
    /// Instead of the form when registration is closed.
    pub closed: &'static str,
    /// Headline of the login.
    pub log_in_title: &'static str,
    /// Below it.
    pub log_in_lead: &'static str,
    /// Its button.
    pub log_in: &'static str,
    /// Leads to GitHub.
    pub github: &'static str,
    /// Leads to the registration.
    pub newcomer: &'static str,
    /// Says why the login is shown.
    pub log_in_first: &'static str,
    /// Labels the address.
    pub email: &'static str,
    /// Labels the password.
    pub password: &'static str,
    /// What a new password must be.
    pub password_hint: &'static str,
    /// What to do about a forgotten one.
    pub forgotten: &'static str,
}

/// Japanese.
pub const JA: AuthTexts = AuthTexts {
    register_title: "新規登録",
    register_lead: "必要なのは、メールアドレスとパスワードだけです。",
    register: "登録して始める",
    registered: "登録済みの方はログイン",
    closed: "このサーバーでは新規登録を受け付けていません。アカウントについては運営者にお問い合わせください。",
    log_in_title: "ログイン",
    log_in_lead: "おかえりなさい。",
    log_in: "ログイン",
    github: "GitHub で続ける",
    newcomer: "はじめての方は新規登録",
    log_in_first: "続けるにはログインしてください。",
    email: "メールアドレス",
    password: "パスワード",
    password_hint: "8 文字以上、128 文字まで",
    forgotten: "パスワードを忘れたときは、このサーバーの運営者に再設定を依頼してください。",
};

/// English.
pub const EN: AuthTexts = AuthTexts {
    register_title: "Sign up",
    register_lead: "An email address and a password are all it takes.",
    register: "Create account",
    registered: "Already registered? Log in",
    closed: "This server takes no new registrations. Ask whoever runs it for an account.",
    log_in_title: "Log in",
    log_in_lead: "Welcome back.",
    log_in: "Log in",
    github: "Continue with GitHub",
    newcomer: "New here? Sign up",
    log_in_first: "Please log in to go on.",
    email: "Email address",
    password: "Password",
    password_hint: "8 to 128 characters",
    forgotten: "Forgot your password? Ask whoever runs this server to set a new one.",
};
