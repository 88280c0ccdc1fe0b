//! docs/EMBED.md; its samples run in browsers (end2end/samples), so here are the command and what a site is made of.

use hato_testkit::customer_site::HATO;

use super::{blocks, document, run, shell};
use crate::setup::CliSetup;
use crate::stub_site::{StubSite, answer};

#[tokio::test]
async fn every_command_of_the_embedding_guide() {
    let setup = CliSetup::new().await;
    let key = setup
        .app
        .owner
        .create_key(&setup.app.id, "a", "notify")
        .await;
    let script = blocks(&document("EMBED.md"), "sh").concat();
    let script = script
        .replace("curl ", "curl --silent --show-error --fail-with-body ")
        .replace(HATO, &setup.server.url())
        .replace("pk_…notify…", &key.expect("a key"));
    let said = run(shell(setup.home.path(), &setup.server, &script)).await;
    assert!(said.contains("\"queued\":0"), "{said}");
}

/// A site that is put together from the guide's own blocks, as the doctor sees it.
#[tokio::test]
async fn a_site_made_of_the_guide_has_no_problems() {
    let setup = crate::doctor::setup().await;
    let guide = document("EMBED.md").replace(HATO, &setup.server.url());
    let worker = blocks(&guide, "js").swap_remove(0);
    let page = blocks(&guide, "html").swap_remove(0);
    let (_, policy) = guide
        .split_once("## Content-Security-Policy")
        .expect("a section");
    let policy = blocks(policy, "").swap_remove(0);
    let policy = format!("Content-Security-Policy: {}\r\n", policy.trim());
    let script = format!("{policy}Content-Type: text/javascript\r\n");
    let site = StubSite::serve(move |path| match path {
        "/" => answer("200 OK", &policy, &page),
        "/hato-sw.js" => answer("200 OK", &script, &worker),
        _ => answer("404 Not Found", "", ""),
    });
    let line = ["doctor", "--site", &site.await];
    setup.with_key("full", &line).await.success().await;
}
