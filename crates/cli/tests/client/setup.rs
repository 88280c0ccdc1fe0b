//! A server, a folder for settings, and the command.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use hato_testkit::owner::OwnedApp;
pub use hato_testkit::port::Port;
use hato_testkit::push_service::{BrowserSubscription, PushService};
use hato_testkit::server::{HatoServer, ServerLaunch};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};

/// The `hato` binary, which cargo builds before these tests.
pub const HATO: &str = env!("CARGO_BIN_EXE_hato");

/// The server beside it: `cargo test` of the workspace has built both.
pub fn server_binary() -> PathBuf {
    let binary = Path::new(HATO).with_file_name("hato-server");
    assert!(binary.exists(), "cargo build -p hato-server comes first");
    binary
}

/// How a server is started; with retries that do not keep a test waiting.
pub fn launch() -> ServerLaunch {
    ServerLaunch::new(server_binary()).env("HATO_RETRY_DELAYS", "10ms,10ms,10ms")
}

/// A server with an app on it, and a folder for settings.
pub struct CliSetup {
    pub server: HatoServer,
    pub app: OwnedApp,
    pub home: TempDir,
}

/// The address and password of the app's owner.
pub const EMAIL: &str = "owner@example.com";

impl CliSetup {
    /// Starts a server as `launch` says, with an owner and an app.
    pub async fn with_launch(launch: ServerLaunch) -> Self {
        let server = launch.start().await.expect("the server starts");
        let app = OwnedApp::set_up(&server.client(), EMAIL).await;
        Self {
            server,
            app: app.expect("an app"),
            home: TempDir::new().expect("a folder"),
        }
    }

    /// Starts a server with the settings that most tests use.
    pub async fn new() -> Self {
        Self::with_launch(launch()).await
    }

    /// The command, with the settings of this setup and no others.
    pub fn hato(&self, line: &[&str]) -> CliCommand {
        CliCommand::new(self.home.path(), line).env("HATO_URL", &self.server.url())
    }

    /// The command with a new key of the scope in its environment.
    pub async fn with_key(&self, scope: &str, line: &[&str]) -> CliCommand {
        let key = self.app.owner.create_key(&self.app.id, scope, scope).await;
        self.hato(line).env("HATO_KEY", &key.expect("a key"))
    }
}

/// A setup whose server delivers to a push service.
pub async fn with_push_service() -> (CliSetup, PushService) {
    let service = PushService::start().await;
    let setup = CliSetup::with_launch(launch().with_push_service(&service)).await;
    (setup, service)
}

/// Registers as many browsers with the setup's app.
pub async fn subscribe(
    setup: &CliSetup,
    service: &PushService,
    count: usize,
) -> Vec<BrowserSubscription> {
    let browsers = service.subscribe_many(Some(&setup.app.vapid_public_key), count);
    for browser in &browsers {
        let body = browser.registration();
        let registered = setup
            .app
            .frontend
            .post("/api/v1/subscriptions", &body)
            .await;
        assert_eq!(registered.expect("an answer").status, 201);
    }
    browsers
}

/// A run of the command that has not begun.
pub struct CliCommand {
    command: Command,
    input: String,
}

impl CliCommand {
    /// With this folder as the user's home, and nothing of Hato in the environment.
    pub fn new(home: &Path, line: &[&str]) -> Self {
        let mut command = Command::new(HATO);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("HATO_")) {
            command.env_remove(name);
        }
        command
            .args(line)
            .env("HOME", home)
            .env("XDG_CONFIG_HOME", home.join("config"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let input = String::new();
        Self { command, input }
    }

    /// Sets a variable of its environment.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Gives it at most so many KiB of memory.
    pub fn with_memory(self, kib: u64) -> Self {
        let limited = self.command.as_std();
        let mut command = Command::new("sh");
        let script = format!("ulimit -v {kib} && exec \"$0\" \"$@\"");
        command.args(["-c", &script]);
        command.arg(limited.get_program()).args(limited.get_args());
        for (name, value) in limited.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        Self { command, ..self }
    }

    /// Gives it this text on standard input.
    pub fn input(mut self, text: &str) -> Self {
        text.clone_into(&mut self.input);
        self
    }

    /// Starts it, with nothing on standard input.
    pub fn spawn(mut self) -> Child {
        self.command.stdin(Stdio::null());
        self.command.spawn().expect("the command runs")
    }

    /// Runs it to its end.
    pub async fn output(mut self) -> CliOutput {
        let mut child = self.command.spawn().expect("the command runs");
        let mut stdin = child.stdin.take().expect("it is piped");
        // Whoever does not read its input has ended before.
        let _ = stdin.write_all(self.input.as_bytes()).await;
        drop(stdin);
        CliOutput::from(child.wait_with_output().await.expect("it ends"))
    }

    /// What it showed on a terminal, commands for the terminal included, and its exit code.
    pub async fn on_terminal(mut self) -> (i32, String) {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&terminal)
            .and_then(|()| unlockpt(&terminal))
            .expect("its other end");
        let size = Winsize {
            ws_row: 24,
            ws_col: 80,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&terminal, size).expect("a size");
        let name = ptsname(&terminal, Vec::new()).expect("a name");
        let name = name.into_string().expect("text");
        let end = || {
            File::options()
                .read(true)
                .write(true)
                .open(&name)
                .expect("its other end")
        };
        self.command
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .env("TERM", "xterm");
        let mut child = self.command.spawn().expect("the command runs");
        // Reading ends when nobody has the other end any more.
        drop(self);
        let mut terminal = File::from(terminal);
        let read = tokio::task::spawn_blocking(move || {
            let mut shown = Vec::new();
            let _ = terminal.read_to_end(&mut shown);
            String::from_utf8(shown).expect("text")
        });
        let shown = read.await.expect("it is read");
        let status = child.wait().await.expect("it ends");
        (status.code().expect("it was not killed"), shown)
    }

    /// What it printed; it must have done what was asked.
    pub async fn success(self) -> String {
        let output = self.output().await;
        assert_eq!(output.code, 0, "{output:?}");
        assert_eq!(output.stderr, "", "{output:?}");
        output.stdout
    }

    /// The JSON that it printed; it must have done what was asked.
    pub async fn json(mut self) -> Value {
        self.command.arg("--json");
        let output = self.success().await;
        serde_json::from_str(&output).unwrap_or_else(|_| panic!("no JSON: {output}"))
    }
}

/// What a command printed, and its exit code.
#[derive(Debug)]
pub struct CliOutput {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl From<Output> for CliOutput {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().expect("it was not killed"),
            stdout: String::from_utf8(output.stdout).expect("text"),
            stderr: String::from_utf8(output.stderr).expect("text"),
        }
    }
}

impl CliOutput {
    /// The exit code, and the code that the only line on standard error names.
    pub fn error_code(&self) -> (i32, &str) {
        let mut lines = self.stderr.lines();
        let (line, rest) = (lines.next().unwrap_or_default(), lines.next());
        assert_eq!(rest, None, "{self:?}");
        let code = line
            .strip_prefix("hato: ")
            .and_then(|line| line.split(':').next());
        (self.code, code.unwrap_or_default())
    }
}
