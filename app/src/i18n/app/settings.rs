//! Texts of an app's settings.

/// Texts of an app's settings.
pub struct SettingsTexts {
    /// Headline of the name.
    pub name_title: &'static str,
    /// Labels the name.
    pub name: &'static str,
    /// What a name may be.
    pub name_hint: &'static str,
    /// Saves it.
    pub rename: &'static str,
    /// Says that it is saved.
    pub renamed: &'static str,
    /// Headline of what identifies the app.
    pub facts: &'static str,
    /// The app's identifier.
    pub id: &'static str,
    /// The public key.
    pub public_key: &'static str,
    /// What it is for.
    pub public_key_text: &'static str,
    /// Headline of the app's end.
    pub delete_title: &'static str,
    /// What goes with it.
    pub delete_text: &'static str,
    /// Opens the form.
    pub delete_open: &'static str,
    /// Labels the name typed for confirmation.
    pub type_name: fn(&str) -> String,
    /// Deletes.
    pub delete: &'static str,
}

/// Japanese.
pub const JA: SettingsTexts = SettingsTexts {
    name_title: "アプリの名前",
    name: "名前",
    name_hint: "100 文字まで。購読者には表示されません。",
    rename: "名前を変更",
    renamed: "名前を変更しました。",
    facts: "識別子と公開鍵",
    id: "アプリ ID",
    public_key: "VAPID 公開鍵",
    public_key_text: "ブラウザが購読を作るときに使う鍵です。公開してかまいません。埋め込みコードは自動で取得します。",
    delete_title: "アプリの削除",
    delete_text: "購読者、キー、送信履歴もすべて削除され、待機中の送信は中止されます。元に戻すことはできません。",
    delete_open: "このアプリを削除する",
    type_name: |name| format!("確認のため「{name}」と入力してください"),
    delete: "アプリを削除する",
};

/// English.
pub const EN: SettingsTexts = SettingsTexts {
    name_title: "Name",
    name: "Name of the app",
    name_hint: "Up to 100 characters. Subscribers do not see it.",
    rename: "Rename",
    renamed: "The app has its new name.",
    facts: "Identifier and public key",
    id: "App ID",
    public_key: "VAPID public key",
    public_key_text: "Browsers subscribe with this key. It may be public, and the embed code fetches it by itself.",
    delete_title: "Delete the app",
    delete_text: "Its subscribers, keys and history go with it, and what is still queued is not sent. This cannot be undone.",
    delete_open: "Delete this app",
    type_name: |name| format!("Type “{name}” to confirm"),
    delete: "Delete the app",
};
