//! Texts of what was sent.

use hato_service::ports::SendStatus;

/// Texts of what was sent.
pub struct HistoryTexts {
    /// Headline when there is nothing.
    pub empty_title: &'static str,
    /// Below it.
    pub empty: &'static str,
    /// When it was sent, in UTC.
    pub time: &'static str,
    /// What was sent.
    pub content: &'static str,
    /// How far it is.
    pub status: &'static str,
    /// How many it was for.
    pub recipients: &'static str,
    /// Taken by the push service.
    pub sent: &'static str,
    /// Failed.
    pub failed: &'static str,
    /// No page was claimed yet.
    pub queued: &'static str,
    /// Under way.
    pub sending: &'static str,
    /// All settled.
    pub done: &'static str,
    /// Stopped.
    pub cancelled: &'static str,
}

impl HistoryTexts {
    /// How far a send is.
    pub const fn progress(&self, status: SendStatus) -> &'static str {
        match status {
            SendStatus::Queued => self.queued,
            SendStatus::Sending => self.sending,
            SendStatus::Done => self.done,
            SendStatus::Cancelled => self.cancelled,
        }
    }
}

/// Japanese.
pub const JA: HistoryTexts = HistoryTexts {
    empty_title: "まだ何も送っていません",
    empty: "最初の一通は、ここに記録されます。",
    time: "日時（UTC）",
    content: "内容",
    status: "状態",
    recipients: "宛先",
    sent: "送信",
    failed: "失敗",
    queued: "待機中",
    sending: "配信中",
    done: "完了",
    cancelled: "中止",
};

/// English.
pub const EN: HistoryTexts = HistoryTexts {
    empty_title: "Nothing was sent yet",
    empty: "The first notification will be recorded here.",
    time: "Time (UTC)",
    content: "Content",
    status: "Status",
    recipients: "For",
    sent: "Sent",
    failed: "Failed",
    queued: "Queued",
    sending: "Sending",
    done: "Done",
    cancelled: "Cancelled",
};
