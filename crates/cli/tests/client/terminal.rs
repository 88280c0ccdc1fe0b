//! What is for people and shells: no colours in pipes, completions, the manual, a small and quick program.

use tempfile::TempDir;

use crate::stage::{HATO, Run, Stage};

#[tokio::test]
async fn pipes_get_no_colours_and_no_commands_for_terminals() {
    let stage = Stage::new().await;
    let title = "\u{1b}[31mred\u{1b}[0m\nnext";
    let sent = stage
        .with_key("notify", &["notify", title, "b"])
        .await
        .done()
        .await;
    let list = stage.with_key("full", &["history"]).await.done().await;
    let doctor = stage.with_key("full", &["doctor"]).await.ran().await;
    for text in [sent, list, doctor.output, doctor.errors] {
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }
}

#[tokio::test]
async fn shells_complete_every_command() {
    let home = TempDir::new().expect("a folder");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = Run::new(home.path(), &["completions", shell]).done().await;
        for command in ["dead-letters", "doctor", "key-events", "webhook"] {
            assert!(script.contains(command), "{shell} knows no {command}");
        }
    }
}

#[tokio::test]
async fn the_manual_has_a_page_for_each_command() {
    let home = TempDir::new().expect("a folder");
    let page = Run::new(home.path(), &["man"]).done().await;
    assert!(
        page.contains(".TH hato 1") && page.contains("Exit codes"),
        "{page}"
    );
    let folder = home.path().to_str().expect("text");
    Run::new(home.path(), &["man", folder]).done().await;
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
