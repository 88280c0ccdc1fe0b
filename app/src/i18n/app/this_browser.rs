//! Texts of trying an app out in the owner's own browser.

/// Texts of trying an app out in the owner's own browser.
pub struct ThisBrowserTexts {
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
    pub checking: &'static str,
    /// The browser is not subscribed.
    pub unsubscribed: &'static str,
    /// It is.
    pub subscribed: &'static str,
    /// It cannot be.
    pub unsupported: &'static str,
    /// The page is not served over https.
    pub insecure: &'static str,
    /// The user has closed the question.
    pub dismissed: &'static str,
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
pub const JA: ThisBrowserTexts = ThisBrowserTexts {
    title: "このブラウザで試す",
    text: "サイトに埋め込む前に、いま見ているブラウザを購読者にして、通知がどう届くか確かめられます。",
    needs_scripts: "試すには JavaScript を有効にしてください。",
    subscribe: "このブラウザを購読する",
    test: "自分にテスト通知を送る",
    unsubscribe: "購読をやめる",
    checking: "確認しています…",
    unsubscribed: "このブラウザはまだ購読していません。",
    subscribed: "このブラウザは購読中です。",
    unsupported: "このブラウザはプッシュ通知に対応していません。プライベートウィンドウなら通常のウィンドウで、iPhone や iPad ならホーム画面に追加してから開いてください。",
    insecure: "プッシュ通知は、https のページでしか使えません。https のアドレスで開くか、サーバーと同じコンピューターから http://localhost で開いてください。",
    dismissed: "通知を許可するかどうかが選ばれませんでした。もう一度ボタンを押して、「許可」を選んでください。",
    denied: "通知がブロックされています。アドレスバーのアイコンからこのサイトの通知を許可して、ページを再読み込みしてください。",
    working: "少しお待ちください…",
    sent: "送信を受け付けました。まもなく通知が届きます。届かないときは、ブラウザと OS の通知設定を確かめてください。",
    failed: "ブラウザの側でうまくいきませんでした。インターネット接続とブラウザの通知設定を確かめて、もう一度お試しください。",
    test_title: "Hato からのテスト通知",
    test_body: "ちゃんと届きました。",
};

/// English.
pub const EN: ThisBrowserTexts = ThisBrowserTexts {
    title: "Try it in this browser",
    text: "Before you touch your site, make the browser you are looking at a subscriber and see how a notification arrives.",
    needs_scripts: "Trying it takes JavaScript.",
    subscribe: "Subscribe this browser",
    test: "Send me a test",
    unsubscribe: "Unsubscribe",
    checking: "Having a look…",
    unsubscribed: "This browser has not subscribed yet.",
    subscribed: "This browser is subscribed.",
    unsupported: "This browser has no push notifications. If this is a private window, use an ordinary one. On an iPhone or iPad, add this page to the Home Screen and open it there.",
    insecure: "Push notifications work on https pages only. Open this page at an https address, or at http://localhost on the computer that the server runs on.",
    dismissed: "You were asked whether to allow notifications and did not choose. Press the button again and choose “Allow”.",
    denied: "Notifications are blocked. Allow them for this site with the icon in the address bar, then reload the page.",
    working: "One moment…",
    sent: "Accepted. It should arrive any moment. If it does not, look at the notification settings of the browser and the system.",
    failed: "The browser did not do it. Please check its connection and its notification settings, and try again.",
    test_title: "A test from Hato",
    test_body: "It arrived.",
};
