//! Texts of the login pages: registering and logging in.

texts! {
    AuthTexts {
        register_title = "新規登録", "Sign up";
        register_lead = "必要なのは、メールアドレスとパスワードだけです。",
            "An email address and a password are all it takes.";
        register = "登録して始める", "Create account";
        registered = "登録済みの方はログイン", "Already registered? Log in";
        closed = "このサーバーでは新規登録を受け付けていません。アカウントについては運営者にお問い合わせください。",
            "Sign-up is closed on this server. Ask whoever runs it for an account.";
        log_in_title = "ログイン", "Log in";
        log_in_lead = "おかえりなさい。", "Welcome back.";
        log_in = "ログイン", "Log in";
        github = "GitHub で続ける", "Continue with GitHub";
        newcomer = "はじめての方は新規登録", "New here? Sign up";
        log_in_first = "続けるにはログインしてください。", "Please log in to continue.";
        email = "メールアドレス", "Email address";
        password = "パスワード", "Password";
        password_hint = "8 文字以上、128 文字まで", "8 to 128 characters";
        forgotten = "パスワードを忘れたときは、このサーバーの運営者に再設定を依頼してください。",
            "Forgot your password? Ask whoever runs this server to set a new one.";
    }
}
