//! Texts of the embed snippets.

/// Texts of the embed snippet.
pub struct EmbedTexts {
    /// The headline.
    pub title: &'static str,
    /// Introduces the snippets while they hold a placeholder.
    pub lead: &'static str,
    /// Introduces them when they hold the new key.
    pub filled: &'static str,
    /// Makes the key for them.
    pub make_key: &'static str,
    /// The name of that key.
    pub key_name: &'static str,
    /// Introduces the page's part.
    pub page: &'static str,
    /// Introduces the worker's part.
    pub worker: &'static str,
    /// Introduces the bell.
    pub bell: &'static str,
    /// The snippet's button.
    pub button: &'static str,
    /// Introduces the call from a server.
    pub server: &'static str,
    /// The body of that call's notification.
    pub sample: &'static str,
    /// What a strict page must allow.
    pub policy: &'static str,
    /// Says that the page's scripts stay as they are, before the folder that they are in.
    pub pinned: &'static str,
    /// Warns that the page's scripts are no release and will change, before their folder.
    pub unreleased: &'static str,
}

/// Japanese.
pub const JA: EmbedTexts = EmbedTexts {
    title: "サイトに埋め込む",
    lead: "購読専用キーを作ると、そのまま貼れるコードを一度だけ表示します。",
    filled: "新しいキーを入れてあります。このまま貼り付けられます。",
    make_key: "このコード用のキーを作る",
    key_name: "埋め込み",
    page: "1. ページに貼る",
    worker: "2. /hato-sw.js という名前でサイトの直下に置く",
    bell: "ボタンの代わりに、ベルを置くこともできます",
    button: "通知を受け取る",
    server: "サーバーから送る（notify 以上のキー）",
    sample: "最初の一通です",
    policy: "Content-Security-Policy を使っているサイトでは、script-src と connect-src にこのサーバーを、script-src に 'wasm-unsafe-eval' を加えてください。",
    pinned: "ページのスクリプトは版を固定し、integrity の値で検証します。この版はいつまでも変わりません：",
    unreleased: "ページのスクリプトは integrity の値で検証します。この版はまだリリースされていません。サーバーを更新したら、コードを貼り直してください：",
};

/// English.
pub const EN: EmbedTexts = EmbedTexts {
    title: "Put it on your site",
    lead: "Make a key that can only subscribe, and the code is shown once, ready to paste.",
    filled: "Your new key is filled in. Paste it as it is.",
    make_key: "Make the key for this snippet",
    key_name: "Embed",
    page: "1. Paste this into your page",
    worker: "2. Put this at the root of your site as /hato-sw.js",
    bell: "Instead of the button: a bell",
    button: "Get notifications",
    server: "Send from your server (a key with notify or full)",
    sample: "The first one takes flight",
    policy: "If your site has a Content-Security-Policy, add this server to script-src and connect-src, and 'wasm-unsafe-eval' to script-src.",
    pinned: "The page's scripts are pinned to a version and verified by their integrity values. This version never changes:",
    unreleased: "The page's scripts are verified by their integrity values. This version is not released yet: paste the code again after each update of the server:",
};
