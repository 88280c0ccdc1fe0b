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
        lead = "すべてのエンドポイント、例、エラーコード。",
            "Every endpoint, with examples and error codes.";
        document = "OpenAPI 3.1 ドキュメント", "OpenAPI 3.1 document";
        contents = "エンドポイント", "Endpoints";
        parameters = "パラメーター", "Parameters";
        request = "リクエスト", "Request";
        responses = "レスポンス", "Responses";
        errors = "エラー", "Errors";
        required = "必須", "required";
        schemas = "スキーマ", "Schemas";
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
