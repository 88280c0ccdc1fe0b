//! A database file that may only be read.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Output, Stdio};

use hato_testkit::TestDatabase;
use hato_testkit::server::{HatoServer, ServerLaunch};

use crate::fixtures::{BINARY, start};

/// A user without rights, as nearly every system numbers them.
const NOBODY_UID: &str = "65534";

/// Starts the program on the server's folder as somebody to whom a file's mode says something: as nobody, where the tests run as root.
/// What leads to the program may be closed to nobody, so the shell opens it.
fn serve(stopped: &HatoServer) -> Output {
    let run = r#"exec 9<"$1"; exec $2 /proc/self/fd/9 serve"#;
    let mut user = String::new();
    if rustix::process::geteuid().is_root() {
        let mut chown = Command::new("chown");
        let changed = chown
            .args(["-R", NOBODY_UID])
            .arg(stopped.data_dir())
            .status();
        assert!(changed.expect("chown runs").success());
        user = format!("setpriv --reuid={NOBODY_UID} --clear-groups");
    }
    Command::new("bash")
        .args(["-c", run, "bash", BINARY, &user])
        .env("HATO_DATA_DIR", stopped.data_dir())
        .env("HATO_LISTEN", "127.0.0.1:0")
        .stdin(Stdio::null())
        .output()
        .expect("the program runs")
}

#[tokio::test]
async fn a_file_that_may_only_be_read_ends_the_start_with_one_line_and_stays() {
    let mut server = start(ServerLaunch::on(BINARY, TestDatabase::sqlite().await)).await;
    server.terminate().await.expect("it stops");
    let path = server.data_dir().join("hato.db");
    let before = fs::read(&path).expect("the database");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).expect("set");
    let output = serve(&server);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let lines = stderr.lines();
    let said: Vec<_> = lines.filter(|it| it.starts_with("hato-server: ")).collect();
    assert!(
        said.len() == 1 && said[0].contains("may only be read"),
        "{stderr}"
    );
    assert_eq!(fs::read(&path).expect("the database"), before);
}
