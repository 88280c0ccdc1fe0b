//! Texts of an app's settings.

texts! {
    SettingsTexts {
        name_title = "アプリの名前", "Name";
        name = "名前", "Name of the app";
        name_hint = "100 文字まで。購読者には表示されません。",
            "Up to 100 characters. Subscribers do not see it.";
        rename = "名前を変更", "Rename";
        renamed = "名前を変更しました。", "The app has its new name.";
        facts = "識別子と公開鍵", "Identifier and public key";
        id = "アプリ ID", "App ID";
        public_key = "VAPID 公開鍵", "VAPID public key";
        public_key_text = "ブラウザが購読を作るときに使う鍵です。公開してかまいません。埋め込みコードは自動で取得します。",
            "Browsers subscribe with this key. It may be public, and the embed code fetches it by itself.";
        delete_title = "アプリの削除", "Delete the app";
        delete_text = "購読者、キー、送信履歴もすべて削除され、待機中の送信は中止されます。元に戻すことはできません。",
            "Its subscribers, keys and history go with it, and what is still queued is not sent. This cannot be undone.";
        delete_open = "このアプリを削除する", "Delete this app";
        type_name: fn(&str) -> String = |name| format!("確認のため「{name}」と入力してください"),
            |name| format!("Type “{name}” to confirm");
        delete = "アプリを削除する", "Delete the app";
    }
}
