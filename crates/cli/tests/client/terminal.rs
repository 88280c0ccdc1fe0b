//! What is for people and shells: no colours in pipes, completions, the manual, a small and quick program.

use tempfile::TempDir;

use crate::setup::{CliCommand, CliSetup, HATO, subscribe, with_push_service};

#[tokio::test]
async fn pipes_get_no_colours_and_no_commands_for_terminals() {
    let setup = CliSetup::new().await;
    let title = "\u{1b}[31mred\u{1b}[0m\nnext";
    let sent = setup
        .with_key("notify", &["notify", title, "b"])
        .await
        .success()
        .await;
    let list = setup.with_key("full", &["history"]).await.success().await;
    let doctor = setup.with_key("full", &["doctor"]).await.output().await;
    for text in [sent, list, doctor.stdout, doctor.stderr] {
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
}

#[tokio::test]
async fn long_cells_are_cut_on_terminals_alone() {
    let setup = CliSetup::new().await;
    let title = "a long title ".repeat(6);
    let line = ["notify", &title, "b"];
    setup.with_key("notify", &line).await.success().await;
    let piped = setup.with_key("full", &["history"]).await.success().await;
    assert!(piped.contains(title.trim()), "{piped}");
    let list = setup.with_key("full", &["history"]).await;
    let (_, shown) = list.on_terminal().await;
    assert!(
        shown.contains('…') && !shown.contains(title.trim()),
        "{shown}"
    );
}

#[tokio::test]
async fn who_waits_at_a_terminal_sees_a_bar_until_the_end() {
    let (setup, service) = with_push_service().await;
    subscribe(&setup, &service, 3).await;
    let line = ["notify", "Hello", "b", "--wait"];
    let (code, shown) = setup.with_key("full", &line).await.on_terminal().await;
    assert_eq!(code, 0, "{shown:?}");
    let (bar, end) = shown.rsplit_once("/3 ").expect("a bar");
    assert!(bar.contains('█') || bar.contains('░'), "{shown:?}");
    // It is wiped away before the outcome is told.
    let (_, end) = end.split_once("\u{1b}[2K").expect("it is wiped");
    assert!(end.contains("Of 3 recipients: 3 sent"), "{shown:?}");

    let json = ["notify", "Hello", "b", "--wait", "--json"];
    let piped = setup.with_key("full", &json).await.output().await;
    assert_eq!((piped.code, &*piped.stderr), (0, ""), "{piped:?}");
}

#[tokio::test]
async fn colours_are_for_terminals_whose_owner_wants_them() {
    let setup = CliSetup::new().await;
    let doctor = setup
        .with_key("full", &["doctor"])
        .await
        .env("CLICOLOR", "1");
    let (_, shown) = doctor.on_terminal().await;
    assert!(shown.contains("\u{1b}[32mok"), "{shown:?}");
    let plain = setup
        .with_key("full", &["doctor"])
        .await
        .env("NO_COLOR", "1");
    let (_, shown) = plain.on_terminal().await;
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}

#[tokio::test]
async fn help_is_there_without_asking_and_says_what_is_the_commands_own() {
    let home = TempDir::new().expect("a folder");
    let nothing = CliCommand::new(home.path(), &[]).output().await;
    assert_eq!(nothing.code, 2, "{nothing:?}");
    for said in ["Exit codes: 0 done", "HATO_KEY takes the credential"] {
        assert!(nothing.stderr.contains(said), "{nothing:?}");
    }
    let notify = CliCommand::new(home.path(), &["notify", "--help"])
        .success()
        .await;
    let (own, common) = notify
        .split_once("Options of all commands:")
        .expect("two parts");
    assert!(
        own.contains("--wait") && !own.contains("--server"),
        "{notify}"
    );
    assert!(
        common.contains("--server") && !common.contains("--wait"),
        "{notify}"
    );
}

#[tokio::test]
async fn shells_complete_every_command() {
    let home = TempDir::new().expect("a folder");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = CliCommand::new(home.path(), &["completions", shell])
            .success()
            .await;
        for command in [
            "audience",
            "dead-letters",
            "doctor",
            "key-events",
            "webhook",
        ] {
            assert!(script.contains(command), "{shell} knows no {command}");
        }
    }
}

#[tokio::test]
async fn the_manual_has_a_page_for_each_command() {
    let home = TempDir::new().expect("a folder");
    let page = CliCommand::new(home.path(), &["man"]).success().await;
    assert!(
        page.contains(".TH hato 1") && page.contains("Exit codes"),
        "{page}"
    );
    let folder = home.path().to_str().expect("text");
    CliCommand::new(home.path(), &["man", folder])
        .success()
        .await;
    for page in ["hato.1", "hato-notify.1", "hato-keys-create.1"] {
        assert!(home.path().join(page).exists(), "{page}");
    }
}

#[test]
fn an_output_that_nobody_reads_is_no_failure() {
    let script = format!("{HATO} completions bash | head -c 1");
    let output = std::process::Command::new("bash")
        .args(["-o", "pipefail", "-c", &script])
        .output()
        .expect("bash runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
