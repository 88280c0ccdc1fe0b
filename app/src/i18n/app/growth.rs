//! Texts of how an app's audience grows, and of what it is.

use super::super::group_thousands;

texts! {
    /// Texts of the chart of subscribers by day.
    GrowthTexts {
        title = "購読者の増減", "Subscribers";
        summary: fn(i64, i64, i64) -> String =
            |days, gained, lost| {
                format!(
                    "{days} 日間に {} 人が加わり、{} 人が離れました。",
                    group_thousands(gained),
                    group_thousands(lost)
                )
            },
            |days, gained, lost| {
                format!(
                    "In {days} days, {} joined and {} left.",
                    group_thousands(gained),
                    group_thousands(lost)
                )
            };
        /// A day: how many there were at its end, joined and left.
        day: fn(&str, [i64; 3]) -> String =
            |day, counts| {
                let [active, gained, lost] = counts.map(group_thousands);
                format!("{day}：{active} 人（+{gained}、−{lost}）")
            },
            |day, counts| {
                let [active, gained, lost] = counts.map(group_thousands);
                format!("{day}: {active} (+{gained}, −{lost})")
            };
        none = "この期間に加わった人も離れた人もいません。", "Nobody joined or left in this period.";
        numbers = "表で見る", "Show the numbers";
        date = "日付", "Day";
        active = "購読者", "Subscribers";
        gained = "加わった人", "Joined";
        lost = "離れた人", "Left";
    }

    /// Texts of browsers and systems.
    DevicesTexts {
        title = "ブラウザと OS", "Browsers and platforms";
        browser = "ブラウザ", "Browser";
        system = "OS", "Platform";
        unknown = "不明", "Unknown";
        subscribers = "購読者", "Subscribers";
        about = "ブラウザはプッシュサービスと platform の値から、OS は platform の値からわかります。",
            "The browser is known from the push service and the label “platform”, the platform from the label alone.";
        percent: fn(i64) -> String = |percent| format!("{percent} %"), |percent| format!("{percent}%");
        /// That the shares are those of so many subscribers.
        sampled: fn(i64) -> String =
            |count| format!("購読者が多いため、{} 人から推定した割合です。", group_thousands(count)),
            |count| format!("There are many subscribers, so the shares are estimated from {} of them.", group_thousands(count));
        busy = "ほかの集計が続いているため、いまは数えられません。あとでもう一度開いてください。",
            "Other counts are running, so these are not available now. Please open the page again later.";
    }
}
