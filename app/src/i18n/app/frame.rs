//! Texts around every page of an app.

/// Texts around every page of an app.
pub struct Frame {
    /// Leads back to the list.
    pub all_apps: &'static str,
    /// What the app's own navigation is called.
    pub sections: &'static str,
    /// The first page.
    pub overview: &'static str,
    /// Where notifications are written.
    pub compose: &'static str,
    /// What was sent.
    pub history: &'static str,
    /// Who subscribes.
    pub subscribers: &'static str,
    /// The API keys.
    pub keys: &'static str,
    /// What could not be delivered.
    pub dead_letters: &'static str,
    /// Where events go.
    pub webhook: &'static str,
    /// Name and end of the app.
    pub settings: &'static str,
    /// Leads to older items of a list.
    pub older: &'static str,
    /// Leads back to the newest.
    pub newest: &'static str,
    /// Leads away from a question.
    pub back: &'static str,
}

/// Japanese.
pub const JA: Frame = Frame {
    all_apps: "アプリ一覧",
    sections: "このアプリ",
    overview: "概要",
    compose: "通知を送る",
    history: "送信履歴",
    subscribers: "購読者",
    keys: "API キー",
    dead_letters: "不達",
    webhook: "Webhook",
    settings: "設定",
    older: "以前のもの",
    newest: "最新へ",
    back: "戻る",
};

/// English.
pub const EN: Frame = Frame {
    all_apps: "All apps",
    sections: "This app",
    overview: "Overview",
    compose: "Send",
    history: "History",
    subscribers: "Subscribers",
    keys: "API keys",
    dead_letters: "Undelivered",
    webhook: "Webhook",
    settings: "Settings",
    older: "Older",
    newest: "Back to the newest",
    back: "Back",
};
