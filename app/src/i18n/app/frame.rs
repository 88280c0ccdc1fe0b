//! Texts around every page of an app.

use crate::live_error_texts::LiveErrorTexts;

texts! {
    AppFrameTexts {
        other_apps = "ほかのアプリ", "Switch app";
        all_apps = "アプリ一覧", "All apps";
        sections = "このアプリ", "This app";
        overview = "概要", "Overview";
        compose = "通知を送る", "Send";
        history = "送信履歴", "History";
        subscribers = "購読者", "Subscribers";
        audience = "届く範囲", "Reach";
        embed = "埋め込み", "Embed";
        keys = "API キー", "API keys";
        dead_letters = "不達", "Undelivered";
        webhook = "Webhook", "Webhook";
        settings = "設定", "Settings";
        older = "前のページ", "Older";
        newest = "最新へ", "Back to the newest";
        back = "戻る", "Back";
        unreachable = "サーバーに接続できません。表示は最後にわかった状態です。つながりしだい更新します。",
            "The server cannot be reached. This is the last known state; it updates as soon as the connection is back.";
        gone = "この画面の続きを表示できなくなりました。ページを再読み込みしてください。",
            "This page can no longer be updated. Please reload it.";
    }
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
