//! Texts around every page of an app.

use crate::islands::LiveErrorTexts;

/// Texts around every page of an app.
pub struct AppFrameTexts {
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
    /// The page gets no news for now.
    pub unreachable: &'static str,
    /// The page gets no news any more.
    pub gone: &'static str,
}

impl AppFrameTexts {
    /// What a page says that gets no news.
    pub fn live_errors(&self) -> LiveErrorTexts {
        LiveErrorTexts {
            unreachable: self.unreachable.to_owned(),
            gone: self.gone.to_owned(),
        }
    }
}

/// Japanese.
pub const JA: AppFrameTexts = AppFrameTexts {
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
    unreachable: "サーバーに接続できません。表示は最後にわかった状態です。つながりしだい更新します。",
    gone: "この画面の続きを表示できなくなりました。ページを再読み込みしてください。",
};

/// English.
pub const EN: AppFrameTexts = AppFrameTexts {
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
    unreachable: "The server cannot be reached. This is what was last known, and it goes on as soon as there is news.",
    gone: "There is no more news for this page. Please reload it.",
};
