//! Texts of the list of apps.

/// Texts of the list of apps.
pub struct Apps {
    /// The headline.
    pub title: &'static str,
    /// Below it.
    pub lead: &'static str,
    /// Counts subscribers on a card.
    pub subscribers: &'static str,
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
    /// The account's plan.
    pub plan: &'static str,
}

/// Japanese.
pub const JA: Apps = Apps {
    title: "アプリ",
    lead: "通知を送るサイトごとに、アプリを一つつくります。",
    subscribers: "有効な購読者",
    created: "作成",
    empty_title: "まだ鳩小屋は空です",
    empty_text: "最初のアプリに名前をつけましょう。サイトの名前がわかりやすいでしょう。",
    create_title: "新しいアプリ",
    name: "アプリの名前",
    name_hint: "100文字まで。例：わたしのブログ",
    create: "アプリをつくる",
    plan: "プラン",
};

/// English.
pub const EN: Apps = Apps {
    title: "Apps",
    lead: "One app for each site that sends notifications.",
    subscribers: "Active subscribers",
    created: "Created",
    empty_title: "The loft is still empty",
    empty_text: "Give your first app a name. The name of your site is a good one.",
    create_title: "New app",
    name: "Name of the app",
    name_hint: "Up to 100 characters, for example: My blog",
    create: "Create app",
    plan: "Plan",
};
