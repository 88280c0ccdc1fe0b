//! Texts of what was sent.

use hato_service::ports::{SendRecord, SendStatus};

texts! {
    HistoryTexts {
        empty_title = "まだ何も送っていません", "Nothing has been sent yet";
        empty = "最初の一通は、ここに記録されます。",
            "The first notification will be recorded here.";
        any = "すべて", "All";
        filter = "絞り込む", "Filter";
        none_found = "この状態の送信はありません。", "No send has this status.";
        time = "日時", "Time";
        content = "内容", "Content";
        status = "状態", "Status";
        recipients = "宛先数", "Recipients";
        sent = "受付済み", "Sent";
        failed = "失敗", "Failed";
        displayed = "表示", "Displayed";
        clicked = "クリック", "Clicked";
        queued = "待機中", "Queued";
        sending = "配信中", "Sending";
        done = "完了", "Done";
        scheduled = "予約済み", "Scheduled";
        cancelled = "中止", "Cancelled";
        refused = "拒否", "Refused";
        /// Of a send that is done, because it was for nobody.
        nobody = "宛先なし", "Nobody";
    }
}

impl HistoryTexts {
    /// How far a send is: its class, and what it is called. What went to nobody has not succeeded.
    pub fn badge(&self, send: &SendRecord) -> (&'static str, &'static str) {
        match send.status {
            SendStatus::Done if send.recipients == 0 => ("nobody", self.nobody),
            status => (status.as_str(), self.progress(status)),
        }
    }

    /// How far a send is.
    pub const fn progress(&self, status: SendStatus) -> &'static str {
        match status {
            SendStatus::Scheduled => self.scheduled,
            SendStatus::Queued => self.queued,
            SendStatus::Sending => self.sending,
            SendStatus::Done => self.done,
            SendStatus::Cancelled => self.cancelled,
            SendStatus::Refused => self.refused,
        }
    }
}
