//! Texts of the account's page.

/// Texts of the account's page.
pub struct AccountTexts {
    /// The headline.
    pub title: &'static str,
    /// The address.
    pub email: &'static str,
    /// The plan.
    pub plan: &'static str,
    /// Since when there is an account.
    pub since: &'static str,
    /// Headline of the password.
    pub password_title: &'static str,
    /// Says what happens with the sessions.
    pub password_text: &'static str,
    /// Said to whoever logs in through GitHub alone.
    pub no_password: &'static str,
    /// Labels the password that is.
    pub current: &'static str,
    /// Labels the password to be.
    pub new: &'static str,
    /// The form's button.
    pub change: &'static str,
    /// Says that it is changed.
    pub changed: &'static str,
    /// Headline of the sessions.
    pub sessions_title: &'static str,
    /// Below it.
    pub sessions_text: &'static str,
    /// When a session began.
    pub began: &'static str,
    /// When it was last used.
    pub used: &'static str,
    /// Marks the session that looks.
    pub this_one: &'static str,
    /// A session whose browser is not known.
    pub unknown_browser: &'static str,
    /// Ends all of them.
    pub sign_out: &'static str,
    /// Headline of the account's end.
    pub delete_title: &'static str,
    /// What goes with it.
    pub delete_text: &'static str,
    /// Labels the address typed for confirmation.
    pub type_email: &'static str,
    /// Opens the form.
    pub delete_open: &'static str,
    /// The form's button.
    pub delete: &'static str,
}

/// Japanese.
pub const JA: AccountTexts = AccountTexts {
    title: "アカウント",
    email: "メールアドレス",
    plan: "プラン",
    since: "登録日",
    password_title: "パスワード",
    password_text: "変更すると、ほかのブラウザはすべてログアウトされます。",
    no_password: "いまは GitHub でログインしています。パスワードを決めると、メールアドレスでもログインできます。",
    current: "いまのパスワード",
    new: "新しいパスワード",
    change: "パスワードを変更",
    changed: "パスワードを変更しました。ほかのブラウザはログアウトされています。",
    sessions_title: "ログイン中のブラウザ",
    sessions_text: "最後に使ってから 14 日で、自動的にログアウトします。",
    began: "ログイン",
    used: "最終使用",
    this_one: "このブラウザ",
    unknown_browser: "不明なブラウザ",
    sign_out: "すべてのブラウザからログアウト",
    delete_title: "アカウントの削除",
    delete_text: "アプリ、購読者、キー、送信履歴もすべて削除されます。待機中の送信は中止されます。元に戻すことはできません。",
    type_email: "確認のため、メールアドレスを入力してください",
    delete_open: "アカウントを削除する",
    delete: "すべて削除する",
};

/// English.
pub const EN: AccountTexts = AccountTexts {
    title: "Account",
    email: "Email address",
    plan: "Plan",
    since: "Member since",
    password_title: "Password",
    password_text: "Changing it logs every other browser out.",
    no_password: "You log in through GitHub. Choose a password to log in with your email address as well.",
    current: "Current password",
    new: "New password",
    change: "Change password",
    changed: "Your password is changed. Every other browser is logged out.",
    sessions_title: "Where you are logged in",
    sessions_text: "A browser is logged out by itself 14 days after its last use.",
    began: "Logged in",
    used: "Last used",
    this_one: "This browser",
    unknown_browser: "Unknown browser",
    sign_out: "Log out everywhere",
    delete_title: "Delete the account",
    delete_text: "Its apps, subscribers, keys and history go with it, and what is still queued is not sent. This cannot be undone.",
    type_email: "Type your email address to confirm",
    delete_open: "Delete my account",
    delete: "Delete everything",
};
