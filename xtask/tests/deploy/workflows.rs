//! The workflows: what they call is there.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use super::{assert_success, files, read, root, verifier, yaml};

/// The commands that the workflows run.
fn commands() -> String {
    let mut commands = String::new();
    for path in files(".github/workflows", ".yml") {
        let workflow = yaml(&path);
        let jobs = workflow["jobs"].as_object().expect("jobs").values();
        let steps = jobs.filter_map(|job| job["steps"].as_array()).flatten();
        for command in steps.filter_map(|step| step["run"].as_str()) {
            commands.push_str(command);
            commands.push('\n');
        }
    }
    commands
}

/// The words of these commands, without what quotes and joins them.
fn words(commands: &str) -> impl Iterator<Item = &str> {
    let separates = |c: char| c.is_whitespace() || "\"'$();|&=".contains(c);
    commands.split(separates).filter(|word| !word.is_empty())
}

#[test]
fn the_workflows_follow_their_schema_and_may_only_read_unless_they_say_so() {
    let paths = files(".github/workflows", ".yml");
    let mut check = verifier("check-jsonschema");
    check.args(["--builtin-schema", "vendor.github-workflows"]);
    assert_success(&check.args(&paths).output().expect("it runs"));
    let mut check = verifier("check-jsonschema");
    check.args([
        "--builtin-schema",
        "custom.github-workflows-require-timeout",
    ]);
    assert_success(&check.args(&paths).output().expect("it runs"));
    for path in paths {
        let permissions = &yaml(&path)["permissions"];
        let only_read = serde_json::json!({"contents": "read"});
        assert_eq!(permissions, &only_read, "{}", path.display());
    }
}

#[test]
fn the_tasks_that_workflows_make_are_in_the_makefile() {
    let (makefile, commands) = (read("Makefile"), commands());
    let mut made = BTreeSet::new();
    let mut words = words(&commands);
    while words.any(|word| word == "make") {
        let task = words.next().expect("a task");
        assert!(makefile.contains(&format!("\n{task}:")), "make {task}");
        made.insert(task);
    }
    for task in ["build", "check", "test", "test-long"] {
        assert!(made.contains(task), "no workflow makes {task}");
    }
}

#[test]
fn the_scripts_that_workflows_run_are_there() {
    let commands = commands();
    let folders = ["scripts/", "deploy/", ".ci/"];
    let files: BTreeSet<_> = words(&commands)
        .filter(|word| folders.iter().any(|folder| word.starts_with(folder)))
        .collect();
    assert!(files.contains("scripts/package"), "{files:?}");
    for file in files {
        let metadata = root().join(file).metadata();
        let metadata = metadata.unwrap_or_else(|error| panic!("{file}: {error}"));
        let is_script = file.starts_with("scripts/");
        assert!(
            !is_script || metadata.permissions().mode() & 0o111 != 0,
            "{file}"
        );
    }
}

/// Debian has packages of all that tests need, the browsers among them (`scripts/setup`).
#[test]
fn tests_run_on_debian() {
    let mut tasks = BTreeSet::new();
    for path in files(".github/workflows", ".yml") {
        let workflow = yaml(&path);
        for job in workflow["jobs"].as_object().expect("jobs").values() {
            let steps = job["steps"].as_array().expect("steps").iter();
            let commands = steps.filter_map(|step| step["run"].as_str());
            let tests = commands
                .filter(|it| ["make test", "make test-long", "scripts/setup test"].contains(it));
            for task in tests.map(str::to_owned) {
                let image = job["container"]["image"].as_str();
                assert_eq!(image, Some("debian:trixie"), "{task} in {}", path.display());
                tasks.insert(task);
            }
        }
    }
    assert_eq!(tasks.len(), 3, "{tasks:?}");
}

#[test]
fn jobs_wait_for_jobs_that_are_there() {
    for path in files(".github/workflows", ".yml") {
        let workflow = yaml(&path);
        let jobs = workflow["jobs"].as_object().expect("jobs");
        let needs = jobs.values().filter_map(|job| job["needs"].as_array());
        for need in needs.flatten().filter_map(Value::as_str) {
            assert!(jobs.contains_key(need), "{need} in {}", path.display());
        }
    }
}

/// A tag can be moved to another commit by whoever has taken over an action's repository; a commit cannot.
#[test]
fn actions_are_named_by_their_commits() {
    for path in files(".github/workflows", ".yml") {
        let workflow = std::fs::read_to_string(&path).expect("a workflow");
        let used = workflow
            .lines()
            .filter_map(|line| line.split_once("uses: "));
        for (_, action) in used {
            let named = action
                .split_once('@')
                .and_then(|(_, it)| it.split_once(" # v"));
            let (commit, _) = named.unwrap_or_else(|| panic!("{action} has no version"));
            let is_commit = commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_commit, "{action} in {}", path.display());
        }
    }
}
