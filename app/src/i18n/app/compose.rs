//! Texts of writing a notification.

use super::super::group_thousands;

texts! {
    ComposeTexts {
        lead = "有効な購読者の全員に送ります。送る前に、もう一度確認できます。",
            "It goes to every active subscriber. You can look at it once more before it is sent.";
        heading = "タイトル", "Title";
        body = "本文", "Text";
        url = "リンク先", "Link";
        url_hint = "クリックすると開きます。https:// のみ（任意）",
            "Opens on click. https:// only (optional)";
        more = "アイコンとバッジ", "Icon and badge";
        icon = "アイコンの URL", "URL of the icon";
        badge = "バッジの URL", "URL of the badge";
        https = "https:// のみ（任意）", "https:// only (optional)";
        review = "確認へ進む", "Review";
        review_title = "この内容で送りますか？", "Send it like this?";
        question: fn(i64) -> String =
            |count| match count {
                0 => "まだ購読者がいません。送っても誰にも届きません。".to_owned(),
                _ => format!(
                    "有効な購読者 {} 人に、いますぐ送ります。",
                    group_thousands(count)
                ),
            },
            |count| match count {
                0 => "Nobody has subscribed yet, so nobody will get it.".to_owned(),
                1 => "It goes to 1 active subscriber right away.".to_owned(),
                _ => format!(
                    "It goes to {} active subscribers right away.",
                    group_thousands(count)
                ),
            };
        send = "送信する", "Send now";
        edit = "書き直す", "Change it";
        audience: fn(i64) -> String =
            |count| match count {
                0 => "まだ購読者がいません。送っても誰にも届きません。".to_owned(),
                _ => format!("有効な購読者 {} 人に送ります。", group_thousands(count)),
            },
            |count| match count {
                0 => "Nobody has subscribed yet, so nobody will get it.".to_owned(),
                1 => "It will go to 1 active subscriber.".to_owned(),
                _ => format!(
                    "It will go to {} active subscribers.",
                    group_thousands(count)
                ),
            };
        /// What is left of a limit, the limit, and what the send needs.
        month_left: fn(i64, i64, i64) -> String =
            |left, limit, needed| format!(
                "今月はあと {} 件（上限 {} 件）送れます。この送信で {} 件使います。",
                group_thousands(left),
                group_thousands(limit),
                group_thousands(needed)
            ),
            |left, limit, needed| format!(
                "Left this month: {} of {} recipients. This send needs {}.",
                group_thousands(left),
                group_thousands(limit),
                group_thousands(needed)
            );
        /// The same, where it is too little.
        month_exceeded: fn(i64, i64, i64) -> String =
            |left, limit, needed| format!(
                "今月の残りは {} 件（上限 {} 件）です。この送信には {} 件必要なため、このままでは送れません。",
                group_thousands(left),
                group_thousands(limit),
                group_thousands(needed)
            ),
            |left, limit, needed| format!(
                "Left this month: {} of {} recipients. This send needs {}, so it would be refused.",
                group_thousands(left),
                group_thousands(limit),
                group_thousands(needed)
            );
        size = "大きさ", "Size";
        bytes = "バイト", "bytes";
        preview = "プレビュー", "Preview";
        preview_hint = "実際の見た目は、ブラウザと OS によって少し違います。",
            "Browsers and systems each draw it a little differently.";
        sample_title = "焼きたてです", "Fresh out of the oven";
        sample_body = "クロワッサンが焼きあがりました。", "The croissants are ready.";
        opens = "クリックで開くページ", "Opens on click";
        opens_site = "サイトのトップ", "Your site";
        logged_out = "セッションが終わったため、まだ送っていません。入力した内容は下に残っています。",
            "Your session is over, so nothing was sent yet. What you wrote is still below.";
        log_in = "別のタブでログイン", "Log in in another tab";
        /// Goes on after the link `log_in`.
        then_review = "してから、もう一度確認へ進んでください。", ", then review it again here.";
    }
}
