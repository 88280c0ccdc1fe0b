//! The guides below `/docs`: each of `docs/`, rendered when the dashboard was compiled.

#[path = "../../build/guide.rs"]
mod guide;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hato_testkit::TestDatabase;
use http::StatusCode;

use crate::harness::TestDashboard;
use guide::{RenderedPart, render, target};

/// The values of an attribute in a page.
fn values<'p>(page: &'p str, attribute: &str) -> BTreeSet<&'p str> {
    let before = format!(" {attribute}=\"");
    let found = page.match_indices(&before);
    let value = |(at, before): (usize, &str)| page[at + before.len()..].split('"').next();
    found.filter_map(value).collect()
}

/// What the list of guides leads to.
async fn guides(dashboard: &TestDashboard) -> BTreeSet<String> {
    let list = dashboard.browser().get("/docs").await;
    let paths = values(&list.body, "href").into_iter().map(str::to_owned);
    paths.filter(|path| path.starts_with("/docs/")).collect()
}

#[tokio::test]
async fn every_guide_is_listed_and_its_links_lead_to_what_is_there() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let guides = guides(&dashboard).await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guides");
    let files = fs::read_dir(folder).expect("the guides");
    let names = files.map(|file| file.expect("a file").file_name());
    let further = names.map(|name| guide::name(name.to_str().expect("a name")));
    let beside = ["embed", "cli", "mcp", "deploy", "metrics"].map(str::to_owned);
    for name in further.chain(beside) {
        assert!(guides.contains(&format!("/docs/{name}")), "{name}");
    }
    for path in &guides {
        let page = dashboard.browser().get(path).await;
        assert_eq!(page.status, StatusCode::OK, "{path}");
        for link in values(&page.body, "href") {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let file = if file.is_empty() { path } else { file };
            if place.is_empty() || !file.starts_with("/docs/") {
                continue;
            }
            let page = dashboard.browser().get(file).await;
            assert!(
                values(&page.body, "id").contains(place),
                "{path} leads to {link}"
            );
        }
    }
    let lost = dashboard.browser().get("/docs/none").await;
    assert_eq!(lost.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_guide_is_english_and_says_so_to_who_reads_japanese() {
    let dashboard = TestDashboard::start(TestDatabase::sqlite().await).await;
    let mut browser = dashboard.browser();
    let page = browser.get("/docs/embed").await;
    page.shows("<html lang=\"ja\"")
        .shows("<article lang=\"en\" class=\"guide\"")
        .shows("このガイドは英語です。")
        .shows("<h2 id=\"a-plain-html-site\">A plain HTML site</h2>")
        .shows("href=\"/docs/audience#the-token\"")
        .shows("importScripts(\"https://push.example.com/sdk/sw.js\");")
        .shows("data-copy=\"code-")
        .hides("leptos-island")
        .hides("../");
    browser.language = "en";
    browser.get("/docs/embed").await.hides("このガイド");
}

#[test]
fn html_in_a_guide_is_text_and_code_stands_apart() {
    let markdown = "# Title\n\n## One `x`: *two*!\n\n<script>alert(1)</script>\n\na <b>bold</b> [word](javascript:alert) \
        ![a picture](http://a.example/)\n\n1. First:\n\n   ```html\n   <i>\n   ```\n\n## One x two\n\n| a | |\n|--:|---|\n| <u> | b |\n";
    let rendered = render(markdown, |link| target(&[], "A.md", link));
    assert_eq!(rendered.title, "Title");
    let [
        RenderedPart::Html(before),
        RenderedPart::Code(code),
        RenderedPart::Html(after),
    ] = rendered.parts.as_slice()
    else {
        panic!("{:?}", rendered.parts);
    };
    assert_eq!(
        before.trim_end(),
        "<h2 id=\"one-x-two\">One <code>x</code>: <em>two</em>!</h2>\n&lt;script&gt;alert(1)&lt;/script&gt;\n\
         <p>a &lt;b&gt;bold&lt;/b&gt; word a picture</p>\n<ol>\n<li>\n<p>First:</p>"
    );
    assert_eq!(code, "<i>");
    assert!(
        after.starts_with("</li>\n</ol>\n<h2 id=\"one-x-two-1\">"),
        "{after}"
    );
    assert!(after.contains("<tr><th>a</th><td></td></tr>"), "{after}");
    assert!(after.contains("<td>&lt;u&gt;</td>"), "{after}");
}

#[test]
fn links_between_guides_lead_to_their_pages() {
    let guides = ["EMBED.md", "guides/RICH.md"];
    for (from, link, leads_to) in [
        ("EMBED.md", "#here", Some("#here")),
        ("EMBED.md", "https://a.example/", Some("https://a.example/")),
        ("EMBED.md", "guides/RICH.md#x", Some("/docs/rich#x")),
        ("guides/RICH.md", "../EMBED.md", Some("/docs/embed")),
        ("guides/RICH.md", "RICH.md", Some("/docs/rich")),
        ("guides/RICH.md", "../API.md#errors", Some("/docs/api")),
        ("EMBED.md", "../README.md", None),
        ("EMBED.md", "ENGINE.md", None),
        ("EMBED.md", "javascript:alert(1)", None),
    ] {
        assert_eq!(target(&guides, from, link).as_deref(), leads_to, "{link}");
    }
}
