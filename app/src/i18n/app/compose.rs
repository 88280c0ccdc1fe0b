//! Texts of writing a notification.

use super::super::group_thousands;

/// Texts of writing a notification.
pub struct ComposeTexts {
    /// Below the headline.
    pub lead: &'static str,
    /// Labels the notification's title.
    pub heading: &'static str,
    /// Labels its body.
    pub body: &'static str,
    /// Labels its url.
    pub url: &'static str,
    /// What happens with it.
    pub url_hint: &'static str,
    /// Opens the fields that few need.
    pub more: &'static str,
    /// Labels the icon.
    pub icon: &'static str,
    /// Labels the badge.
    pub badge: &'static str,
    /// Links are https only.
    pub https: &'static str,
    /// The form's button.
    pub review: &'static str,
    /// Headline of the question before a send.
    pub review_title: &'static str,
    /// Asks it, given how many will get it.
    pub question: fn(i64) -> String,
    /// Sends.
    pub send: &'static str,
    /// Leads back to the form.
    pub edit: &'static str,
    /// Says who will get it.
    pub audience: fn(i64) -> String,
    /// Labels the size.
    pub size: &'static str,
    /// The unit of the size.
    pub bytes: &'static str,
    /// Headline of the preview.
    pub preview: &'static str,
    /// What the preview is.
    pub preview_hint: &'static str,
    /// Stands for a title that is not written yet.
    pub sample_title: &'static str,
    /// Stands for a body that is not written yet.
    pub sample_body: &'static str,
    /// Where the click leads.
    pub opens: &'static str,
    /// Where it leads when there is no url.
    pub opens_site: &'static str,
    /// Said when the session was over.
    pub signed_out: &'static str,
    /// Leads to the login in another tab.
    pub log_in: &'static str,
    /// Says how it goes on after it.
    pub then_review: &'static str,
}

/// Japanese.
pub const JA: ComposeTexts = ComposeTexts {
    lead: "有効な購読者の全員に送ります。送る前に、もう一度確認できます。",
    heading: "タイトル",
    body: "本文",
    url: "リンク先",
    url_hint: "クリックすると開きます。https:// のみ（任意）",
    more: "アイコンとバッジ",
    icon: "アイコンの URL",
    badge: "バッジの URL",
    https: "https:// のみ（任意）",
    review: "確認へ進む",
    review_title: "この内容で送りますか？",
    question: |count| match count {
        0 => "まだ購読者がいません。送っても誰にも届きません。".to_owned(),
        _ => format!(
            "有効な購読者 {} 人に、いますぐ送ります。",
            group_thousands(count)
        ),
    },
    send: "送信する",
    edit: "書き直す",
    audience: |count| match count {
        0 => "まだ購読者がいません。送っても誰にも届きません。".to_owned(),
        _ => format!("有効な購読者 {} 人に送ります。", group_thousands(count)),
    },
    size: "大きさ",
    bytes: "バイト",
    preview: "プレビュー",
    preview_hint: "実際の見た目は、ブラウザと OS によって少し違います。",
    sample_title: "焼きたてです",
    sample_body: "クロワッサンが焼きあがりました。",
    opens: "クリックで開くページ",
    opens_site: "サイトのトップ",
    signed_out: "セッションが終わったため、まだ送っていません。入力した内容は下に残っています。",
    log_in: "別のタブでログイン",
    then_review: "してから、もう一度確認へ進んでください。",
};

/// English.
pub const EN: ComposeTexts = ComposeTexts {
    lead: "It goes to every active subscriber. You can look at it once more before it is sent.",
    heading: "Title",
    body: "Text",
    url: "Link",
    url_hint: "Opens on click. https:// only (optional)",
    more: "Icon and badge",
    icon: "URL of the icon",
    badge: "URL of the badge",
    https: "https:// only (optional)",
    review: "Review",
    review_title: "Send it like this?",
    question: |count| match count {
        0 => "Nobody has subscribed yet, so nobody will get it.".to_owned(),
        1 => "It goes to 1 active subscriber right away.".to_owned(),
        _ => format!(
            "It goes to {} active subscribers right away.",
            group_thousands(count)
        ),
    },
    send: "Send now",
    edit: "Change it",
    audience: |count| match count {
        0 => "Nobody has subscribed yet, so nobody will get it.".to_owned(),
        1 => "It will go to 1 active subscriber.".to_owned(),
        _ => format!(
            "It will go to {} active subscribers.",
            group_thousands(count)
        ),
    },
    size: "Size",
    bytes: "bytes",
    preview: "Preview",
    preview_hint: "Browsers and systems each draw it a little differently.",
    sample_title: "Fresh out of the oven",
    sample_body: "The croissants are ready.",
    opens: "Opens on click",
    opens_site: "Your site",
    signed_out: "Your session is over, so nothing was sent yet. What you wrote is still below.",
    log_in: "Log in in another tab",
    then_review: ", then review it again here.",
};
