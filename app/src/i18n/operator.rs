//! Texts of the operator's page.

texts! {
    OperatorTexts {
        title = "アカウントとプラン", "Accounts and plans";
        lead = "このサーバーのすべてのアカウントです。ここでできるのは hato-server admin のコマンドと同じことで、行ったことはサーバーのログに残ります。",
            "Every account of this server. What you do here is what the commands of hato-server admin do, and the server's log keeps it.";
        email = "メールアドレス", "Email address";
        plan = "プラン", "Plan";
        since = "登録日", "Member since";
        apps = "アプリ", "Apps";
        recipients = "今月の宛先数", "Recipients this month";
        actions = "操作", "Actions";
        operator = "運営者", "Operator";
        to_pro = "Pro にする", "Change to Pro";
        to_free = "Free にする", "Change to Free";
        set_password = "パスワードを設定する", "Set the password";
        set_password_text = "このアカウントは、すべてのブラウザからログアウトされます。",
            "The account is logged out of every browser.";
        new_password = "新しいパスワード", "New password";
        your_password = "あなた自身のパスワード（GitHub だけでログインしているなら、あなたのメールアドレス）",
            "Your own password (or your email address, if you log in through GitHub alone)";
        create_title = "アカウントを作る", "Make an account";
        create_text = "新規登録を受け付けていないサーバーでも作れます。",
            "Also where the server takes no registrations.";
        password = "パスワード", "Password";
        create = "作る", "Make it";
        plan_set = "プランを変更しました。次のリクエストから有効です。",
            "The plan is changed, from the next request on.";
        password_set = "パスワードを設定しました。", "The password is set.";
        created = "アカウントを作りました。", "The account is made.";
        more = "次の 50 件", "The next 50";
        first = "最初から", "From the start";
    }
}

impl OperatorTexts {
    /// What forms have done, by its word in the page's address.
    pub const fn done(&self) -> [(&'static str, &'static str); 3] {
        [
            ("plan", self.plan_set),
            ("password", self.password_set),
            ("created", self.created),
        ]
    }
}
