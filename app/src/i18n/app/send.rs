//! Texts of a send's page.

use super::super::group_thousands;

/// Texts of a send's page.
pub struct SendTexts {
    /// When it was accepted.
    pub accepted: &'static str,
    /// Who sent it.
    pub by: &'static str,
    /// Where the click leads.
    pub opens: &'static str,
    /// The send's id.
    pub id: &'static str,
    /// Headline of how far it is.
    pub progress: &'static str,
    /// How many it is for.
    pub recipients: fn(i64) -> String,
    /// How much of it is done, in percent.
    pub percent: fn(i64) -> String,
    /// Recipients a second.
    pub rate: fn(i64) -> String,
    /// Labels the rate.
    pub rate_label: &'static str,
    /// Labels the time left.
    pub left_label: &'static str,
    /// Seconds left.
    pub left: fn(i64) -> String,
    /// Labels the time taken.
    pub took_label: &'static str,
    /// Milliseconds taken.
    pub took: fn(i64) -> String,
    /// Taken by the push service.
    pub sent: &'static str,
    /// The subscription was gone.
    pub expired: &'static str,
    /// Failed otherwise.
    pub other: &'static str,
    /// Not subscribed any more.
    pub skipped: &'static str,
    /// Stopped.
    pub cancelled: &'static str,
    /// Not settled yet.
    pub pending: &'static str,
    /// What is known of those that were sent.
    pub sent_means: &'static str,
    /// Headline of the failures.
    pub failures: &'static str,
    /// Heads the reasons.
    pub reason: &'static str,
    /// Heads the push services.
    pub service: &'static str,
    /// Heads the numbers.
    pub count: &'static str,
    /// Those beyond the ones listed.
    pub others: &'static str,
    /// Instead of the list when nothing failed.
    pub no_failures: &'static str,
    /// Opens the question.
    pub cancel_open: &'static str,
    /// Asks it.
    pub cancel_text: &'static str,
    /// Cancels.
    pub cancel: &'static str,
    /// Says for how many it was.
    pub was_cancelled: fn(i64) -> String,
    /// Nobody was there to get it.
    pub nobody: &'static str,
}

/// Seconds as people say them.
fn seconds(seconds: i64, units: [&str; 3]) -> String {
    let [second, minute, hour] = units;
    match seconds {
        ..60 => format!("{seconds}{second}"),
        60..3_600 => format!("{}{minute}{}{second}", seconds / 60, seconds % 60),
        _ => format!(
            "{}{hour}{}{}",
            seconds / 3_600,
            seconds / 60 % 60,
            minute.trim_end()
        ),
    }
}

/// Milliseconds, exact to a tenth of a second while they are few.
fn span(millis: i64, units: [&str; 3]) -> String {
    if millis < 10_000 {
        format!("{}.{}{}", millis / 1_000, millis / 100 % 10, units[0])
    } else {
        seconds(millis / 1_000, units)
    }
}

const UNITS_JA: [&str; 3] = [" 秒", " 分 ", " 時間 "];
const UNITS_EN: [&str; 3] = [" s", " min ", " h "];

/// Japanese.
pub const JA: SendTexts = SendTexts {
    accepted: "受付",
    by: "送信者",
    opens: "リンク先",
    id: "送信 ID",
    progress: "配信のようす",
    recipients: |count| format!("{} 人宛て", group_thousands(count)),
    percent: |percent| format!("{percent}%"),
    rate: |rate| format!("{} 件/秒", group_thousands(rate)),
    rate_label: "速さ",
    left_label: "残り時間",
    left: |left| format!("約{}", seconds(left, UNITS_JA)),
    took_label: "かかった時間",
    took: |millis| span(millis, UNITS_JA),
    sent: "送信",
    expired: "購読切れ",
    other: "失敗",
    skipped: "対象外",
    cancelled: "中止",
    pending: "配信待ち",
    sent_means: "「送信」は、プッシュサービスが受け付けた数です。ブラウザに表示されたかどうかまではわかりません。",
    failures: "失敗の内訳",
    reason: "理由",
    service: "プッシュサービス",
    count: "件数",
    others: "そのほか",
    no_failures: "失敗はありません。",
    cancel_open: "送信を中止する",
    cancel_text: "まだ配信していない分を止めます。すでに送った通知は取り消せません。",
    cancel: "残りを中止する",
    was_cancelled: |count| match count {
        0 => "中止できる分は残っていませんでした。".to_owned(),
        _ => format!("{} 件の配信を中止しました。", group_thousands(count)),
    },
    nobody: "有効な購読者がいなかったため、誰にも届いていません。",
};

/// English.
pub const EN: SendTexts = SendTexts {
    accepted: "Accepted",
    by: "Sent by",
    opens: "Opens",
    id: "Send ID",
    progress: "Delivery",
    recipients: |count| match count {
        1 => "For 1 subscriber".to_owned(),
        _ => format!("For {} subscribers", group_thousands(count)),
    },
    percent: |percent| format!("{percent}%"),
    rate: |rate| format!("{} a second", group_thousands(rate)),
    rate_label: "Speed",
    left_label: "Time left",
    left: |left| format!("about {}", seconds(left, UNITS_EN)),
    took_label: "Took",
    took: |millis| span(millis, UNITS_EN),
    sent: "Sent",
    expired: "Gone",
    other: "Failed",
    skipped: "Skipped",
    cancelled: "Cancelled",
    pending: "Waiting",
    sent_means: "“Sent” is what push services have accepted. Whether a browser has shown it cannot be known.",
    failures: "What failed",
    reason: "Reason",
    service: "Push service",
    count: "Number",
    others: "Others",
    no_failures: "Nothing has failed.",
    cancel_open: "Cancel this send",
    cancel_text: "What is not on its way yet stays here. What was sent cannot be called back.",
    cancel: "Cancel the rest",
    was_cancelled: |count| match count {
        0 => "There was nothing left to cancel.".to_owned(),
        1 => "1 delivery was cancelled.".to_owned(),
        _ => format!("{} deliveries were cancelled.", group_thousands(count)),
    },
    nobody: "There was no active subscriber, so it went to nobody.",
};

#[cfg(test)]
mod tests {
    use super::{EN, JA};

    #[test]
    fn spans_are_as_exact_as_people_want_them() {
        for (millis, english, japanese) in [
            (0, "0.0 s", "0.0 秒"),
            (1_250, "1.2 s", "1.2 秒"),
            (12_999, "12 s", "12 秒"),
            (61_000, "1 min 1 s", "1 分 1 秒"),
            (3_660_000, "1 h 1 min", "1 時間 1 分"),
        ] {
            assert_eq!((EN.took)(millis), english);
            assert_eq!((JA.took)(millis), japanese);
        }
    }
}
