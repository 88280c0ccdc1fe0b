//! Files of secrets that deploying has people write into the repository's folder: they get into no commit and no image.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use tempfile::TempDir;

use super::{assert_success, read};

/// What has commands that write such files.
const WITH_COMMANDS: [&str; 6] = [
    "README.md",
    "docs/DEPLOY.md",
    "docs/FLEET.md",
    "deploy/compose.yaml",
    "deploy/compose.fleet.yaml",
    "deploy/kubernetes/fleet.yaml",
];

/// The files of variables that somebody who follows the documents has written.
fn written() -> BTreeSet<String> {
    let mut written = BTreeSet::new();
    for text in WITH_COMMANDS.map(read) {
        let mut words = text.split_whitespace();
        while words.any(|word| [">", ">>"].contains(&word)) {
            let file = words.next().unwrap_or_default().trim_end_matches(')');
            if file.strip_suffix(".env").is_some() {
                written.insert(file.to_owned());
            }
        }
    }
    written
}

/// Which of these files git would ignore, with these patterns.
fn ignored(patterns: &str, files: &BTreeSet<String>) -> BTreeSet<String> {
    let folder = TempDir::new().expect("a folder");
    let git = || {
        let mut git = Command::new("git");
        git.current_dir(&folder)
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        git
    };
    let made = git().args(["init", "--quiet"]).output().expect("git runs");
    assert_success(&made);
    fs::write(folder.path().join(".gitignore"), patterns).expect("a file");
    let checked = git().arg("check-ignore").args(files).output();
    let listed = String::from_utf8(checked.expect("git runs").stdout).expect("paths");
    listed.lines().map(str::to_owned).collect()
}

#[test]
fn git_ignores_what_the_documents_have_people_write() {
    let files = written();
    for file in ["deploy/.env", "deploy/secrets.env", "hato.env"] {
        assert!(files.contains(file), "{file} in {files:?}");
    }
    assert_eq!(ignored(&read(".gitignore"), &files), files);
}

/// Docker's patterns are git's, but for those without a slash: they hold in the topmost folder alone.
#[test]
fn what_the_documents_have_people_write_gets_into_no_image() {
    let files = written();
    let patterns = format!("/{}", read(".dockerignore").trim_end().replace('\n', "\n/"));
    assert_eq!(ignored(&patterns, &files), files);
}
