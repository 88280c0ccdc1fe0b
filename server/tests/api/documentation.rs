//! The documents name everything there is.

use std::collections::BTreeSet;
use std::process::Command;

use hato_domain::ErrorCode;
use hato_service::ports::MAX_VAPID_KEYS;

use crate::fixtures::BINARY;

const API: &str = include_str!("../../../docs/API.md");
const DEPLOYMENT: &str = include_str!("../../../docs/DEPLOY.md");

#[test]
fn every_endpoint_has_its_section_with_an_example() {
    let sections = API.split("\n### ").skip(1);
    let described: BTreeSet<_> = sections
        .filter_map(|section| section.split_once('\n'))
        .filter(|(heading, _)| heading.contains(" /"))
        .inspect(|(heading, text)| assert!(text.contains("```sh\ncurl "), "{heading}"))
        .map(|(heading, _)| heading.to_owned())
        .collect();
    let endpoints: BTreeSet<_> = hato_server::endpoints()
        .iter()
        .map(|endpoint| format!("{} {}", endpoint.method, endpoint.path))
        .collect();
    assert_eq!(described, endpoints);
}

#[test]
fn every_code_has_its_row_with_its_status() {
    for code in ErrorCode::ALL {
        let start = format!("| `{code}` | {} | ", code.status());
        let row = API.lines().find(|line| line.starts_with(&start));
        let row = row.unwrap_or_else(|| panic!("{start}"));
        assert_eq!(
            row.contains("`upgrade_url`"),
            code.has_upgrade_url(),
            "{row}"
        );
    }
}

fn help_of(arguments: &[&str]) -> String {
    let output = Command::new(BINARY).args(arguments).arg("--help").output();
    let output = output.expect("the program runs");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_guide_to_deployment_has_every_setting_and_no_other() {
    let help = help_of(&["serve"]);
    let settings = help
        .split("[env: ")
        .skip(1)
        .filter_map(|rest| rest.split([']', '=']).next());
    let settings: BTreeSet<_> = settings.collect();
    assert!(settings.len() > 20, "{settings:?}");
    let rows = DEPLOYMENT
        .lines()
        .filter(|line| line.starts_with("| `HATO_"));
    let names = rows
        .filter_map(|row| row.split('|').nth(1))
        .flat_map(|cell| cell.split('`'));
    let described: BTreeSet<_> = names.filter(|name| name.starts_with("HATO_")).collect();
    assert_eq!(described, settings);
}

#[test]
fn every_command_of_operators_is_described() {
    let help = help_of(&["admin"]);
    let (_, list) = help.split_once("Commands:").expect("a list");
    let (list, _) = list.split_once("Options:").expect("a list of options");
    let commands = list
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    for command in commands.filter(|command| *command != "help") {
        assert!(
            DEPLOYMENT.contains(&format!("hato_admin {command}")),
            "{command}"
        );
    }
}

/// The reference's section on an endpoint.
fn section(endpoint: &str) -> &'static str {
    let sections = API.split("\n### ");
    let mut found = sections.filter(|it| it.lines().next() == Some(endpoint));
    found.next().unwrap_or_else(|| panic!("no {endpoint}"))
}

#[test]
fn the_reference_names_how_many_vapid_keys_an_app_has() {
    let text = section("POST /api/v1/apps/{appId}/vapid-keys");
    let limit = format!("An app has at most {MAX_VAPID_KEYS}: the next one is 409 `TOO_MANY_KEYS`");
    assert!(text.contains(&limit), "{text}");
    let row = format!("1,000 API keys, or {MAX_VAPID_KEYS} VAPID keys.");
    assert!(API.contains(&row), "{row}");
}
