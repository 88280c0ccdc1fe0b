//! Texts of the account's page.

texts! {
    AccountTexts {
        title = "アカウント", "Account";
        email = "メールアドレス", "Email address";
        plan = "プラン", "Plan";
        since = "登録日", "Member since";
        operate = "すべてのアカウントとプランを管理する", "Manage all accounts and plans";
        password_title = "パスワード", "Password";
        password_text = "変更すると、ほかのブラウザはすべてログアウトされます。",
            "Changing it logs out every other browser.";
        no_password = "いまは GitHub でログインしています。パスワードを設定すると、メールアドレスでもログインできます。",
            "You log in through GitHub. Set a password to log in with your email address as well.";
        current = "いまのパスワード", "Current password";
        new = "新しいパスワード", "New password";
        change = "パスワードを変更", "Change password";
        changed = "パスワードを変更しました。ほかのブラウザはログアウトされています。",
            "Your password was changed. Every other browser was logged out.";
        sessions_title = "ログイン中のブラウザ", "Logged-in browsers";
        sessions_text = "最後に使ってから 14 日で、自動的にログアウトします。",
            "A browser is logged out automatically 14 days after its last use.";
        began = "ログイン日時", "Logged in";
        used = "最終使用", "Last used";
        this_one = "このブラウザ", "This browser";
        unknown_browser = "不明なブラウザ", "Unknown browser";
        log_out_everywhere = "すべてのブラウザからログアウト", "Log out everywhere";
        delete_title = "アカウントの削除", "Delete your account";
        delete_text = "アプリ、購読者、キー、送信履歴もすべて削除されます。待機中の送信は中止されます。元に戻すことはできません。",
            "This deletes its apps, subscribers, keys and history, and cancels sends that are still queued. This cannot be undone.";
        type_email = "確認のため、メールアドレスを入力してください",
            "Type your email address to confirm";
        delete_open = "アカウントを削除する", "Delete my account";
        delete = "すべて削除する", "Delete everything";
    }
}
