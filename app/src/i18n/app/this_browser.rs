//! Texts of trying an app out in the owner's own browser.

/// Texts of trying an app out in the owner's own browser.
pub struct ThisBrowser {
    /// The headline.
    pub title: &'static str,
    /// What it is for.
    pub text: &'static str,
    /// Without scripts.
    pub needs_scripts: &'static str,
    /// Subscribes.
    pub subscribe: &'static str,
    /// Sends a test.
    pub test: &'static str,
    /// Ends the subscription.
    pub unsubscribe: &'static str,
    /// It is being found out.
    pub looking: &'static str,
    /// The browser is not subscribed.
    pub unsubscribed: &'static str,
    /// It is.
    pub subscribed: &'static str,
    /// It cannot be.
    pub unsupported: &'static str,
    /// The user has said no.
    pub denied: &'static str,
    /// Something is under way.
    pub working: &'static str,
    /// A test is on its way.
    pub sent: &'static str,
    /// The browser did not do it.
    pub failed: &'static str,
    /// Headline of the test.
    pub test_title: &'static str,
    /// Body of the test.
    pub test_body: &'static str,
}

/// Japanese.
pub const JA: ThisBrowser = ThisBrowser {
    title: "このブラウザで試す",
    text: "サイトに埋め込む前に、いま見ているブラウザを購読者にして、通知がどう届くか確かめられます。",
    needs_scripts: "試すには JavaScript を有効にしてください。",
    subscribe: "このブラウザを購読する",
    test: "自分にテスト通知を送る",
    unsubscribe: "購読をやめる",
    looking: "確認しています…",
    unsubscribed: "このブラウザはまだ購読していません。",
    subscribed: "このブラウザは購読中です。",
    unsupported: "このブラウザはプッシュ通知に対応していません。iPhone・iPad では、ホーム画面に追加してから開いてください。",
    denied: "通知がブロックされています。ブラウザの設定で、このサイトの通知を許可してください。",
    working: "少しお待ちください…",
    sent: "送りました。まもなく通知が届きます。",
    failed: "ブラウザで購読できませんでした。時間をおいて試してください。",
    test_title: "Hato からのテスト通知",
    test_body: "ちゃんと届きました。",
};

/// English.
pub const EN: ThisBrowser = ThisBrowser {
    title: "Try it in this browser",
    text: "Before you touch your site, make the browser you are looking at a subscriber and see how a notification arrives.",
    needs_scripts: "Trying it takes JavaScript.",
    subscribe: "Subscribe this browser",
    test: "Send me a test",
    unsubscribe: "Unsubscribe",
    looking: "Having a look…",
    unsubscribed: "This browser has not subscribed yet.",
    subscribed: "This browser is subscribed.",
    unsupported: "This browser has no push notifications. On an iPhone or iPad, add this page to the Home Screen first.",
    denied: "Notifications are blocked. Allow them for this site in the browser's settings.",
    working: "One moment…",
    sent: "Sent. It should arrive any moment.",
    failed: "The browser could not subscribe. Please try again in a while.",
    test_title: "A test from Hato",
    test_body: "It arrived.",
};
