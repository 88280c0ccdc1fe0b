//! The reference of the API as people read it.

use std::collections::BTreeSet;

use hato_testkit::TestDatabase;
use http::Method;

use crate::fixtures::{send, server};

/// What the reference says in the language of who asks, without its examples.
async fn reference(language: &str) -> String {
    let server = server(TestDatabase::sqlite().await).await;
    let asked = [("accept-language", language)];
    let page = send(&server.client(), Method::GET, "/docs/api", &asked, "").await;
    let page = page.text();
    let (_, reference) = page.split_once("<section class=\"reference\"").expect("it");
    let (reference, _) = reference.split_once("</main>").expect("its end");
    let parts = reference.split("<pre");
    let without_examples = parts.map(|part| part.split_once("</pre>").map_or(part, |it| it.1));
    without_examples.collect()
}

/// A description that is new needs its Japanese in `app/src/i18n/reference`.
#[tokio::test]
async fn the_reference_page_speaks_one_language() {
    let japanese = reference("ja").await;
    let english: Vec<_> = japanese.split("lang=\"en\">").skip(1).collect();
    let english: BTreeSet<_> = english
        .iter()
        .filter_map(|it| it.split('<').next())
        .collect();
    assert_eq!(english, BTreeSet::new(), "no Japanese for these");
    let is_kana = |it: char| ('\u{3041}'..='\u{30ff}').contains(&it);
    let english = reference("en").await;
    assert_eq!(english.split('<').find(|text| text.contains(is_kana)), None);
}
