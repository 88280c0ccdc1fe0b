//! docs/DEPLOY.md, on a folder that stands for the machine's root.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use tokio::process::Command;

use super::{document, run};
use crate::setup::{Port, server_binary};

/// Where `scripts/setup test` puts what is not installed.
const VERIFIERS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../server/tests/verifiers/bin"
);

/// Stand-ins for programs that change the machine; `systemctl` starts and stops the server as the unit would.
const STAND_INS: [(&str, &str); 7] = [
    ("sudo", "[ \"$1\" != -u ] || shift 2; exec env \"$@\" < \"$ROOT/password\""),
    (
        "systemd-analyze",
        "[ ! -x /usr/bin/systemd-analyze ] || exec /usr/bin/systemd-analyze \"$@\"",
    ),
    ("useradd", "exit 0"),
    ("apt", "exit 0"),
    (
        "caddy",
        "caddy=$VERIFIERS/caddy; [ -x \"$caddy\" ] || caddy=/usr/bin/caddy
[ -x \"$caddy\" ] || { echo 'caddy is missing; `scripts/setup test` fetches it' >&2; exit 1; }
XDG_CONFIG_HOME=$ROOT/caddy XDG_DATA_HOME=$ROOT/caddy exec \"$caddy\" \"$@\"",
    ),
    ("install", "args=(); while [ $# -gt 0 ]; do case $1 in -o|-g) shift;; *) args+=(\"$1\");; esac; shift; done; \
                 mkdir -p \"$ROOT/usr/local/bin\"; exec /usr/bin/install \"${args[@]}\""),
    ("systemctl", "case $1 in reload) exit 0;; esac
case $1 in stop|restart) kill \"$(cat \"$ROOT/pid\")\"; while kill -0 \"$(cat \"$ROOT/pid\")\" 2>&-; do :; done;; esac
[ \"$1\" != stop ] || exit 0
set -a; . \"$ROOT/etc/hato/hato.env\"; set +a
mkdir -p \"$HATO_DATA_DIR\"
\"$ROOT/usr/local/bin/hato-server\" serve > \"$ROOT/log\" 2>&1 & echo $! > \"$ROOT/pid\"
until grep -q 'listening on' \"$ROOT/log\"; do kill -0 $!; done"),
];

/// A block of the page, and the file that the line before it names, if it does.
struct Block {
    file: Option<String>,
    is_shell: bool,
    text: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let parts: Vec<_> = page.split("```").collect();
    let inner = parts.chunks_exact(2).map(|pair| {
        let (language, text) = pair[1].split_once('\n').expect("a block");
        let before = pair[0].trim_end();
        let named = before.rsplit('`').nth(1).filter(|_| before.ends_with(':'));
        Block {
            file: named.filter(|it| it.starts_with('/')).map(str::to_owned),
            is_shell: language == "sh",
            text: text.to_owned(),
        }
    });
    inner.collect()
}

fn write_program(path: &Path, text: &str) {
    fs::write(path, text).expect("a file");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("its mode");
}

/// The page with this folder as the machine's root, and these ports.
fn moved(page: &str, root: &Path, server: &Port, metrics: &Port) -> String {
    let (address, metrics) = (server.address.to_string(), metrics.address.to_string());
    let listen = format!("HATO_LISTEN={address}\nHATO_DATA_DIR=");
    let mut page = page
        .replace("https://push.example.com", &format!("http://{address}"))
        .replace("127.0.0.1:3000", &address)
        .replace("127.0.0.1:9464", &metrics)
        .replacen("HATO_DATA_DIR=", &listen, 1)
        .replace(
            "target/release/hato-server",
            &server_binary().to_string_lossy(),
        );
    for folder in ["/etc/", "/usr/local/", "/var/"] {
        page = page.replace(folder, &format!("{}{folder}", root.display()));
    }
    page
}

#[tokio::test]
async fn every_command_of_the_deployment_guide() {
    let root = TempDir::new().expect("a folder");
    let root = root.path();
    let programs = root.join("stand-ins");
    for folder in [
        "stand-ins",
        "etc/systemd/system",
        "etc/caddy",
        "etc/hato",
        "usr/local/sbin",
        "var/lib",
    ] {
        fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    for (name, text) in STAND_INS {
        write_program(
            &programs.join(name),
            &format!("#!/bin/bash\nset -e\n{text}\n"),
        );
    }
    fs::write(root.join("password"), "a long password\n").expect("a file");
    // They are kept through every restart.
    let (server, metrics) = (Port::reserve(), Port::reserve());
    let page = moved(&document("DEPLOY.md"), root, &server, &metrics);
    let mut script = "trap 'systemctl stop hato' EXIT\n".to_owned();
    for block in blocks(&page) {
        match block.file {
            Some(file) => write_program(&PathBuf::from(file), &block.text),
            None if block.is_shell => script += &block.text,
            None => {}
        }
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let own = ["stand-ins", "usr/local/bin", "usr/local/sbin"].map(|it| root.join(it));
    let own = own.map(|it| it.display().to_string()).join(":");
    let mut command = Command::new("bash");
    command
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(root)
        .env("PATH", format!("{own}:{path}"))
        .env("ROOT", root)
        .env("VERIFIERS", VERIFIERS);
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("HATO_")) {
        command.env_remove(name);
    }
    let said = run(command).await;
    assert!(said.contains("you@example.com"), "{said}");
    assert!(said.contains("hato_build_info"), "{said}");
    assert!(said.contains("read again and compared"), "{said}");
    assert!(said.contains("hato.db.replaced-"), "{said}");
}
