//! What the readme and the guides to a fleet and to moving do to a machine's PostgreSQL, on a cluster of the test's own and a folder
//! that stands for the machine's root.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use hato_testkit::owner::OwnedApp;
use hato_testkit::push_service::PushService;
use hato_testkit::secured_cluster::SecuredCluster;
use hato_testkit::server::{HatoServer, ServerLaunch};
use hato_testkit::test_ca::TestCa;
use serde_json::json;
use tempfile::TempDir;
use tokio::process::Command;

use super::quick_start::{assert_sent, first_sends};
use super::{README, blocks, document, reference, run};
use crate::setup::{CliSetup, EMAIL, launch, server_binary};

/// The password of the fleet's user, and as it stands in a URL.
const PASSWORD: &str = "coo coo@coo/1";
const ENCODED_PASSWORD: &str = "coo%20coo%40coo%2F1";

/// Stand-ins for programs that change the machine. `apt` installs nothing. Who acts as `postgres` is the user of the cluster, which
/// `systemctl` stops and starts as the unit would; whoever starts it waits until what is to be restored is restored.
const STAND_INS: [(&str, &str); 5] = [
    ("apt", "exit 0"),
    (
        "sudo",
        "[ \"$1\" = -u ] || exec \"$@\"
user=$2; shift 2
[ \"$user\" = postgres ] || HOME=$ROOT/var/lib/hato exec \"$@\"
export PGHOST=$CLUSTER PGUSER=postgres
[ \"$(id -u)\" = 0 ] || exec \"$@\"
exec setpriv --reuid=\"$(stat -c %u \"$CLUSTER\")\" --regid=\"$(stat -c %g \"$CLUSTER\")\" --clear-groups \"$@\"",
    ),
    (
        "systemd-run",
        "while [[ $1 = --* ]]; do case $1 in --property=EnvironmentFile=*) file=${1##*=};; esac; shift; done
while IFS= read -r line; do export \"$line\"; done < \"$file\"
exec \"$@\"",
    ),
    (
        "install",
        "args=(); while [ $# -gt 0 ]; do case $1 in -o|-g) shift;; *) args+=(\"$1\");; esac; shift; done
[ \"$(id -u)\" != 0 ] || args+=(-o \"$(stat -c %u \"$CLUSTER\")\" -g \"$(stat -c %g \"$CLUSTER\")\")
exec /usr/bin/install \"${args[@]}\"",
    ),
    (
        "systemctl",
        "[ \"$2\" = postgresql ] || exit 0
sudo -u postgres pg_ctl --pgdata=\"$CLUSTER/data\" --log=\"$CLUSTER/log\" --silent --wait --mode=fast \"$1\"
[ \"$1\" = stop ] || until sudo -u postgres psql -Atc 'SELECT pg_is_in_recovery()' | grep -q f; do :; done",
    ),
];

/// Becomes the server, as the readme's last command does, on any port; the push service of the test is not on the internet.
const SERVE: &str = "serve() {
    export HATO_LISTEN=127.0.0.1:0 HATO_OUTBOUND_ALLOW=127.0.0.0/8 HATO_OUTBOUND_CA=$ROOT/push-ca.pem
    exec hato-server serve 2> log
}
";

/// Has that command run on, in the terminal of its own that the readme gives it, until the server listens.
const UNTIL_IT_LISTENS: &str = "& server=$!
trap 'cat log >&2; kill $server' EXIT
until grep -qs 'listening on' log; do kill -0 $server; done
address=$(sed -n 's/.*listening on //p' log)
";

/// Stops it, which is to end well.
const STOP: &str = "trap - EXIT
kill $server; wait $server
";

/// A machine that has PostgreSQL.
struct PostgresMachine {
    root: TempDir,
    secured: SecuredCluster,
}

impl PostgresMachine {
    async fn new() -> Self {
        let authority = TestCa::new();
        let machine = Self {
            root: TempDir::new().expect("a folder"),
            secured: SecuredCluster::start(&authority).await,
        };
        let root = machine.root.path();
        set_mode(root, 0o755);
        for folder in ["stand-ins", "etc/hato", "var/backups", "var/lib/hato"] {
            fs::create_dir_all(root.join(folder)).expect("a folder");
        }
        for (name, text) in STAND_INS {
            let program = format!("#!/bin/bash\nset -e\n{text}\n");
            machine.write(&format!("stand-ins/{name}"), &program, 0o755);
        }
        machine.write("etc/hato/database-ca.pem", &authority.pem(), 0o644);
        machine.write("password", &format!("{PASSWORD}\n{PASSWORD}\n"), 0o600);
        let address = machine.secured.address().to_string();
        let known = format!("{address}:hato:hato:{PASSWORD}\n");
        machine.write("var/lib/hato/.pgpass", &known, 0o600);
        // The documents give its name to the user of the fleet.
        let execute = |statement| machine.secured.execute(statement);
        execute("CREATE ROLE postgres SUPERUSER REPLICATION LOGIN");
        let rename = "ALTER ROLE hato RENAME TO administrator";
        machine.psql("postgres", rename).await;
        machine
    }

    fn write(&self, name: &str, text: &str, mode: u32) {
        let path = self.root.path().join(name);
        fs::write(&path, text).expect("a file");
        set_mode(&path, mode);
    }

    /// A document's text with this machine's addresses and folders.
    fn moved(&self, text: &str) -> String {
        let root = self.root.path().display().to_string();
        let address = self.secured.address().to_string();
        let mut text = text
            .replace("PASSWORD", ENCODED_PASSWORD)
            .replace("@localhost/", &format!("@{address}/"))
            .replace("db.example.com", &address);
        for folder in ["/etc/hato", "/var/lib/hato", "/var/backups"] {
            text = text.replace(folder, &format!("{root}{folder}"));
        }
        text
    }

    /// What a script says, which has no terminal to ask for a password at.
    async fn run(&self, script: &str) -> String {
        let root = self.root.path();
        let server = server_binary();
        let psql = self.secured.cluster().psql("postgres");
        let stand_ins = root.join("stand-ins");
        let programs = [
            &stand_ins,
            Path::new(psql.get_program()).parent().expect("a folder"),
            server.parent().expect("a folder"),
        ];
        let programs = programs.map(|it| it.display().to_string()).join(":");
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new("setsid");
        command
            .args(["--wait", "bash", "-euo", "pipefail", "-c", script])
            .current_dir(root)
            .stdin(File::open(root.join("password")).expect("a file"))
            .env("PATH", format!("{programs}:{path}"))
            .env("HOME", root)
            .env("XDG_CONFIG_HOME", root.join("config"))
            .env("ROOT", root)
            .env("CLUSTER", self.secured.cluster().folder());
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("HATO_")) {
            command.env_remove(name);
        }
        run(command).await
    }

    /// What a statement of the administrator answers.
    async fn psql(&self, database: &str, statement: &str) -> String {
        let script = format!("sudo -u postgres psql -Atc \"{statement}\" {database}");
        self.run(&script).await.trim().to_owned()
    }

    /// The guide's settings of a process, and the secrets that it has had written.
    fn settings(&self, guide: &str) -> String {
        let settings = blocks(guide, "ini").pop().expect("those of a process");
        let secrets = fs::read_to_string(self.root.path().join("secrets.env"));
        settings + &secrets.expect("the secrets")
    }

    /// A server with them.
    async fn serve(&self, guide: &str) -> HatoServer {
        let lines = self.settings(guide);
        let variables = lines.lines().filter_map(|line| line.split_once('='));
        // The unit may write into this folder alone, and begins where it may not; the test's server has one of its own.
        let (folders, variables): (Vec<_>, Vec<_>) =
            variables.partition(|(name, _)| *name == "HATO_DATA_DIR");
        let folders: Vec<_> = folders.iter().map(|(_, folder)| *folder).collect();
        assert_eq!(folders, [self.moved("/var/lib/hato")]);
        let launch = variables.into_iter().fold(
            ServerLaunch::new(server_binary()),
            |launch, (name, value)| launch.env(name, value),
        );
        let started = launch.env("HATO_LISTEN", "127.0.0.1:0").start().await;
        started.unwrap_or_else(|error| panic!("{error}"))
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("its mode");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_empty_postgresql_sends_after_every_command_of_the_readme() {
    let machine = PostgresMachine::new().await;
    let service = PushService::start().await;
    machine.write("push-ca.pem", &service.ca_pem(), 0o644);
    let serving = machine.moved(&blocks(README, "bash").concat());
    let serving = serving
        .replace("target/release/hato-server serve", "serve")
        .replace("target/release/", "");
    let serving = serving.trim_end();
    let sends = first_sends("$address", &service.subscribe(None));
    let script = format!("{SERVE}{serving} {UNTIL_IT_LISTENS}{sends}{STOP}");
    assert_sent(&machine.run(&script).await, &service);
    let accounts = "SELECT count(*) FROM accounts";
    assert_eq!(machine.psql("hato", accounts).await, "1");
}

/// The data of one machine, in SQLite: an app with a subscriber.
async fn data_to_move(machine: &PostgresMachine) -> OwnedApp {
    let data = machine.root.path().join("var/lib/hato");
    let server = launch().data_dir(data).start().await;
    let mut server = server.expect("the server starts");
    let app = OwnedApp::set_up(&server.client(), EMAIL).await;
    let app = app.expect("an app");
    let browser = PushService::start().await.subscribe(None);
    let mut registration = browser.registration();
    registration["endpoint"] = "https://push.example.com/1".into();
    let path = "/api/v1/subscriptions";
    let registered = app.backend.post(path, &registration).await;
    assert_eq!(registered.expect("an answer").status, 201);
    server.terminate().await.expect("it stops");
    app
}

/// The app's keys work, and it has its subscriber.
async fn assert_moved(server: &HatoServer, app: &OwnedApp) {
    let client = app.admin.at(server.address());
    let stats = client.get("/api/v1/stats").await.expect("an answer");
    assert_eq!(stats.json()["activeSubscribers"], 1, "{stats}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_of_the_guide_to_a_fleet() {
    let machine = PostgresMachine::new().await;
    let app = data_to_move(&machine).await;
    let guide = machine.moved(&document("FLEET.md"));
    let commands = blocks(&guide, "bash");
    let [
        database,
        secrets,
        operating,
        copying,
        dump,
        archive,
        restoring,
        archiving_anew,
    ] = commands.as_slice()
    else {
        panic!("{} blocks", commands.len());
    };
    for commands in [database, secrets, copying] {
        machine.run(commands).await;
    }
    machine.write("etc/hato/hato.env", &machine.settings(&guide), 0o600);
    let said = machine.run(operating).await;
    assert!(said.contains(EMAIL), "{said}");
    assert_moved(&machine.serve(&guide).await, &app).await;
    machine.run(dump).await;
    let subscribers = "SELECT count(*) FROM subscriptions";
    assert_eq!(machine.psql("hato_restored", subscribers).await, "1");

    machine.run(archive).await;
    for name in ["before", "after"] {
        let change = format!("UPDATE apps SET name = '{name}'");
        machine.psql("hato", &change).await;
        machine
            .psql("hato", "CREATE TABLE IF NOT EXISTS moments AS SELECT now()")
            .await;
    }
    let moment = machine.psql("hato", "SELECT now FROM moments").await;
    let restoring = restoring.replace("2026-01-31 04:00:00+00", &moment);
    machine.run(&restoring).await;
    assert_eq!(
        machine.psql("hato", "SELECT name FROM apps").await,
        "before"
    );
    machine.run(archiving_anew).await;
    assert_moved(&machine.serve(&guide).await, &app).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_of_ones_own_becomes_a_list_that_is_taken() {
    let machine = PostgresMachine::new().await;
    let columns = "endpoint text, p256dh text, auth text";
    let table = format!("CREATE TABLE subscriptions ({columns})");
    machine.psql("postgres", &table).await;
    let browser = reference::subscription();
    let [endpoint, p256dh, auth] =
        ["endpoint", "p256dh", "auth"].map(|member| browser[member].as_str().expect("a text"));
    let row = format!("INSERT INTO subscriptions VALUES ('{endpoint}', '{p256dh}', '{auth}')");
    machine.psql("postgres", &row).await;

    let commands = blocks(&document("guides/MOVING.md"), "bash").concat();
    let as_owner = "psql() { sudo -u postgres psql \"$@\"; }\n";
    // The database's own user writes the file.
    let list = machine.root.path().join("browsers.ndjson");
    machine.write("browsers.ndjson", "", 0o666);
    machine.run(&(as_owner.to_owned() + &commands)).await;
    let list = list.to_string_lossy();
    let setup = CliSetup::new().await;
    let report = setup
        .with_key("full", &["import", &list])
        .await
        .json()
        .await;
    assert_eq!(
        (&report["created"], &report["refused"]),
        (&json!(1), &json!(0))
    );
}
