//! Settings (CONTRACT 1): their defaults, and that a bad one ends the start with one line.

mod table;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt as _;
use std::process::{Command, Output, Stdio};

use hato_testkit::server::ServerLaunch;

use self::table::{ALL, EnvVariable};
use crate::fixtures::{BINARY, start};

fn run<'a, V: AsRef<OsStr> + 'a>(
    arguments: &[&str],
    env: impl IntoIterator<Item = (&'a str, V)>,
) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(BINARY);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("HATO_")) {
        command.env_remove(name);
    }
    command
        .args(arguments)
        .env("HATO_DATA_DIR", folder.path())
        .env("HATO_LISTEN", "127.0.0.1:0")
        .envs(env)
        .stdin(Stdio::null())
        .output()
        .expect("the program runs")
}

/// Nothing set but what `run` sets.
const NO_ENV: [(&str, &str); 0] = [];

/// The start ended with exit code 2 and one line that names the variable and what it takes, and not what it was given.
fn assert_refused(output: &Output, name: &str, configured: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(
        output.status.code(),
        Some(2),
        "{name}={configured}: {stderr}"
    );
    assert_eq!(stderr.lines().count(), 1, "{name}={configured}: {stderr}");
    assert!(
        stderr.contains(&format!("{name} takes ")),
        "{name}={configured}: {stderr}"
    );
    assert!(output.stdout.is_empty());
}

#[test]
fn a_bad_value_stops_the_start_with_one_line() {
    for EnvVariable { name, bad, .. } in ALL {
        for value in bad {
            let output = run(&["serve"], [(name, value)]);
            assert_refused(&output, name, value);
        }
    }
}

#[test]
fn flags_and_variables_are_refused_alike() {
    for EnvVariable {
        name, flag, bad, ..
    } in ALL
    {
        let (value, mut good) = (bad[0], table::good(name));
        good.insert(0, "serve");
        let given_twice = [&good[..], &[flag, value, flag, value]].concat();
        assert_refused(&run(&given_twice, NO_ENV), name, "twice");
        let output = run(&["serve", &format!("{flag}={value}")], NO_ENV);
        assert_refused(&output, name, value);
    }
}

#[test]
fn a_value_that_is_no_text_is_refused() {
    for EnvVariable { name, .. } in ALL {
        let no_text = OsString::from_vec(vec![b'a', 0xff, b'b']);
        assert_refused(&run(&["serve"], [(name, no_text)]), name, "a?b");
    }
}

#[tokio::test]
async fn an_empty_variable_counts_as_unset() {
    let mut launch = ServerLaunch::new(BINARY);
    let configured = ["HATO_LISTEN", "HATO_DATA_DIR"];
    for EnvVariable { name, .. } in ALL.iter().filter(|it| !configured.contains(&it.name)) {
        launch = launch.env(name, "");
    }
    let server = start(launch).await;
    assert!(!server.log().contains("metrics at"));
    assert!(server.data_dir().join("secrets.toml").exists());
}

#[tokio::test]
async fn good_values_start_the_server() {
    for EnvVariable { name, good, .. } in ALL {
        for value in good {
            let others = table::with(name).iter().copied();
            let launch = others.fold(ServerLaunch::new(BINARY), |launch, (name, value)| {
                launch.env(name, value)
            });
            start(launch.env(name, *value)).await;
        }
    }
}

#[test]
fn half_an_oauth_app_is_a_bad_setting() {
    for (configured, missing) in [
        ("HATO_GITHUB_CLIENT_ID", "HATO_GITHUB_CLIENT_SECRET"),
        ("HATO_GITHUB_CLIENT_SECRET", "HATO_GITHUB_CLIENT_ID"),
    ] {
        let output = run(&["serve"], [(configured, "0123456789")]);
        assert_refused(&output, missing, "");
        assert!(!String::from_utf8_lossy(&output.stderr).contains("0123456789"));
    }
}

#[tokio::test]
async fn the_database_is_where_its_address_says() {
    let folder = tempfile::tempdir().expect("a folder");
    for (scheme, name) in [("sqlite:", "plain.db"), ("sqlite://", "slashes.db")] {
        let file = folder.path().join(name);
        let url = format!("{scheme}{}", file.display());
        let server = start(ServerLaunch::new(BINARY).env("HATO_DATABASE_URL", url)).await;
        assert!(file.is_file(), "{scheme}");
        assert!(!server.data_dir().join("hato.db").exists());
    }
}

#[test]
fn a_database_that_is_not_there_ends_the_start_with_one_line_and_without_the_password() {
    let url = "postgres://hato:the-password@127.0.0.1:1/hato";
    for command in ["serve", "migrate"] {
        let output = run(
            &[command],
            [("HATO_DATABASE_URL", url), ("HATO_LOG", "off")],
        );
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(stderr.contains("127.0.0.1:1") && !stderr.contains("the-password"));
    }
}

#[test]
fn a_secret_is_not_repeated() {
    let value = "0123456789abcdef";
    let output = run(&["serve"], [("HATO_PEPPER", value)]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains(value));
    for name in ["HATO_PEPPER", "HATO_GITHUB_CLIENT_SECRET"] {
        let output = run(&["serve", "--help"], [(name, value)]);
        assert!(!String::from_utf8_lossy(&output.stdout).contains(value));
    }
}

#[test]
fn help_lists_every_setting_with_its_default() {
    let output = run(&["serve", "--help"], NO_ENV);
    let help = String::from_utf8_lossy(&output.stdout);
    let entries: Vec<String> = help
        .split("\n  ")
        .map(|entry| entry.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    for EnvVariable {
        name,
        flag,
        default,
        ..
    } in ALL
    {
        let at = entries
            .iter()
            .position(|entry| entry.starts_with(&format!("{flag} <")));
        let at = at.unwrap_or_else(|| panic!("no {flag} in {help}"));
        let entry = entries[at..entries.len().min(at + 4)].join(" ");
        assert!(entry.contains(&format!("[env: {name}]")), "{entry}");
        if !default.is_empty() {
            let default = format!("[default: {default}]");
            assert!(entry.contains(&default), "{default} in {entry}");
        }
    }
}

#[test]
fn the_table_has_every_setting() {
    let help = run(&["serve", "--help"], NO_ENV).stdout;
    let help = String::from_utf8(help).expect("text");
    let listed = help.split("[env: ").skip(1);
    let listed: BTreeSet<_> = listed
        .filter_map(|rest| Some(rest.split_once(']')?.0))
        .collect();
    let tested: BTreeSet<_> = ALL.iter().map(|setting| setting.name).collect();
    assert_eq!(listed, tested);
}

#[tokio::test]
async fn settings_that_take_a_protection_away_are_named_at_the_start() {
    const GAPS: [(&str, &str); 3] = [
        ("HATO_BASE_URL", "http://push.example.com"),
        ("HATO_TRUSTED_PROXIES", "192.0.2.1,::/0"),
        ("HATO_OUTBOUND_ALLOW", "10.0.0.0/8,0.0.0.0/0"),
    ];
    let named = |log: &str| {
        let warnings: Vec<_> = log.lines().filter(|line| line.contains("WARN")).collect();
        GAPS.map(|(name, _)| warnings.iter().filter(|line| line.contains(name)).count())
    };
    let open = GAPS
        .iter()
        .fold(ServerLaunch::new(BINARY), |launch, (name, value)| {
            launch.env(name, *value)
        });
    assert_eq!(named(&start(open).await.log()), [1, 1, 1]);
    let narrow = ServerLaunch::new(BINARY)
        .env("HATO_BASE_URL", "http://127.0.0.1:3000")
        .env("HATO_TRUSTED_PROXIES", "10.0.0.0/8")
        .env("HATO_OUTBOUND_ALLOW", "10.0.0.0/8,127.0.0.1");
    assert_eq!(named(&start(narrow).await.log()), [0, 0, 0]);
}

#[test]
fn a_misused_command_is_told_in_one_line() {
    for arguments in [
        &["serve", "--no-such-flag"][..],
        &["serve", "--listen"],
        &["serve", "argument"],
        &["no-such-command"],
    ] {
        let output = run(arguments, NO_ENV);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
    let version = run(&["--version"], NO_ENV);
    assert_eq!(version.status.code(), Some(0));
    assert_eq!(run(&[], NO_ENV).status.code(), Some(2));
}

#[test]
fn a_data_folder_that_cannot_be_made_is_a_bad_setting() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let below_a_file = file.path().join("data");
    let env = [
        ("HATO_DATA_DIR", below_a_file.as_os_str()),
        ("HATO_LOG", OsStr::new("off")),
    ];
    assert_refused(&run(&["serve"], env), "HATO_DATA_DIR", "below a file");
}

#[test]
fn a_taken_address_is_a_failure_and_no_bad_setting() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = taken.local_addr().expect("an address").to_string();
    for name in ["HATO_LISTEN", "HATO_METRICS_LISTEN"] {
        let env = [(name, address.as_str()), ("HATO_LOG", "off")];
        let output = run(&["serve"], env);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(
            stderr.lines().count() == 1 && stderr.contains(&address),
            "{stderr}"
        );
    }
}

#[test]
fn migrating_makes_the_database_and_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("new").join("data");
    let data_text = data.to_string_lossy();
    for _ in 0..2 {
        let output = run(&["migrate", "--data-dir", &data_text], NO_ENV);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    assert!(data.join("hato.db").exists() && !data.join("secrets.toml").exists());
}
