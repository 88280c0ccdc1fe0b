//! What surrounds every page, and the pages for what went wrong.

/// Texts of the frame.
pub struct SiteTexts {
    /// The product in one line, for titles and search engines.
    pub tagline: &'static str,
    /// Skips the navigation.
    pub skip: &'static str,
    /// What the header's navigation is called.
    pub navigation: &'static str,
    /// Links to the apps.
    pub apps: &'static str,
    /// Links to the prices.
    pub pricing: &'static str,
    /// Links to the reference of the API.
    pub reference: &'static str,
    /// Links to the login.
    pub log_in: &'static str,
    /// Links to the registration.
    pub register: &'static str,
    /// Links to the account.
    pub account: &'static str,
    /// Ends the session.
    pub log_out: &'static str,
    /// What the language switch is called.
    pub language: &'static str,
    /// The footer's line.
    pub footer: &'static str,
    /// Headline of the 404 page.
    pub not_found_title: &'static str,
    /// Its text.
    pub not_found_text: &'static str,
    /// Headline of other refusals.
    pub failed_title: &'static str,
    /// Leads home from both.
    pub home: &'static str,
    /// Introduces an error's code.
    pub code: &'static str,
    /// Leads to the prices from errors about limits.
    pub upgrade: &'static str,
    /// Copies something.
    pub copy: &'static str,
    /// Says that it was copied.
    pub copied: &'static str,
    /// Says that it is selected and that the browser lets only its user copy it.
    pub selected: &'static str,
    /// Said of a form that was filled in before the login.
    pub unsent: &'static str,
}

/// Japanese.
pub const JA: SiteTexts = SiteTexts {
    tagline: "ブラウザへ、まっすぐ届くプッシュ通知",
    skip: "本文へ移動",
    navigation: "メイン",
    apps: "アプリ",
    pricing: "料金",
    reference: "API",
    log_in: "ログイン",
    register: "新規登録",
    account: "アカウント",
    log_out: "ログアウト",
    language: "言語",
    footer: "鳩は、手紙を届けて帰ってくる。",
    not_found_title: "この便は宛先不明です",
    not_found_text: "お探しのページは見つかりませんでした。移動したか、削除されたか、見る権限がないのかもしれません。",
    failed_title: "うまくいきませんでした",
    home: "トップへ戻る",
    code: "エラーコード",
    upgrade: "プランを見る",
    copy: "コピー",
    copied: "コピーしました",
    selected: "選択しました",
    unsent: "ログインの前に入力した内容です。まだ送信されていません。",
};

/// English.
pub const EN: SiteTexts = SiteTexts {
    tagline: "Push notifications that fly straight to the browser",
    skip: "Skip to content",
    navigation: "Main",
    apps: "Apps",
    pricing: "Pricing",
    reference: "API",
    log_in: "Log in",
    register: "Sign up",
    account: "Account",
    log_out: "Log out",
    language: "Language",
    footer: "A carrier pigeon delivers, and comes back.",
    not_found_title: "Return to sender",
    not_found_text: "There is no page at this address. It may have moved or been deleted, or it is not yours to see.",
    failed_title: "That did not work",
    home: "Back to the start",
    code: "Error code",
    upgrade: "See the plans",
    copy: "Copy",
    copied: "Copied",
    selected: "Selected",
    unsent: "This is what you entered before you logged in. It is not sent yet.",
};
