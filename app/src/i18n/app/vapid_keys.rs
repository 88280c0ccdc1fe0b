//! Texts of an app's VAPID keys.

texts! {
    VapidKeysTexts {
        title = "VAPID 鍵", "VAPID keys";
        lead = "配信に署名する鍵です。購読は作られたときの鍵に結びついているので、その鍵で署名した通知だけが届きます。",
            "These keys sign deliveries. A subscription is bound to the key it was created with, and only notifications signed with that key arrive.";
        list = "いまある鍵", "Your VAPID keys";
        public_key = "公開鍵", "Public key";
        state = "状態", "State";
        primary = "既定の鍵", "Primary";
        other = "以前の購読用", "For earlier subscriptions";
        subscribers = "有効な購読", "Active subscriptions";
        created = "作成", "Created";
        actions = "操作", "Actions";
        make_primary = "既定の鍵にする", "Make primary";
        made_primary = "既定の鍵を変更しました。ほかの鍵で購読した訪問者は、次の訪問のときに、許可を求められることなく移ります。",
            "The primary key was changed. Visitors who subscribed with another one move to it on their next visit, without being asked.";
        make_title = "新しい鍵", "New key";
        make_text = "鍵を作っても、既定の鍵にするまでは何も変わりません。",
            "A new key changes nothing until you make it the primary one.";
        make = "鍵を作る", "Create a key";
        import_title = "鍵の取り込み", "Import a key";
        import_text = "ほかのサービスから移るときは、そこで使っていた秘密鍵を取り込むと、購読者をそのまま引き継げます。",
            "Coming from another service? Import its private key, and its subscribers come along.";
        private_key = "秘密鍵", "Private key";
        private_key_hint = "32 バイトの base64url、JWK、または PEM。暗号化して保存します。",
            "32 bytes as base64url, a JWK, or PEM. It is stored encrypted.";
        import = "取り込む", "Import";
        added = "鍵を追加しました。", "The key was added.";
        export = "書き出す", "Export";
        export_text = "秘密鍵があれば、ほかのサービスからこの購読者に送れます。渡す相手に気をつけてください。",
            "Whoever has the private key can send to these subscribers from elsewhere. Be careful who you give it to.";
        confirmation = "パスワード（ない場合はメールアドレス）", "Password (or email address, if you have no password)";
        export_now = "秘密鍵を表示する", "Show the private key";
        exported_title = "秘密鍵", "The private key";
        exported_warning = "この鍵はいまだけ表示されます。ページを離れる前に控えてください。",
            "This key is shown only now. Keep it somewhere safe before you leave this page.";
        pem = "PEM（PKCS #8）", "PEM (PKCS #8)";
        delete = "削除", "Delete";
        delete_text = "この鍵の購読は残っていません。元に戻すには、秘密鍵をもう一度取り込む必要があります。",
            "No subscription uses this key any more. To get it back, you would need to import its private key.";
        delete_now = "鍵を削除する", "Delete the key";
        deleted = "鍵を削除しました。", "The key was deleted.";
    }
}
