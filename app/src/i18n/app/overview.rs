//! Texts of an app's first page.

use super::super::group_thousands;
use super::growth::{DevicesTexts, GrowthTexts};

texts! {
    /// Texts of an app's first page.
    OverviewTexts {
        figures = "数字で見る", "Figures";
        subscribers = "有効な購読者", "Active subscribers";
        deactivated: fn(i64) -> String = |count| format!("無効 {}", group_thousands(count)),
            |count| format!("{} deactivated", group_thousands(count));
        month = "今月の宛先数", "Recipients this month";
        month_limit: fn(i64) -> String = |limit| format!("上限 {}（アカウント全体）", group_thousands(limit)),
            |limit| format!("of {} for the account", group_thousands(limit));
        month_unlimited = "上限なし（アカウント全体）", "for the account, no limit";
        sent: fn(usize) -> String = |days| format!("{days} 日間の受付済み"), |days| format!("Sent in {days} days");
        ever: fn(i64) -> String = |count| format!("これまでに {}", group_thousands(count)),
            |count| format!("{} all time", group_thousands(count));
        failed: fn(usize) -> String = |days| format!("{days} 日間の失敗"), |days| format!("Failed in {days} days");
        failed_share: fn(i64) -> String = |tenths| format!("全体の {}", percent(tenths)),
            |tenths| format!("{} of all", percent(tenths));
        displayed: fn(usize) -> String = |days| format!("{days} 日間の表示"), |days| format!("Displayed in {days} days");
        clicked: fn(usize) -> String = |days| format!("{days} 日間のクリック"), |days| format!("Clicked in {days} days");
        /// How many sends are scheduled: what stands before and after the time when the first is due.
        coming: fn(i64) -> [String; 2] =
            |count| match count {
                1 => [String::new(), " に送信の予約があります。".to_owned()],
                _ => [
                    format!("送信の予約が {} 件あります。次は ", group_thousands(count)),
                    " です。".to_owned(),
                ],
            },
            |count| match count {
                1 => ["A send is scheduled for ".to_owned(), ".".to_owned()],
                _ => [
                    format!("{} sends are scheduled, the next for ", group_thousands(count)),
                    ".".to_owned(),
                ],
            };
        coming_list = "予約を見る", "Show scheduled sends";
        chart: ChartTexts = ChartTexts::JA, ChartTexts::EN;
        growth: GrowthTexts = GrowthTexts::JA, GrowthTexts::EN;
        devices: DevicesTexts = DevicesTexts::JA, DevicesTexts::EN;
        checklist: ChecklistTexts = ChecklistTexts::JA, ChecklistTexts::EN;
    }

    /// Texts of the chart by day.
    ChartTexts {
        title: fn(i64) -> String = |days| format!("直近 {days} 日間"), |days| format!("The last {days} days");
        periods = "期間", "Period";
        period: fn(i64) -> String = |days| format!("{days} 日"), |days| format!("{days} days");
        by_day = "日ごとの受付済みと失敗", "Sent and failed by day";
        /// That a day is too large for the axis.
        cut: fn(&str, i64) -> String =
            |day, count| {
                format!("{day} は {} 人と多いため、棒を途中で切っています。", group_thousands(count))
            },
            |day, count| {
                format!("{day} has {}, far more than any other day: its bar is cut off.", group_thousands(count))
            };
        summary: fn(i64, i64, i64) -> String =
            |days, sent, failed| {
                format!(
                    "{days} 日間にプッシュサービスが {}\u{a0}人分を受け付け、{}\u{a0}人分が失敗しました。",
                    group_thousands(sent),
                    group_thousands(failed)
                )
            },
            |days, sent, failed| {
                format!(
                    "In {days} days, push services accepted {}, and {} failed.",
                    group_thousands(sent),
                    group_thousands(failed)
                )
            };
        day: fn(&str, i64, i64) -> String =
            |day, sent, failed| {
                format!(
                    "{day}：受付済み {}、失敗 {}",
                    group_thousands(sent),
                    group_thousands(failed)
                )
            },
            |day, sent, failed| {
                format!(
                    "{day}: {} sent, {} failed",
                    group_thousands(sent),
                    group_thousands(failed)
                )
            };
        sent = "受付済み", "Sent";
        failed = "失敗", "Failed";
        numbers = "表で見る", "Show the numbers";
        date = "日付", "Day";
        /// What stands before and after the time of day at which a day begins.
        day_begins: [&'static str; 2] = ["日付は UTC のもので、各日は ", " に始まります。"],
            ["Days are those of UTC: each begins at ", "."];
        empty = "まだ何も送っていません。受付済みと失敗の数が、ここに日ごとに表示されます。",
            "Nothing has been sent yet. What is sent and what fails will be counted here, day by day.";
    }

    /// Texts of the start checklist.
    ChecklistTexts {
        title = "はじめの三歩", "First steps";
        done = "完了", "Done";
        open = "これから", "To do";
        key = "API キーを作る", "Create an API key";
        key_text = "サイトに貼るコードと一緒に、「埋め込み」のページで作れます。",
            "On the page “Embed”, together with the code for your site.";
        subscriber = "最初の購読者になる", "Be the first subscriber";
        subscriber_text = "下のボタンで、このブラウザから。サイトはまだ要りません。",
            "With the button below, in this browser. You do not need a site yet.";
        send = "最初の一通を送る", "Send the first notification";
        send_text = "自分へのテスト通知を。届くと、このページが知らせます。",
            "A test to yourself. This page says when it has arrived.";
        arrived = "三歩とも済みました。鳩が飛び立っています。",
            "All three are done. The pigeon is on its way.";
    }
}

/// Tenths of a percent as people read them.
fn percent(tenths: i64) -> String {
    format!("{}.{}%", tenths / 10, tenths % 10)
}
