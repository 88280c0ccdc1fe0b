//! Texts of the list of apps.

use super::group_thousands;

/// Texts of the list of apps.
pub struct AppsTexts {
    /// The headline.
    pub title: &'static str,
    /// Below it.
    pub lead: &'static str,
    /// Counts subscribers on a card.
    pub subscribers: &'static str,
    /// Counts what an app has sent this month.
    pub month: &'static str,
    /// When an app was made.
    pub created: &'static str,
    /// Headline when there is no app yet.
    pub empty_title: &'static str,
    /// The text below it.
    pub empty_text: &'static str,
    /// Headline of the form.
    pub create_title: &'static str,
    /// Labels the name.
    pub name: &'static str,
    /// What a name may be.
    pub name_hint: &'static str,
    /// The form's button.
    pub create: &'static str,
    /// Instead of the form when the plan allows no more.
    pub full: &'static str,
    /// The account's plan.
    pub plan: &'static str,
    /// Headline of the account's use.
    pub usage: &'static str,
    /// When the count starts anew, given the day.
    pub resets: fn(String) -> String,
    /// A number of a limit.
    pub of_limit: fn(i64, i64) -> String,
    /// Said of a number without a limit.
    pub unlimited: &'static str,
    /// Said when a limit is near.
    pub nearly: &'static str,
    /// Said when a limit is reached.
    pub reached: &'static str,
    /// Says that an account is deleted.
    pub deleted: &'static str,
}

/// Japanese.
pub const JA: AppsTexts = AppsTexts {
    title: "アプリ",
    lead: "通知を送るサイトごとに、アプリを一つ作ります。",
    subscribers: "有効な購読者",
    month: "今月の送信",
    created: "作成",
    empty_title: "まだ鳩小屋は空です",
    empty_text: "最初のアプリに名前をつけましょう。サイトの名前がわかりやすいでしょう。",
    create_title: "新しいアプリ",
    name: "アプリの名前",
    name_hint: "100 文字まで。例：わたしのブログ",
    create: "アプリを作る",
    full: "いまのプランでは、アプリは一つまでです。",
    plan: "プラン",
    usage: "今月の宛先数",
    resets: |day| format!("{day}（UTC）にリセットされます"),
    of_limit: |used, limit| format!("{} / {}", group_thousands(used), group_thousands(limit)),
    unlimited: "上限なし",
    nearly: "上限の 80% を超えました",
    reached: "上限に達しました",
    deleted: "アプリを削除しました。",
};

/// English.
pub const EN: AppsTexts = AppsTexts {
    title: "Apps",
    lead: "One app for each site that sends notifications.",
    subscribers: "Active subscribers",
    month: "Sent this month",
    created: "Created",
    empty_title: "The loft is still empty",
    empty_text: "Give your first app a name. The name of your site is a good one.",
    create_title: "New app",
    name: "Name of the app",
    name_hint: "Up to 100 characters, for example: My blog",
    create: "Create app",
    full: "Your plan has room for one app.",
    plan: "Plan",
    usage: "Recipients this month",
    resets: |day| format!("Starts anew on {day} (UTC)"),
    of_limit: |used, limit| format!("{} of {}", group_thousands(used), group_thousands(limit)),
    unlimited: "No limit",
    nearly: "More than 80% of the limit",
    reached: "The limit is reached",
    deleted: "The app is deleted.",
};
