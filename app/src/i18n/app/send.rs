//! Texts of a send's page.

use super::super::group_thousands;

texts! {
    SendTexts {
        accepted = "作成", "Created";
        by = "操作元", "Sent by";
        opens = "リンク先", "Opens";
        id = "送信 ID", "Send ID";
        again = "この内容でもう一度送る", "Send again";
        progress = "配信のようす", "Delivery";
        recipients: fn(i64) -> String =
            |count| format!("{} 人宛て", group_thousands(count)),
            |count| match count {
                1 => "For 1 subscriber".to_owned(),
                _ => format!("For {} subscribers", group_thousands(count)),
            };
        percent: fn(i64) -> String = |percent| format!("{percent}%"),
            |percent| format!("{percent}%");
        rate: fn(i64) -> String = |rate| format!("{} 人/秒", group_thousands(rate)),
            |rate| format!("{} per second", group_thousands(rate));
        rate_label = "速さ", "Speed";
        left_label = "残り時間", "Time left";
        left: fn(i64) -> String = |left| format!("約{}", seconds(left, UNITS_JA)),
            |left| format!("about {}", seconds(left, UNITS_EN));
        took_label = "かかった時間", "Took";
        took: fn(i64) -> String = |millis| span(millis, UNITS_JA), |millis| span(millis, UNITS_EN);
        sent = "受付済み", "Sent";
        expired = "購読切れ", "Expired";
        other = "失敗", "Failed";
        skipped = "対象外", "Skipped";
        cancelled = "中止", "Cancelled";
        pending = "配信待ち", "Waiting";
        sent_means = "「受付済み」は、プッシュサービスが受け付けた数です。",
            "“Sent” counts what push services have accepted.";
        /// How many wait, and whether there may be more; the time of the next attempt follows.
        waiting: fn(i64, bool) -> String =
            |count, more| {
                let or_more = if more { "以上" } else { "" };
                format!("{} 人{or_more}が再送を待っています。次の再送：", group_thousands(count))
            },
            |count, more| {
                let at_least = if more { "At least " } else { "" };
                let wait = if count == 1 { "waits" } else { "wait" };
                format!("{at_least}{} {wait} for another attempt, next at", group_thousands(count))
            };
        failures = "失敗の内訳", "Failures";
        reason = "理由", "Reason";
        service = "プッシュサービス", "Push service";
        count = "人数", "Count";
        others = "その他", "Other";
        omitted: fn(i64) -> String =
            |count| format!("このうち {} 人分は多すぎるため、不達の一覧にはありません。", group_thousands(count)),
            |count| format!("{} of them are not in the list of undelivered notifications, which is full.", group_thousands(count));
        no_failures = "失敗はありません。", "No failures.";
        failures_cut_short = "失敗の種類が多いため、一部だけを調べた内訳です。人数の合計は正確です。",
            "There are many kinds of failures, so only some are broken down here. The totals above are exact.";
        cancel_open = "送信を中止する", "Cancel this send";
        cancel_text = "まだ配信していない分を止めます。すでに送った通知は取り消せません。",
            "Deliveries that have not started are cancelled. What was already sent cannot be recalled.";
        cancel = "残りを中止する", "Cancel the rest";
        was_cancelled: fn(i64) -> String =
            |count| match count {
                0 => "中止できる分は残っていませんでした。".to_owned(),
                _ => format!("{} 人への配信を中止しました。", group_thousands(count)),
            },
            |count| match count {
                0 => "There was nothing left to cancel.".to_owned(),
                1 => "1 delivery was cancelled.".to_owned(),
                _ => format!("{} deliveries were cancelled.", group_thousands(count)),
            };
        call_off_open = "予約を取り消す", "Cancel this scheduled send";
        call_off_text = "まだ誰にも送っていません。取り消すと、予定の日時になっても送りません。",
            "Nothing has been sent yet. If you cancel it, nothing will be.";
        call_off = "予約を取り消す", "Cancel the scheduled send";
        was_called_off = "予約を取り消しました。", "The scheduled send is cancelled.";
        waits = "予定の日時に、そのとき当てはまる購読者に送ります。人数はそのときに決まります。",
            "It will go to the subscribers who match when it is due. Their number is only known then.";
        called_off = "送る前に取り消したため、誰にも送っていません。",
            "It was cancelled before it was due, so nobody received it.";
        refused: fn(&str) -> String =
            |reason| format!("予定の日時に送れなかったため、誰にも届いていません。理由：{reason}"),
            |reason| format!("It could not be sent when it was due, so nobody received it. Reason: {reason}");
        over_limit = "今月の上限を超えるため", "it would have exceeded the plan's monthly recipients";
        nobody = "当てはまる有効な購読者がいなかったため、誰にも届いていません。",
            "No active subscriber matched, so nobody received it.";
    }
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

#[cfg(test)]
mod tests {
    use super::SendTexts;

    #[test]
    fn spans_are_as_exact_as_people_want_them() {
        for (millis, english, japanese) in [
            (0, "0.0 s", "0.0 秒"),
            (1_250, "1.2 s", "1.2 秒"),
            (12_999, "12 s", "12 秒"),
            (61_000, "1 min 1 s", "1 分 1 秒"),
            (3_660_000, "1 h 1 min", "1 時間 1 分"),
        ] {
            assert_eq!((SendTexts::EN.took)(millis), english);
            assert_eq!((SendTexts::JA.took)(millis), japanese);
        }
    }
}
