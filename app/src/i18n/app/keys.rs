//! Texts of the API keys and of what happened to them.

use hato_domain::Scope;
use hato_service::ports::KeyEventKind;

texts! {
    KeysTexts {
        lead = "プログラムが Hato を使うためのキーです。保存するのはハッシュだけなので、キーは作成時にしか表示できません。",
            "Programs use Hato with a key. Only hashes are stored, so a key is shown once, when it is created.";
        empty_title = "まだキーはありません", "There are no keys yet";
        empty = "ページ用には subscribe_only、サーバー用には notify のキーを作りましょう。",
            "Create one with subscribe_only for your pages and one with notify for your server.";
        list = "いまあるキー", "Your keys";
        create_title = "新しいキー", "New key";
        name = "キーの名前", "Name of the key";
        scope = "権限", "Scope";
        created = "作成", "Created";
        last_used = "最終使用", "Last used";
        never = "未使用", "Never";
        create = "キーを作る", "Create key";
        new_title = "新しいキーができました", "Your new key";
        new_warning = "このキーはいまだけ表示されます。ページを離れる前に控えてください。",
            "This key is shown only now. Store it somewhere safe before you leave this page.";
        new_secret = "このキーは通知を送れます。公開されるページやリポジトリには置かないでください。",
            "This key can send. Keep it out of public pages and repositories.";
        subscribe_only = "購読と解除だけができます（ページに埋め込む用）",
            "Only subscribe and unsubscribe: safe in a page";
        notify = "送信もできます（サーバー用）", "Also send: for your server";
        full = "このアプリのすべてを操作できます（管理用）", "Full access to this app";
        delete = "削除", "Delete";
        delete_text = "すぐに使えなくなり、元に戻せません。このキーを使っているページやプログラムは動かなくなります。",
            "It stops working at once and cannot be restored. Pages and programs that use it will fail.";
        delete_now = "キーを削除する", "Delete the key";
        deleted = "キーを削除しました。", "The key was deleted.";
        events = "キーの履歴", "Key history";
        events_lead = "キーの作成と削除の記録です。アプリを削除するまで残ります。",
            "When keys were created and deleted. Kept as long as the app exists.";
        time = "日時", "Time";
        event = "できごと", "Event";
        was_created = "作成", "Created";
        was_deleted = "削除", "Deleted";
        vapid_created = "VAPID 鍵を作成", "VAPID key created";
        vapid_imported = "VAPID 鍵を取り込み", "VAPID key imported";
        vapid_primary = "VAPID 鍵を既定の鍵に", "VAPID key made primary";
        vapid_exported = "VAPID 鍵を書き出し", "VAPID key exported";
        vapid_deleted = "VAPID 鍵を削除", "VAPID key deleted";
        by = "操作元", "By";
        no_events = "まだ記録はありません", "No events yet";
    }
}

impl KeysTexts {
    /// The sentence that says which programs want a key of this scope.
    pub const fn purpose(&self, scope: Scope) -> &'static str {
        match scope {
            Scope::SubscribeOnly => self.subscribe_only,
            Scope::Notify => self.notify,
            Scope::Full => self.full,
        }
    }

    /// The words for an entry of the keys' history.
    pub const fn happened(&self, event: KeyEventKind) -> &'static str {
        match event {
            KeyEventKind::Created => self.was_created,
            KeyEventKind::Deleted => self.was_deleted,
            KeyEventKind::VapidCreated => self.vapid_created,
            KeyEventKind::VapidImported => self.vapid_imported,
            KeyEventKind::VapidPrimary => self.vapid_primary,
            KeyEventKind::VapidExported => self.vapid_exported,
            KeyEventKind::VapidDeleted => self.vapid_deleted,
        }
    }
}
