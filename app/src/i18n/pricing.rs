//! Texts of the pricing page.

texts! {
    PricingTexts {
        title = "料金", "Pricing";
        lead = "小さく始めて、読者が増えたら翼を広げてください。",
            "Start small. Spread your wings when your readers do.";
        free_text = "個人のサイトや、はじめての一通に。",
            "For your own site and your first notification.";
        free_price = "0 円", "¥0";
        pro_text = "育ったサイトと、いくつものアプリに。", "For growing sites and several apps.";
        pro_price = "お問い合わせ", "On request";
        pro_how = "Pro プランへの変更は、このサーバーの運営者にご連絡ください。",
            "To change to Pro, ask whoever runs this server.";
        own_server = "ご自身でサーバーを運営しているなら、サーバーのコンピューターで次のコマンドを実行します。",
            "If you run the server yourself, run this on its machine:";
        /// What a command takes in the place of an address that nobody knows.
        your_email = "あなたのメールアドレス", "YOUR_EMAIL";
        operate = "アカウントとプランの一覧で変更できます。", "Change it in the list of accounts and plans.";
        apps = "アプリ", "Apps";
        subscribers = "有効な購読者（アプリごと）", "Active subscribers per app";
        sends = "宛先数（月あたり）", "Recipients per month";
        payload = "1 通のサイズ", "Size of a notification";
        webhook = "配信結果の Webhook", "Webhook for delivery results";
        unlimited = "無制限", "Unlimited";
        yes = "あり", "Yes";
        no = "なし", "No";
        both = "暗号化、再送、履歴、API は、どのプランでも使えます。",
            "Encryption, retries, history and the API come with every plan.";
        start = "無料で始める", "Start for free";
    }
}
