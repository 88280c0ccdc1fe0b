//! Texts of an app's settings.

texts! {
    SettingsTexts {
        name_title = "アプリの名前", "Name";
        name = "名前", "Name of the app";
        name_hint = "100 文字まで。購読者には表示されません。",
            "Up to 100 characters. Subscribers do not see it.";
        rename = "名前を変更", "Rename";
        renamed = "名前を変更しました。", "The app was renamed.";
        messages_title = "通知", "Notifications";
        site_url = "サイトのアドレス", "Site address";
        site_url_hint = "https:// で始まるアドレス。URL のない宣言的な通知のクリックで開きます。空欄で消去します。",
            "It starts with https:// and opens on a click on a declarative notification without a URL. Leave empty to clear it.";
        declarative = "Apple の端末には宣言的な通知を送る", "Send declarative notifications to Apple devices";
        declarative_hint = "サービスワーカーが動かなくても表示されます。サイトのアドレスが必要です。",
            "Shown even when the service worker does not run. Needs the site address.";
        tracking = "測定", "Measurement";
        tracking_off = "しない", "None";
        tracking_counts = "表示・クリック・消去の数だけを数える（誰のものかは記録しません）",
            "Count displays, clicks and dismissals, without recording whose they are";
        save_messages = "保存", "Save";
        messages_saved = "通知の設定を保存しました。", "The settings were saved.";
        facts = "識別子と公開鍵", "Identifier and public key";
        id = "アプリ ID", "App ID";
        public_key = "VAPID 公開鍵", "VAPID public key";
        public_key_text = "ブラウザが購読を作るときに使う鍵です。公開してかまいません。埋め込みコードは自動で取得します。",
            "Browsers subscribe with this key. It may be public, and the embed code fetches it by itself.";
        delete_title = "アプリの削除", "Delete the app";
        delete_text = "購読者、キー、送信履歴もすべて削除され、待機中の送信は中止されます。元に戻すことはできません。",
            "This deletes its subscribers, keys and history, and cancels sends that are still queued. This cannot be undone.";
        delete_open = "このアプリを削除する", "Delete this app";
        type_name: fn(&str) -> String = |name| format!("確認のため「{name}」と入力してください"),
            |name| format!("Type “{name}” to confirm");
        delete = "アプリを削除する", "Delete the app";
    }
}
