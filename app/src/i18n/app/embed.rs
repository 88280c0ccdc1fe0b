//! Texts of the embed snippets.

texts! {
    EmbedTexts {
        title = "サイトに埋め込む", "Add it to your site";
        lead = "購読専用キーを作ると、そのまま貼れるコードを一度だけ表示します。",
            "Create a key that can only subscribe; the code is then shown once, ready to paste.";
        filled = "新しいキーを入れてあります。このまま貼り付けられます。",
            "Your new key is filled in. Paste it as it is.";
        make_key = "このコード用のキーを作る", "Create the key for this snippet";
        /// The name of the key that the button makes.
        key_name = "埋め込み", "Embed";
        page = "1. ページに貼る", "1. Paste this into your page";
        worker = "2. /hato-sw.js という名前でサイトの直下に置く",
            "2. Put this at the root of your site as /hato-sw.js";
        bell = "ボタンの代わりに、ベルを置くこともできます", "A bell instead of the button";
        preferences = "話題を選べるようにする", "Let visitors choose what they get";
        preferences_text = "訪問者が選んだ話題はタグになり、選んだ人だけに送れます。",
            "The topics that visitors tick become tags, and you can send to those who have a tag.";
        /// The legend and two choices of an example.
        preferences_sample: [&'static str; 3] = ["お知らせの種類", "焼きあがり", "季節のお菓子"],
            ["News about", "Fresh bread", "Seasonal sweets"];
        users = "ログイン中のユーザーを結びつける", "Link logged-in users";
        users_text = "ログイン中のページでは identify を、ログアウトのときは forget を呼ぶと、ユーザー ID で送れます。userToken はサーバーで作ります。",
            "Call identify on pages where a user is logged in, and forget when they log out; then you can send by user ID. Your server creates userToken.";
        users_guide = "くわしい説明", "How to do it";
        button = "通知を受け取る", "Get notifications";
        server = "サーバーから送る（notify 以上のキー）",
            "Send from your server (a key with notify or full)";
        /// The body of the notification that the call sends.
        sample = "最初の一通です", "The first one takes flight";
        policy = "Content-Security-Policy を使っているサイトでは、script-src と connect-src にこのサーバーを、script-src に 'wasm-unsafe-eval' を加えてください。",
            "If your site has a Content-Security-Policy, add this server to script-src and connect-src, and 'wasm-unsafe-eval' to script-src.";
        /// Stands before the path of the release's folder.
        pinned = "ページのスクリプトはバージョンを固定し、integrity の値で検証します。このバージョンはいつまでも変わりません：",
            "The page's scripts are pinned to a version and verified by their integrity values. This version never changes:";
        unreleased = "ページのスクリプトは integrity の値で検証します。このバージョンはまだリリースされていません。サーバーを更新したら、コードを貼り直してください：",
            "The page's scripts are verified by their integrity values. This version is not released yet: paste the code again after each update of the server:";
    }
}
