//! Texts of trying an app out in the owner's own browser.

texts! {
    ThisBrowserTexts {
        title = "このブラウザで試す", "Try it in this browser";
        text = "サイトに埋め込む前に、いま見ているブラウザを購読者にして、通知がどう届くか確かめられます。",
            "Before you touch your site, subscribe in this browser and see how a notification arrives.";
        to_me_first = "まず自分に送る（このブラウザだけ）", "Send to me first (this browser)";
        needs_scripts = "試すには JavaScript を有効にしてください。", "This needs JavaScript.";
        subscribe = "このブラウザで通知を受け取る", "Get notifications in this browser";
        test = "自分にテスト通知を送る", "Send me a test";
        unsubscribe = "通知の受け取りをやめる", "Unsubscribe";
        checking = "確認しています…", "Checking…";
        unsubscribed = "このブラウザでは、まだ通知を受け取っていません。",
            "This browser does not get notifications yet.";
        subscribed = "このブラウザで通知を受け取っています。", "This browser gets notifications.";
        unsupported = "このブラウザはプッシュ通知に対応していません。プライベートウィンドウなら通常のウィンドウで、iPhone や iPad なら、共有メニューの「ホーム画面に追加」で追加し、そのアイコンから開いてください。",
            "This browser does not support push notifications. If this is a private window, use an ordinary one. On an iPhone or iPad, choose “Add to Home Screen” in the share menu and open it from there.";
        insecure = "プッシュ通知は、https のページでしか使えません。https のアドレスで開くか、サーバーと同じコンピューターから http://localhost で開いてください。",
            "Push notifications work on https pages only. Open this page at an https address, or at http://localhost on the computer that the server runs on.";
        dismissed = "通知を許可するかどうかが選ばれませんでした。もう一度ボタンを押して、「許可」を選んでください。",
            "You were asked whether to allow notifications and did not choose. Press the button again and choose “Allow”.";
        denied = "通知がブロックされています。アドレスバーのアイコンからこのサイトの通知を許可して、ページを再読み込みしてください。",
            "Notifications are blocked. Allow them for this site with the icon in the address bar, then reload the page.";
        working = "少しお待ちください…", "One moment…";
        sent = "テスト通知を送りました。まもなく通知が届きます。届かないときは、ブラウザと OS の通知設定を確かめてください。",
            "The test is on its way and should arrive any moment. If it does not, check the notification settings of the browser and the system.";
        arrived = "届きました。このブラウザが、いま通知を表示しました。",
            "It arrived: this browser has just shown the notification.";
        unreachable = "ブラウザがプッシュサービスにつながりません。ネットワーク（会社や学校など）がプッシュ通知を止めているか、プライベートウィンドウの可能性があります。別のネットワークか、通常のウィンドウでお試しください。",
            "The browser cannot reach its push service. The network may block push notifications, as some companies and schools do, or this is a private window. Try another network, or an ordinary window.";
        failed = "ブラウザの側でうまくいきませんでした。インターネット接続とブラウザの通知設定を確かめて、もう一度お試しください。",
            "It did not work in the browser. Check the internet connection and the browser's notification settings, and try again.";
        test_title = "Hato からのテスト通知", "A test from Hato";
        test_body = "ちゃんと届きました。", "It arrived.";
    }
}
