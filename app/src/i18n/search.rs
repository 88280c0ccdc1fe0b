//! Texts of the search for pages, apps, sends and subscribers.

texts! {
    SearchTexts {
        title = "検索", "Search";
        placeholder = "アプリ、ページ、送信、購読者", "Apps, pages, sends, subscribers";
        /// Stands on the page, which has room.
        hint = "名前の一部で探します。アプリのページで開くと、送信履歴と、ユーザー ID か購読者の ID が一致する購読者も見つかります。",
            "Searches for a part of the name. Opened from an app, it also finds the app's sends, and subscribers by user ID or subscriber ID.";
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
        page = "ページ", "Page";
        app = "アプリ", "App";
        send = "送信", "Send";
        subscriber = "購読者", "Subscriber";
    }
}
