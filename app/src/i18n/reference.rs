//! Texts of the reference of the API: the page's own, and those of the document in Japanese.

mod more_schemas;
mod operations;
mod schemas;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::language::Lang;

texts! {
    ReferenceTexts {
        title = "API リファレンス", "API reference";
        lead = "すべてのエンドポイントと、そのまま動く例。",
            "Every endpoint, with examples that run as they are.";
        /// The index of all pages.
        contents = "目次", "Contents";
        overview = "概要", "Overview";
        /// Before the choice of the language of the examples.
        samples = "例の言語", "Examples in";
        /// What assistive technology calls an endpoint's example in a language.
        sample: fn(&str, &str) -> String =
            |summary, language| format!("{summary}（{language}）"), |summary, language| format!("{summary} ({language})");
        /// The same for the example of a response.
        response: fn(&str) -> String =
            |summary| format!("{summary}（応答の例）"), |summary| format!("{summary} (response)");
        parameters = "パラメーター", "Parameters";
        request = "リクエストの本文", "Request body";
        responses = "応答", "Responses";
        errors = "エラー", "Errors";
        required = "必須", "required";
        /// Where a parameter stands.
        in_path = "パス", "path";
        in_query = "クエリ", "query";
        in_header = "ヘッダー", "header";
        schemas = "オブジェクト", "Objects";
        /// Before and after what an array has.
        array: [&'static str; 2] = ["", " の配列"], ["array of ", ""];
        not_empty = "空でない", "not empty";
        characters: fn(&str) -> String = |count| format!("{count} 文字"), |count| format!("{count} characters");
        items: fn(&str) -> String = |count| format!("{count} 個"), |count| format!("{count} items");
        default = "既定値", "default";
        basics = "リクエストと応答", "Requests and responses";
        about_basics =
            "JSON を HTTP で送り、JSON を受け取ります。知らない項目は無視し、`null` と空文字列はないものとみなします。時刻は Unix ミリ秒です。どの応答にも `x-request-id` があります。",
            "JSON over HTTP. Unknown members are ignored, `null` and the empty string count as absent, and times are Unix milliseconds. Every answer carries `x-request-id`.";
        base_url = "サーバーのアドレス", "The server's address";
        /// The document that programs read.
        document = "OpenAPI 3.1 ドキュメント", "OpenAPI 3.1 document";
        about_document = "クライアントを生成するプログラムのための、同じ内容です。", "The same for programs that generate clients.";
        credentials = "資格情報", "Credentials";
        api_key = "API キー", "API key";
        about_api_key =
            "`Authorization: Bearer pk_…`。1 つのアプリのためのもので、`subscribe_only` はブラウザを登録し、`notify` はさらに送信し、`full` はさらにアプリを管理します。",
            "`Authorization: Bearer pk_…`, for one app. The scope `subscribe_only` registers browsers, `notify` also sends, and `full` also manages the app.";
        session = "セッション", "Session";
        about_session =
            "`POST /auth/login` の `session_token` を、同じヘッダーで送ります。アカウントのすべてのアプリを扱えます。",
            "The `session_token` of `POST /auth/login` in the same header, for all apps of the account.";
        running = "例を動かす", "Running the examples";
        about_running =
            "例はそのまま動き、ほかに何も入れる必要はありません。Node は 18 以降で `.mjs` のファイルとして、Python は 3.8 以降で動かします。値は環境変数から受け取ります。",
            "The examples run as they are and need nothing installed: Node 18 or later, in a file `.mjs`, and Python 3.8 or later. They take from the environment:";
        key_variable = "API キー。", "An API key.";
        session_variable = "セッションのトークン。", "The token of a session.";
        other_variables = "パスが示すものの ID。", "The ids of what the path names.";
        endpoints = "エンドポイント", "Endpoints";
        about_errors =
            "失敗した応答には、人のための文 `error`（日本語）と、プログラムが見分けるための `code` があります。",
            "A failure has a sentence for people, `error` in Japanese, and a `code` for programs to branch on.";
    }
}

/// The Japanese texts by the English ones.
static JAPANESE: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let all = [operations::TEXTS, schemas::TEXTS, more_schemas::TEXTS];
    all.concat().into_iter().collect()
});

/// A text of the document in a language, and in which it is: English where there is no Japanese one.
pub fn described(lang: Lang, english: &str) -> (Lang, String) {
    let text = without_references(english);
    if lang == Lang::En || text.is_empty() {
        return (lang, text);
    }
    match JAPANESE.get(&*text) {
        Some(japanese) => (lang, (*japanese).to_owned()),
        None => (Lang::En, text),
    }
}

/// The text on one line, without the sections of the specification that it names between parentheses.
fn without_references(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once(" (") {
        kept.push_str(before);
        rest = match inside.split_once(')') {
            Some((reference, after)) if is_reference(reference) => after,
            _ => {
                kept.push_str(" (");
                inside
            }
        };
    }
    kept.push_str(rest);
    kept.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_reference(text: &str) -> bool {
    text.starts_with("SPEC ") || text.starts_with("CONTRACT ")
}

#[cfg(test)]
mod tests {
    use super::{described, without_references};
    use crate::language::Lang;

    #[test]
    fn sections_of_the_specification_are_left_out() {
        for (text, kept) in [
            ("A key\npair (SPEC 2.6, CONTRACT 16).", "A key pair."),
            (
                "A mark (CONTRACT 16). Another (RFC 8292).",
                "A mark. Another (RFC 8292).",
            ),
            ("An (open", "An (open"),
        ] {
            assert_eq!(without_references(text), kept);
        }
    }

    #[test]
    fn what_has_no_japanese_stays_english() {
        assert_eq!(
            described(Lang::Ja, "The app."),
            (Lang::Ja, "アプリ。".to_owned())
        );
        assert_eq!(described(Lang::En, "The app.").1, "The app.");
        assert_eq!(described(Lang::Ja, "New.").0, Lang::En);
    }
}
