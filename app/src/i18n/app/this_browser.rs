//! Texts of trying an app out in the owner's own browser.

texts! {
    ThisBrowserTexts {
        title = "このブラウザで試す", "Try it in this browser";
        text = "サイトに埋め込む前に、いま見ているブラウザを購読者にして、通知がどう届くか確かめられます。",
            "Before you touch your site, make the browser you are looking at a subscriber and see how a notification arrives.";
        needs_scripts = "試すには JavaScript を有効にしてください。", "Trying it takes JavaScript.";
        subscribe = "このブラウザを購読する", "Subscribe this browser";
        to_me_first = "まず自分に送る（このブラウザだけ）", "Send to me first (this browser)";
        test = "自分にテスト通知を送る", "Send me a test";
        unsubscribe = "購読をやめる", "Unsubscribe";
        checking = "確認しています…", "Having a look…";
        unsubscribed = "このブラウザはまだ購読していません。",
            "This browser has not subscribed yet.";
        subscribed = "このブラウザは購読中です。", "This browser is subscribed.";
        unsupported = "このブラウザはプッシュ通知に対応していません。プライベートウィンドウなら通常のウィンドウで、iPhone や iPad ならホーム画面に追加してから開いてください。",
            "This browser has no push notifications. If this is a private window, use an ordinary one. On an iPhone or iPad, add this page to the Home Screen and open it there.";
        insecure = "プッシュ通知は、https のページでしか使えません。https のアドレスで開くか、サーバーと同じコンピューターから http://localhost で開いてください。",
            "Push notifications work on https pages only. Open this page at an https address, or at http://localhost on the computer that the server runs on.";
        dismissed = "通知を許可するかどうかが選ばれませんでした。もう一度ボタンを押して、「許可」を選んでください。",
            "You were asked whether to allow notifications and did not choose. Press the button again and choose “Allow”.";
        denied = "通知がブロックされています。アドレスバーのアイコンからこのサイトの通知を許可して、ページを再読み込みしてください。",
            "Notifications are blocked. Allow them for this site with the icon in the address bar, then reload the page.";
        working = "少しお待ちください…", "One moment…";
        sent = "送信を受け付けました。まもなく通知が届きます。届かないときは、ブラウザと OS の通知設定を確かめてください。",
            "Accepted. It should arrive any moment. If it does not, look at the notification settings of the browser and the system.";
        unreachable = "ブラウザがプッシュサービスにつながりません。ネットワーク（会社や学校など）がプッシュ通知を止めているか、プライベートウィンドウの可能性があります。別のネットワークか、通常のウィンドウでお試しください。",
            "The browser cannot reach its push service. The network may block push notifications, as some companies and schools do, or this is a private window. Try another network, or an ordinary window.";
        failed = "ブラウザの側でうまくいきませんでした。インターネット接続とブラウザの通知設定を確かめて、もう一度お試しください。",
            "The browser did not do it. Please check its connection and its notification settings, and try again.";
        test_title = "Hato からのテスト通知", "A test from Hato";
        test_body = "ちゃんと届きました。", "It arrived.";
    }
}
