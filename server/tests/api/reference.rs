//! The reference of the API as people read it.

use std::collections::BTreeSet;

use hato_testkit::TestDatabase;
use hato_testkit::client::Client;
use http::Method;
use serde_json::Value;

use crate::fixtures::{get, send, server};

const OVERVIEW: &str = "/docs/api";

/// The overview and the page of each group, by their paths, in a language.
async fn pages(client: &Client, language: &str) -> Vec<(String, String)> {
    let overview = page(client, OVERVIEW, language).await;
    let links = values(&overview, "href").into_iter();
    let groups = links.filter(|it| it.starts_with("/docs/api/") && !it.contains('#'));
    let groups: Vec<_> = groups.map(str::to_owned).collect();
    let mut pages = vec![(OVERVIEW.to_owned(), overview)];
    for path in groups {
        let page = page(client, &path, language).await;
        pages.push((path, page));
    }
    pages
}

async fn page(client: &Client, path: &str, language: &str) -> String {
    let asked = [("accept-language", language)];
    let page = send(client, Method::GET, path, &asked, "").await;
    assert_eq!(page.status, 200, "{path}: {page}");
    page.text()
}

/// The values of an attribute in a page.
fn values<'p>(page: &'p str, attribute: &str) -> BTreeSet<&'p str> {
    let before = format!(" {attribute}=\"");
    let found = page.split(&before).skip(1);
    found.filter_map(|rest| rest.split('"').next()).collect()
}

/// What a page says in its main part, without its examples.
fn said(page: &str) -> String {
    let (_, main) = page.split_once("<div class=\"reference\"").expect("it");
    let (main, _) = main.split_once("</main>").expect("its end");
    let parts = main.split("<pre");
    parts
        .map(|part| part.split_once("</pre>").map_or(part, |it| it.1))
        .collect()
}

/// What a member that is a boolean does is more than that it is one.
#[tokio::test]
async fn booleans_are_explained() {
    let server = server(TestDatabase::sqlite().await).await;
    for (path, page) in pages(&server.client(), "en").await {
        assert!(!page.contains("Yes or no."), "{path}");
    }
    let document = get(&server.client(), "/api/v1/openapi.json").await.json();
    let notify = &document["components"]["schemas"]["Notify"]["properties"];
    for member in ["renotify", "require_interaction", "silent"] {
        let about = notify[member]["description"].as_str().expect("a sentence");
        assert!(about.starts_with("Whether "), "{member}: {about}");
    }
}

/// A description that is new needs its Japanese in `app/src/i18n/reference`.
#[tokio::test]
async fn each_page_of_the_reference_speaks_one_language() {
    let server = server(TestDatabase::sqlite().await).await;
    for (path, japanese) in pages(&server.client(), "ja").await {
        let japanese = said(&japanese);
        let english = japanese.split("lang=\"en\">").skip(1);
        let english: BTreeSet<_> = english.filter_map(|it| it.split('<').next()).collect();
        assert_eq!(english, BTreeSet::new(), "{path}: no Japanese for these");
    }
    let is_kana = |it: char| ('\u{3041}'..='\u{30ff}').contains(&it);
    for (path, english) in pages(&server.client(), "en").await {
        let found = said(&english);
        let found = found.split('<').find(|text| text.contains(is_kana));
        assert_eq!(found, None, "{path}");
    }
}

#[tokio::test]
async fn every_operation_has_examples_in_three_languages_on_the_page_of_its_group() {
    let server = server(TestDatabase::sqlite().await).await;
    let pages = pages(&server.client(), "en").await;
    let (_, overview) = &pages[0];
    let document = get(&server.client(), "/api/v1/openapi.json").await.json();
    let paths = document["paths"].as_object().expect("paths");
    let operations = paths.iter().flat_map(|(path, item)| {
        let operations = item.as_object().expect("operations").values();
        operations.map(move |operation| (path, operation))
    });
    for (path, operation) in operations {
        let id = operation["operationId"].as_str().expect("a name");
        let anchor = format!(" id=\"{id}\"");
        assert!(overview.contains(&anchor), "the overview has no {id}");
        let has_it = |(_, page): &&(String, String)| page.contains(&anchor);
        let (_, page) = pages[1..].iter().find(has_it).expect(id);
        for language in ["curl", "node", "python"] {
            let example = format!("<code id=\"{id}-{language}\" lang=\"en\">");
            let (_, example) = page.split_once(&example).expect(id);
            let (example, _) = example.split_once("</code>").expect("its end");
            let begin = path.split('{').next().expect("a path");
            assert!(example.contains(begin), "{id}: {example}");
            for member in members_of_the_body(operation) {
                assert!(example.contains(&member), "{id} {member}: {example}");
            }
            assert!(page.contains(&format!("data-copy=\"{id}-{language}\"")));
        }
    }
}

/// The names that an operation's example has in its body.
fn members_of_the_body(operation: &Value) -> Vec<String> {
    let example = &operation["requestBody"]["content"]["application/json"]["example"];
    let members = example.as_object().into_iter().flatten();
    members.map(|(name, _)| name.clone()).collect()
}

#[tokio::test]
async fn every_link_within_the_reference_leads_to_a_place_that_is_there() {
    let server = server(TestDatabase::sqlite().await).await;
    let pages = pages(&server.client(), "ja").await;
    for (path, page) in &pages {
        let places: Vec<_> = page.match_indices(" id=\"").collect();
        assert_eq!(
            places.len(),
            values(page, "id").len(),
            "{path}: an id twice"
        );
        for link in values(page, "href") {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { path } else { file };
            if !file.starts_with(OVERVIEW) {
                continue;
            }
            let (_, target) = pages.iter().find(|(it, _)| it == file).expect(link);
            let is_there = place.is_empty() || values(target, "id").contains(place);
            assert!(is_there, "{path} leads to {link}");
        }
    }
    let lost = get(&server.client(), "/docs/api/none").await;
    assert_eq!(lost.status, 404, "{lost}");
}
