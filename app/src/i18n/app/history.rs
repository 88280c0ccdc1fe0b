//! Texts of what was sent.

use hato_service::ports::{SendRecord, SendStatus};

texts! {
    HistoryTexts {
        empty_title = "まだ何も送っていません", "Nothing has been sent yet";
        empty = "最初の一通は、ここに記録されます。",
            "The first notification will be recorded here.";
        any = "すべて", "All";
        filter = "絞り込む", "Filter";
        none_found = "条件に合う送信は見つかりませんでした。", "No sends match.";
        search = "検索", "Search";
        search_hint = "タイトル・本文・リンクの一部", "Part of the title, text or link";
        sender = "操作元", "Sent by";
        sender_hint = "メールアドレスかキーの名前", "Email address or key name";
        /// Before whose day it is, such as UTC's.
        from = "開始日", "From";
        to = "終了日", "To";
        clear = "条件を消す", "Clear";
        download = "CSV をダウンロード（10,000 件まで）", "Download as CSV (up to 10,000)";
        goes_on = "送信が多いため、途中まで調べた結果です。続きは「前のページ」から調べられます。",
            "There are many sends, so only some were searched. “Older” continues from there.";
        not_searched = "ほかの検索が続いているため、調べられませんでした。少し待ってからもう一度検索してください。",
            "Other searches are running, so nothing was searched. Please try again in a moment.";
        /// What became of the recipients: accepted, failed, left out, and to come.
        delivery: fn([String; 4]) -> String =
            |[sent, failed, left_out, rest]| {
                format!("受付済み {sent}、失敗 {failed}、対象外 {left_out}、残り {rest}")
            },
            |[sent, failed, left_out, rest]| {
                format!("{sent} sent, {failed} failed, {left_out} left out, {rest} waiting")
            };
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
        /// The link that writes the same once more, and what assistive technology calls it.
        again = "もう一度送る", "Send again";
        again_about: fn(&str) -> String = |title| format!("もう一度送る：{title}"), |title| format!("Send again: {title}");
    }
}

impl HistoryTexts {
    /// Why a search did not look at all sends, and what to do about it.
    pub const fn cut_short(&self, goes_on: bool) -> &'static str {
        if goes_on {
            self.goes_on
        } else {
            self.not_searched
        }
    }

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
