//! Texts of the API keys and of what happened to them.

use hato_domain::Scope;
use hato_service::ports::KeyEventKind;

/// Texts of the API keys.
pub struct KeysTexts {
    /// Below the headline.
    pub lead: &'static str,
    /// Headline when there is none.
    pub empty_title: &'static str,
    /// Below it.
    pub empty: &'static str,
    /// Headline of the list.
    pub list: &'static str,
    /// Headline of the form.
    pub create_title: &'static str,
    /// Labels the name.
    pub name: &'static str,
    /// Labels the scope.
    pub scope: &'static str,
    /// When it was made.
    pub created: &'static str,
    /// When it was last used.
    pub last_used: &'static str,
    /// It never was.
    pub never: &'static str,
    /// The form's button.
    pub create: &'static str,
    /// Headline above a raw key.
    pub new_title: &'static str,
    /// Says that it is shown this once.
    pub new_warning: &'static str,
    /// A raw key that belongs on a server.
    pub new_secret: &'static str,
    /// What `subscribe_only` is for.
    pub subscribe_only: &'static str,
    /// What `notify` is for.
    pub notify: &'static str,
    /// What `full` is for.
    pub full: &'static str,
    /// Opens the question.
    pub delete: &'static str,
    /// Asks it.
    pub delete_text: &'static str,
    /// Deletes.
    pub delete_now: &'static str,
    /// Says that it is deleted.
    pub deleted: &'static str,
    /// Leads to what happened to keys, and heads it.
    pub events: &'static str,
    /// Below that headline.
    pub events_lead: &'static str,
    /// When it happened, in UTC.
    pub time: &'static str,
    /// What happened.
    pub event: &'static str,
    /// A key was made.
    pub was_created: &'static str,
    /// A key was deleted.
    pub was_deleted: &'static str,
    /// Who did it.
    pub by: &'static str,
    /// Headline when nothing has happened.
    pub no_events: &'static str,
}

impl KeysTexts {
    /// What a scope is for.
    pub const fn purpose(&self, scope: Scope) -> &'static str {
        match scope {
            Scope::SubscribeOnly => self.subscribe_only,
            Scope::Notify => self.notify,
            Scope::Full => self.full,
        }
    }

    /// What happened to a key.
    pub const fn happened(&self, event: KeyEventKind) -> &'static str {
        match event {
            KeyEventKind::Created => self.was_created,
            KeyEventKind::Deleted => self.was_deleted,
        }
    }
}

/// Japanese.
pub const JA: KeysTexts = KeysTexts {
    lead: "プログラムが Hato を使うための鍵です。保存するのはハッシュだけなので、キーそのものは作成時にしか表示できません。",
    empty_title: "まだキーはありません",
    empty: "ページ用には subscribe_only、サーバー用には notify のキーを作りましょう。",
    list: "いまあるキー",
    create_title: "新しいキー",
    name: "キーの名前",
    scope: "権限",
    created: "作成（UTC）",
    last_used: "最終使用（UTC）",
    never: "未使用",
    create: "キーを作る",
    new_title: "新しいキーができました",
    new_warning: "このキーはいまだけ表示されます。ページを離れる前に控えてください。",
    new_secret: "このキーは通知を送れます。公開されるページやリポジトリには置かないでください。",
    subscribe_only: "購読と解除だけ。ページに埋め込めます",
    notify: "送信もできる。サーバー用",
    full: "このアプリのすべて。管理用",
    delete: "削除",
    delete_text: "すぐに使えなくなり、元に戻せません。このキーを使っているページやプログラムは動かなくなります。",
    delete_now: "キーを削除する",
    deleted: "キーを削除しました。",
    events: "キーの履歴",
    events_lead: "キーの作成と削除の記録です。アプリを削除するまで残ります。",
    time: "日時（UTC）",
    event: "できごと",
    was_created: "作成",
    was_deleted: "削除",
    by: "操作した人",
    no_events: "まだ記録はありません",
};

/// English.
pub const EN: KeysTexts = KeysTexts {
    lead: "Programs use Hato with a key. Only hashes are stored, so a key itself is shown when it is made and never again.",
    empty_title: "There is no key yet",
    empty: "Make one with subscribe_only for your pages and one with notify for your server.",
    list: "Your keys",
    create_title: "New key",
    name: "Name of the key",
    scope: "Scope",
    created: "Made (UTC)",
    last_used: "Last used (UTC)",
    never: "Never",
    create: "Make key",
    new_title: "Your new key",
    new_warning: "This key is shown only now. Keep it somewhere safe before you leave this page.",
    new_secret: "This key can send. Keep it out of public pages and repositories.",
    subscribe_only: "Subscribe and unsubscribe, safe in a page",
    notify: "Send too, for your server",
    full: "Everything of this app, for management",
    delete: "Delete",
    delete_text: "It stops working at once and cannot be restored. Pages and programs that use it will fail.",
    delete_now: "Delete the key",
    deleted: "The key is deleted.",
    events: "Key history",
    events_lead: "When keys were made and deleted. It is kept as long as the app.",
    time: "Time (UTC)",
    event: "Event",
    was_created: "Made",
    was_deleted: "Deleted",
    by: "By",
    no_events: "Nothing has happened yet",
};
