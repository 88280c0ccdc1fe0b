//! Texts of what recipients did with a send.

use super::super::group_thousands;

texts! {
    EngagementTexts {
        title = "表示とクリック", "Engagement";
        summary: fn([i64; 4]) -> String =
            |counts| {
                let [recipients, accepted, displayed, clicked] = counts.map(group_thousands);
                format!("宛先 {recipients}、受付済み {accepted}、表示 {displayed}、クリック {clicked}")
            },
            |counts| {
                let [recipients, accepted, displayed, clicked] = counts.map(group_thousands);
                format!("{recipients} recipients, {accepted} accepted, {displayed} displayed, {clicked} clicked")
            };
        step = "段階", "Step";
        count = "人数", "Count";
        of_accepted = "受付済みに対する割合", "Share of accepted";
        recipients = "宛先", "Recipients";
        accepted = "受付済み（プッシュサービス）", "Accepted by push services";
        displayed = "表示", "Displayed";
        clicked = "クリック", "Clicked";
        dismissed = "閉じた", "Dismissed";
        button: fn(&str) -> String = |action| format!("ボタン「{action}」"), |action| format!("Button “{action}”");
        share: fn(i64) -> String = percent, percent;
        means = "ブラウザからの報告を数えたものです。誰のものかは記録していません。報告できないブラウザもあります。",
            "Counted from browsers' reports, without recording whose they are. Some browsers cannot report.";
    }
}

/// Tenths of a percent as people read them.
fn percent(tenths: i64) -> String {
    format!("{}.{}%", tenths / 10, tenths % 10)
}
