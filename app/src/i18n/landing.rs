//! Texts of the landing page.

/// A headline with its text.
pub struct LandingPoint {
    pub title: &'static str,
    pub text: &'static str,
}

texts! {
    LandingTexts {
        /// The headline, in the lines that it is set in.
        title: [&'static str; 2] = ["大切なお知らせを、", "まっすぐ届ける。"],
            ["Your news,", "straight to the reader."];
        lead = "Hato は、自分のサーバーで動かすプッシュ通知サービスです。実行ファイルひとつで、サイトから読者のブラウザへ。数行のコードを貼れば、3\u{a0}分後には最初の一通が飛び立ちます。",
            "Hato is Web Push that you run yourself: one binary, from your site to your readers’ browsers. Paste a few lines of code, and three minutes later the first notification takes flight.";
        start = "無料で始める", "Start for free";
        open = "アプリを開く", "Open your apps";
        pricing = "料金を見る", "See pricing";
        picture = "手紙を運ぶ鳩と、届いた通知",
            "A pigeon carrying a letter, and the notification it became";
        sample: LandingPoint = point("朝の便が届きました", "新しい記事を公開しました。タップして読む"),
            point("The morning post is here", "A new article is out. Tap to read it.");
        promises_title = "あなたの手元に、まるごと", "All of it, on your own server";
        promises: [LandingPoint; 3] =
            [
                point("あなたのもの", "購読者も鍵も履歴も、手元の SQLite ファイルひとつ、またはあなたの PostgreSQL に。"),
                point("実行ファイルひとつ", "ダッシュボードも API も配信も、この一つの中に。置いて、起動すれば動きます。"),
                point("なくさない", "通知はディスクに記録してから受け付けます。サーバーが止まっても、続きから届けます。"),
            ],
            [
                point("Yours", "Subscribers, keys and history are in one SQLite file beside the binary, or in your PostgreSQL."),
                point("One binary", "The dashboard, the API and the delivery are in it. Copy it to a server and start it."),
                point("Nothing is lost", "A notification is on disk before it is accepted. If the server stops, delivery goes on where it was."),
            ];
        dashboard = "ダッシュボードの画面：アプリの概要と、送った通知のグラフ",
            "The dashboard: an app at a glance, with a chart of what was sent";
        code_title = "サイトに貼るのは、六行", "Six lines on your site";
        code_text = "これと、サイトの直下に置くサービスワーカー 1 ファイルだけです。",
            "These, and one service worker file at the root of your site.";
        guide = "組み込みガイドを読む", "Read the guide";
        button = "通知を受け取る", "Notify me";
        steps_title = "はじめての一通まで、三歩", "Three steps to your first notification";
        steps: [LandingPoint; 3] =
            [
                point("アプリを作る", "名前をつけるだけです。送り主を証明する署名鍵は Hato が用意し、暗号化して預かります。"),
                point("コードを貼る", "ページに数行、サイトの直下にサービスワーカーを 1 ファイル。購読ボタンはそれで動きます。"),
                point("送る", "ダッシュボードからでも、サーバーからの API 呼び出し 1 回でも。配信はキューが引き受けます。"),
            ],
            [
                point("Create an app", "A name is all it takes. Hato makes the signing keys that prove who sends, and keeps them encrypted."),
                point("Paste the code", "A few lines on the page and one service worker file on your site: the subscribe button works."),
                point("Send", "From the dashboard, or with one API call from your server. The queue takes it from there."),
            ];
        points_title = "まかせて安心な理由", "Why you can let it fly";
        points: [LandingPoint; 4] =
            [
                point("標準の Web Push", "RFC 8291 の暗号化と VAPID 署名。Chrome、Firefox、Safari、Edge に届き、中身は配信サービスにも読めません。"),
                point("届けたい人に、届けたい時に", "ユーザーやタグで選び、時刻と速さを決めて送れます。ほかのサービスからの引っ越しもできます。"),
                point("正直な数字", "受付済み、購読切れ、失敗、対象外。一人ひとりを数え、合計はいつも合います。"),
                point("安全な鍵", "API キーはハッシュだけを保存。ページに置ける購読専用キーなど、用途ごとに権限を分けられます。"),
            ],
            [
                point("Standard web push", "RFC 8291 encryption and VAPID signatures. It reaches Chrome, Firefox, Safari and Edge, and no push service can read it."),
                point("To whom, and when", "To a user or to those with a tag, at a time and a pace of your choice. Bring your subscribers from other services."),
                point("Honest numbers", "Sent, expired, failed, skipped: every recipient is counted once, and the sum is always right."),
                point("Safe keys", "Only hashes of API keys are stored. The key on your page can subscribe and do nothing else."),
            ];
    }
}

const fn point(title: &'static str, text: &'static str) -> LandingPoint {
    LandingPoint { title, text }
}
