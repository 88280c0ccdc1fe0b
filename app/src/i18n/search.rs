//! Texts of the search for pages, apps, sends and subscribers.

texts! {
    SearchTexts {
        title = "検索", "Search";
        placeholder = "アプリ、ページ、送信、購読者", "Apps, pages, sends, subscribers";
        /// Stands on the page, which has room.
        hint = "アプリとページは名前の一部、送信はタイトル・本文・リンクの一部、購読者はユーザー ID か購読者の ID で探します。アプリのページで開くと、そのアプリの中から探します。",
            "Finds apps and pages by a part of their name, sends by a part of their title, text or link, and subscribers by user ID or subscriber ID. Opened from an app, it finds what is in that app.";
        keys = "↑ ↓ で選び、Enter で開きます。", "Choose with ↑ ↓, open with Enter.";
        find = "探す", "Search";
        results = "検索結果", "Results";
        found: fn(usize) -> String =
            |n| if n == 0 { "見つかりませんでした。".to_owned() } else { format!("{n} 件見つかりました。") },
            |n| match n {
                0 => "Nothing was found.".to_owned(),
                1 => "1 result.".to_owned(),
                n => format!("{n} results."),
            };
        cut_short = "送信の一部は調べていません。古い送信は、送信履歴の検索で見つかります。",
            "Not all sends were looked at: the search in the history goes further back.";
        page = "ページ", "Page";
        app = "アプリ", "App";
        send = "送信", "Send";
        subscriber = "購読者", "Subscriber";
    }
}
