//! Texts of the list of apps.

use super::group_thousands;

texts! {
    AppsTexts {
        title = "アプリ", "Apps";
        lead = "通知を送るサイトごとに、アプリを一つ作ります。",
            "One app for each site that sends notifications.";
        subscribers = "有効な購読者", "Active subscribers";
        month = "今月の宛先数", "Recipients this month";
        created = "作成", "Created";
        empty_title = "まだ鳩小屋は空です", "The loft is still empty";
        empty_text = "最初のアプリに名前をつけましょう。サイトの名前がわかりやすいでしょう。",
            "Give your first app a name. The name of your site is a good one.";
        create_title = "新しいアプリ", "New app";
        name = "アプリの名前", "Name of the app";
        name_hint = "100 文字まで。例：わたしのブログ",
            "Up to 100 characters, for example: My blog";
        create = "アプリを作る", "Create app";
        full = "いまのプランでは、アプリは一つまでです。", "Your plan allows one app.";
        plan = "プラン", "Plan";
        usage = "今月の宛先数", "Recipients this month";
        /// What stands before and after the time when the count starts anew.
        resets: [&'static str; 2] = ["", " にリセットされます"], ["Resets on ", ""];
        of_limit: fn(i64, i64) -> String = |used, limit| format!("{} / {}", group_thousands(used), group_thousands(limit)),
            |used, limit| format!("{} of {}", group_thousands(used), group_thousands(limit));
        unlimited = "上限なし", "No limit";
        nearly = "上限の 80% を超えました", "More than 80% of the limit";
        reached = "上限に達しました", "Limit reached";
        deleted = "アプリを削除しました。", "The app was deleted.";
    }
}
