//! What surrounds every page, and the pages for what went wrong.

use super::group_thousands;

texts! {
    SiteTexts {
        /// The product in one line, for titles and search engines.
        tagline = "ブラウザへ、まっすぐ届くプッシュ通知",
            "Push notifications that fly straight to the browser";
        skip = "本文へ移動", "Skip to content";
        navigation = "メイン", "Main";
        apps = "アプリ", "Apps";
        pricing = "料金", "Pricing";
        reference = "API", "API";
        log_in = "ログイン", "Log in";
        register = "新規登録", "Sign up";
        account = "アカウント", "Account";
        log_out = "ログアウト", "Log out";
        language = "言語", "Language";
        theme = "配色", "Theme";
        theme_system = "自動", "System";
        theme_light = "ライト", "Light";
        theme_dark = "ダーク", "Dark";
        footer = "鳩は、手紙を届けて帰ってくる。", "A carrier pigeon delivers, and comes back.";
        not_found_title = "この便は宛先不明です", "Return to sender";
        not_found_text = "お探しのページは見つかりませんでした。移動または削除されたか、表示する権限がない可能性があります。",
            "There is no page at this address. It may have moved or been deleted, or it is not yours to see.";
        failed_title = "うまくいきませんでした", "Something went wrong";
        home = "トップへ戻る", "Back to the home page";
        back_to_form = "フォームへ戻る", "Back to the form";
        /// Stands before an error's code.
        code = "エラーコード", "Error code";
        upgrade = "プランを見る", "See the plans";
        copy = "コピー", "Copy";
        copied = "コピーしました", "Copied";
        /// The text is selected, because the browser lets only its user copy it.
        selected = "選択しました", "Selected";
        /// Said below a field that must not be empty, and below one whose text is not what it asks for.
        field_empty = "入力してください。", "Please fill this in.";
        field_email = "メールアドレスの形で入力してください。例：name@example.com",
            "Enter an email address, such as name@example.com.";
        field_url = "https:// で始まる URL を入力してください。", "Enter a URL that starts with https://.";
        field_number: fn(u32, u32) -> String =
            |smallest, largest| format!(
                "{}〜{} の整数を入力してください。",
                group_thousands(smallest.into()),
                group_thousands(largest.into())
            ),
            |smallest, largest| format!(
                "Enter a whole number from {} to {}.",
                group_thousands(smallest.into()),
                group_thousands(largest.into())
            );
        field_password = "8 文字以上、128 文字までで入力してください。", "Enter 8 to 128 characters.";
        /// The button beside a password that shows what is typed, and what assistive technology calls it.
        show = "表示", "Show";
        show_password = "表示：パスワード", "Show password";
        /// Said of a form that was filled in before the login.
        unsent = "ログインの前に入力した内容です。まだ送信されていません。",
            "This is what you entered before you logged in. It has not been submitted yet.";
    }
}
