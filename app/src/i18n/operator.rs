//! Texts of the operator's page.

texts! {
    OperatorTexts {
        title = "アカウントとプラン", "Accounts and plans";
        lead = "このサーバーのすべてのアカウントです。プランの変更、パスワードの設定、アカウントの作成ができます。変更はすべてサーバーのログに残ります。",
            "All accounts on this server. You can change their plans, set their passwords and create new accounts. Every change is written to the server's log.";
        made_where = "運営者を増やすときは、サーバーで次のコマンドを実行します（--undo をつけると取り消し）。",
            "Operators are made on the server itself, with this command (and unmade with --undo).";
        email = "メールアドレス", "Email address";
        plan = "プラン", "Plan";
        since = "登録日", "Member since";
        apps = "アプリ", "Apps";
        recipients = "今月の宛先数", "Recipients this month";
        actions = "操作", "Actions";
        operator = "運営者", "Operator";
        to_pro = "Pro にする", "Change to Pro";
        to_free = "Free にする", "Change to Free";
        set_password = "パスワードを設定する", "Set a password";
        set_password_text = "設定すると、このアカウントはすべてのブラウザからログアウトされます。",
            "This logs the account out of every browser.";
        new_password = "新しいパスワード", "New password";
        your_password = "あなた自身のパスワード（GitHub だけでログインしているなら、あなたのメールアドレス）",
            "Your own password (or your email address, if you log in only through GitHub)";
        create_title = "アカウントを作成する", "Create an account";
        create_text = "新規登録を受け付けていないサーバーでも作成できます。",
            "Works even when sign-up is closed.";
        password = "パスワード", "Password";
        create = "作成する", "Create account";
        plan_set = "プランを変更しました。次のリクエストから有効です。",
            "The plan was changed. It takes effect with the next request.";
        password_set = "パスワードを設定しました。", "The password was set.";
        created = "アカウントを作成しました。", "The account was created.";
        more = "次の 50 件", "The next 50";
        first = "最初に戻る", "Start over";
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
