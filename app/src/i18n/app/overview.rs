//! Texts of an app's first page.

use super::super::group_thousands;

/// Texts of an app's first page.
pub struct OverviewTexts {
    /// What the figures are called.
    pub figures: &'static str,
    /// Counts subscribers.
    pub subscribers: &'static str,
    /// Counts those that are no longer active.
    pub deactivated: fn(i64) -> String,
    /// Counts what the account has sent this month.
    pub month: &'static str,
    /// The limit of that.
    pub month_limit: fn(i64) -> String,
    /// There is none.
    pub month_unlimited: &'static str,
    /// Counts recipients whose push service accepted it within 30 days.
    pub sent: &'static str,
    /// Counts them from the beginning.
    pub ever: fn(i64) -> String,
    /// Counts what failed within 30 days.
    pub failed: &'static str,
    /// The share of what failed, in tenths of a percent.
    pub failed_share: fn(i64) -> String,
    /// The chart.
    pub chart: ChartTexts,
    /// The start checklist.
    pub checklist: ChecklistTexts,
}

/// Texts of the 30-day chart.
pub struct ChartTexts {
    /// The headline.
    pub title: &'static str,
    /// Sums it up, given what was sent and what failed.
    pub summary: fn(i64, i64) -> String,
    /// Sums a day up, given the day, what was sent and what failed.
    pub day: fn(&str, i64, i64) -> String,
    /// Taken by the push service.
    pub sent: &'static str,
    /// Failed.
    pub failed: &'static str,
    /// Opens the table of numbers.
    pub numbers: &'static str,
    /// Heads the table's days.
    pub date: &'static str,
    /// Instead of the chart while there is nothing in it.
    pub empty: &'static str,
}

/// Texts of the start checklist.
pub struct ChecklistTexts {
    /// The headline.
    pub title: &'static str,
    /// Said of a step that is done.
    pub done: &'static str,
    /// Said of a step that is not.
    pub open: &'static str,
    /// A key was made.
    pub key: &'static str,
    /// How to make one.
    pub key_text: &'static str,
    /// Somebody subscribed.
    pub subscriber: &'static str,
    /// How to come by a subscriber.
    pub subscriber_text: &'static str,
    /// Something was sent.
    pub send: &'static str,
    /// How to send.
    pub send_text: &'static str,
    /// Said when all is done.
    pub arrived: &'static str,
}

/// Tenths of a percent as people read them.
fn percent(tenths: i64) -> String {
    format!("{}.{}%", tenths / 10, tenths % 10)
}

/// Japanese.
pub const JA: OverviewTexts = OverviewTexts {
    figures: "数字で見る",
    subscribers: "有効な購読者",
    deactivated: |count| format!("無効 {}", group_thousands(count)),
    month: "今月の宛先数",
    month_limit: |limit| format!("上限 {}（アカウント全体）", group_thousands(limit)),
    month_unlimited: "上限なし（アカウント全体）",
    sent: "30 日間の送信",
    ever: |count| format!("これまでに {}", group_thousands(count)),
    failed: "30 日間の失敗",
    failed_share: |tenths| format!("全体の {}", percent(tenths)),
    chart: ChartTexts {
        title: "この 30 日間",
        summary: |sent, failed| {
            format!(
                "30 日間にプッシュサービスが {}\u{a0}件を受け付け、{}\u{a0}件が失敗しました。",
                group_thousands(sent),
                group_thousands(failed)
            )
        },
        day: |day, sent, failed| {
            format!(
                "{day}：送信 {}、失敗 {}",
                group_thousands(sent),
                group_thousands(failed)
            )
        },
        sent: "送信",
        failed: "失敗",
        numbers: "表で見る",
        date: "日付（UTC）",
        empty: "まだ何も送っていません。送った通知の数が、ここに日ごとに並びます。",
    },
    checklist: ChecklistTexts {
        title: "はじめの三歩",
        done: "完了",
        open: "これから",
        key: "API キーを作る",
        key_text: "下の「このコード用のキーを作る」から。",
        subscriber: "最初の購読者を迎える",
        subscriber_text: "コードを貼るか、このブラウザで購読してみましょう。",
        send: "最初の一通を送る",
        send_text: "テスト通知でも、全員への通知でも。",
        arrived: "三歩とも済みました。鳩が飛び立っています。",
    },
};

/// English.
pub const EN: OverviewTexts = OverviewTexts {
    figures: "Figures",
    subscribers: "Active subscribers",
    deactivated: |count| format!("{} deactivated", group_thousands(count)),
    month: "Recipients this month",
    month_limit: |limit| format!("of {} for the account", group_thousands(limit)),
    month_unlimited: "for the account, no limit",
    sent: "Sent in 30 days",
    ever: |count| format!("{} ever", group_thousands(count)),
    failed: "Failed in 30 days",
    failed_share: |tenths| format!("{} of all", percent(tenths)),
    chart: ChartTexts {
        title: "The last 30 days",
        summary: |sent, failed| {
            format!(
                "Within 30 days push services accepted {}, and {} failed.",
                group_thousands(sent),
                group_thousands(failed)
            )
        },
        day: |day, sent, failed| {
            format!(
                "{day}: {} sent, {} failed",
                group_thousands(sent),
                group_thousands(failed)
            )
        },
        sent: "Sent",
        failed: "Failed",
        numbers: "Show the numbers",
        date: "Day (UTC)",
        empty: "Nothing was sent yet. What you send will be counted here, day by day.",
    },
    checklist: ChecklistTexts {
        title: "First steps",
        done: "Done",
        open: "To do",
        key: "Make an API key",
        key_text: "With “Make the key for this snippet” below.",
        subscriber: "Welcome the first subscriber",
        subscriber_text: "Paste the code, or subscribe this browser.",
        send: "Send the first notification",
        send_text: "A test to yourself, or one to everybody.",
        arrived: "All three are done. The pigeon is on its way.",
    },
};
