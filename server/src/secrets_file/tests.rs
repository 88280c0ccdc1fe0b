use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use hato_service::Secrets;

use super::{FILE, SecretsInUse, begin_rotation, effective, end_rotation, environment_lines};
use crate::config::{ConfiguredSecrets, SecretsConfig};
use crate::secrets_file::SecretsFileError;

/// Those of a database that was written with none.
fn load(folder: &Path, config: &SecretsConfig) -> Result<Secrets, SecretsFileError> {
    super::load(folder, config, SecretsInUse::default())
}

fn generating() -> SecretsConfig {
    SecretsConfig {
        generate: true,
        ..SecretsConfig::default()
    }
}

#[test]
fn secrets_are_made_once_for_their_owner_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = load(folder.path(), &generating()).expect("made");
    let text = fs::read_to_string(folder.path().join(FILE)).expect("a file");
    let mode = fs::metadata(folder.path().join(FILE))
        .expect("a file")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let second = load(folder.path(), &generating()).expect("read");
    assert_eq!(
        fs::read_to_string(folder.path().join(FILE)).expect("a file"),
        text
    );
    assert_eq!(first.hash_key("pk_").ok(), second.hash_key("pk_").ok());
}

#[test]
fn a_missing_secret_joins_the_one_that_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let pepper = "ab".repeat(32);
    fs::write(folder.path().join(FILE), format!("pepper = \"{pepper}\"\n")).expect("written");
    let secrets = load(folder.path(), &generating()).expect("completed");
    assert!(secrets.sealer().is_ok());
    let text = fs::read_to_string(folder.path().join(FILE)).expect("a file");
    assert!(text.contains(&pepper) && text.contains("encryption_key"));
}

#[test]
fn nothing_is_made_when_that_is_not_wanted() {
    let folder = tempfile::tempdir().expect("a folder");
    let secrets = load(folder.path(), &SecretsConfig::default()).expect("none");
    assert!(secrets.sealer().is_err() && secrets.hash_key("pk_").is_err());
    assert!(!folder.path().join(FILE).exists());
}

#[test]
fn a_fleet_gets_the_secrets_that_are_there_and_new_ones_for_the_rest() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = environment_lines(folder.path()).expect("new ones");
    assert_ne!(first, environment_lines(folder.path()).expect("others"));
    let pepper = "ab".repeat(32);
    fs::write(folder.path().join(FILE), format!("pepper = \"{pepper}\"\n")).expect("written");
    let lines = environment_lines(folder.path()).expect("both");
    let lines: Vec<_> = lines.lines().collect();
    assert_eq!(lines[0], format!("HATO_PEPPER={pepper}"));
    let key = lines[1]
        .strip_prefix("HATO_ENCRYPTION_KEY=")
        .expect("a key");
    assert!(key.len() == 64 && key != pepper);
}

#[test]
fn a_damaged_file_is_refused_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    for text in ["pepper = \"short\"\n", "pepper = 1\n", "no toml"] {
        fs::write(folder.path().join(FILE), text).expect("written");
        for config in [SecretsConfig::default(), generating()] {
            assert!(load(folder.path(), &config).is_err(), "{text}");
        }
        assert_eq!(
            fs::read_to_string(folder.path().join(FILE)).expect("a file"),
            text
        );
    }
}

#[test]
fn what_the_database_was_written_with_is_not_made_anew() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(FILE);
    load(folder.path(), &generating()).expect("made");
    let whole = fs::read_to_string(&file).expect("a file");
    let (pepper, key): (Vec<_>, Vec<_>) = whole.lines().partition(|it| it.starts_with("pepper"));
    let both = SecretsInUse {
        pepper: true,
        encryption_key: true,
    };
    for (left, lost) in [
        (key.join(""), "pepper"),
        (pepper.join(""), "encryption_key"),
        (String::new(), "pepper"),
    ] {
        fs::write(&file, &left).expect("written");
        let refused = super::load(folder.path(), &generating(), both);
        let refused = refused.err().expect("an error").to_string();
        let says = format!("has the {lost} that the database was written with");
        assert!(refused.contains(&says), "{refused}");
        assert_eq!(fs::read_to_string(&file).expect("a file"), left);
    }
    fs::remove_file(&file).expect("removed");
    assert!(super::load(folder.path(), &generating(), both).is_err());
    assert!(!file.exists());
    assert!(super::load(folder.path(), &SecretsConfig::default(), both).is_ok());
    let renamed = whole.replace("pepper", "previous_pepper");
    fs::write(&file, renamed).expect("written");
    assert!(super::load(folder.path(), &generating(), both).is_ok());
}

#[test]
fn a_rotation_keeps_both_keys_until_it_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    load(folder.path(), &generating()).expect("made");
    let configured = ConfiguredSecrets::default();
    let before = effective(folder.path(), &configured).expect("both");
    begin_rotation(folder.path(), &configured).expect("begun");
    let during = effective(folder.path(), &configured).expect("all");
    let digits = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split('"').nth(1))
            .map(str::to_owned)
    };
    assert_eq!(
        digits(&during, "previous_encryption_key"),
        digits(&before, "encryption_key")
    );
    assert_ne!(
        digits(&during, "encryption_key"),
        digits(&before, "encryption_key")
    );
    begin_rotation(folder.path(), &configured).expect("goes on");
    assert_eq!(effective(folder.path(), &configured).expect("all"), during);
    end_rotation(folder.path()).expect("ended");
    let after = effective(folder.path(), &configured).expect("both");
    assert_eq!(digits(&after, "previous_encryption_key"), None);
    assert_eq!(
        digits(&after, "encryption_key"),
        digits(&during, "encryption_key")
    );
    assert_eq!(digits(&after, "pepper"), digits(&before, "pepper"));
}

#[test]
fn what_is_given_goes_before_what_is_stored() {
    let folder = tempfile::tempdir().expect("a folder");
    load(folder.path(), &generating()).expect("made");
    let configured = ConfiguredSecrets {
        pepper: Some([0xcd; 32].into()),
        ..ConfiguredSecrets::default()
    };
    let text = effective(folder.path(), &configured).expect("both");
    assert!(text.contains(&format!("pepper = \"{}\"", "cd".repeat(32))));
    let empty = tempfile::tempdir().expect("a folder");
    assert!(effective(empty.path(), &configured).is_err());
}
