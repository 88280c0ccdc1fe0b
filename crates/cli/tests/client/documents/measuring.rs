//! The guide to measuring, as the owner of an app follows it.

use super::{blocks, document, run, shell};
use crate::setup::CliSetup;

#[tokio::test]
async fn every_command_of_the_guide_to_measuring() {
    let setup = CliSetup::new().await;
    let key = setup.app.owner.create_key(&setup.app.id, "owner", "full");
    let script = blocks(&document("guides/MEASURING.md"), "sh").concat();
    let mut command = shell(setup.home.path(), &setup.server, &script);
    command
        .env("HATO_KEY", key.await.expect("a key"))
        .env("HATO_APP", &setup.app.id);
    let said = run(command).await;
    assert!(said.contains("\"tracking\":\"counts\""), "{said}");
}
