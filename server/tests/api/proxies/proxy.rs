//! A proxy that runs with a file of deploy/, on ports and with a certificate of its own, and what curl gets from it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use hato_cluster::find_program;
use hato_testkit::port::Port;
use hato_testkit::test_ca::TestCa;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::{interval, timeout};

/// The name that the files of deploy/ have, or are told.
pub const NAME: &str = "push.example.com";

/// Where `scripts/setup test` puts what is not installed.
const VERIFIERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/verifiers/bin");

const TIMEOUT: Duration = Duration::from_mins(1);

/// A proxy that runs; killed when dropped.
pub struct Proxy {
    _process: Child,
    folder: TempDir,
    https: Port,
    http: Port,
}

impl Proxy {
    /// The program: the one that was fetched for tests, or the machine's.
    fn program(name: &str) -> PathBuf {
        let fetched = Path::new(VERIFIERS).join(name);
        let found = Some(fetched).filter(|program| program.exists());
        let found = found.or_else(|| find_program(name));
        found.unwrap_or_else(|| panic!("{name} is missing; `scripts/setup test` fetches it"))
    }

    /// Caddy with this file, and a certificate that it signs itself.
    pub async fn caddy(file: &str) -> Self {
        let (folder, https, http) = places();
        let block = file.strip_suffix("}\n").expect("one block");
        let configuration = format!(
            "{{\n\tadmin off\n\tskip_install_trust\n\tdefault_bind 127.0.0.1\n\
             \thttp_port {}\n\thttps_port {}\n}}\n{block}\ttls internal\n}}\n",
            http.address.port(),
            https.address.port()
        );
        let path = folder.path().join("Caddyfile");
        fs::write(&path, configuration).expect("a file");
        let mut caddy = Command::new(Self::program("caddy"));
        caddy.args(["run", "--config"]).arg(path);
        caddy.env("HATO_DOMAIN", NAME);
        caddy.envs(["XDG_CONFIG_HOME", "XDG_DATA_HOME"].map(|it| (it, folder.path())));
        Self::start(caddy, folder, https, http).await
    }

    /// nginx with this file, as the one process that it is.
    pub async fn nginx(file: &str) -> Self {
        let (folder, https, http) = places();
        let here = folder.path().display().to_string();
        let certificate = format!("/etc/letsencrypt/live/{NAME}");
        // Both have both.
        let pem = TestCa::new().server_pem();
        for name in ["fullchain.pem", "privkey.pem"] {
            fs::write(folder.path().join(name), &pem).expect("a file");
        }
        let site = file
            .replace(&certificate, &here)
            .replace("listen 80;", &format!("listen {};", http.address))
            .replace("listen 443 ", &format!("listen {} ", https.address));
        let lines = site.lines().filter(|line| !line.contains("listen [::]:"));
        let site = lines.collect::<Vec<_>>().join("\n");
        let configuration = format!(
            "daemon off;\nmaster_process off;\npid {here}/nginx.pid;\nerror_log stderr;\n\
             events {{}}\nhttp {{\naccess_log off;\n\
             client_body_temp_path {here}/body;\nproxy_temp_path {here}/proxy;\n\
             fastcgi_temp_path {here}/fastcgi;\nuwsgi_temp_path {here}/uwsgi;\n\
             scgi_temp_path {here}/scgi;\n{site}\n}}\n"
        );
        let path = folder.path().join("nginx.conf");
        fs::write(&path, configuration).expect("a file");
        let mut nginx = Command::new(Self::program("nginx"));
        nginx.args(["-e", "stderr", "-p", &here, "-c"]).arg(path);
        Self::start(nginx, folder, https, http).await
    }

    /// Starts the program and waits until a request comes through.
    async fn start(mut program: Command, folder: TempDir, https: Port, http: Port) -> Self {
        let log = fs::File::create(folder.path().join("log")).expect("a file");
        program.stdin(Stdio::null()).stdout(Stdio::null());
        let process = program.stderr(log).kill_on_drop(true).spawn();
        let proxy = Self {
            _process: process.expect("it starts"),
            folder,
            https,
            http,
        };
        let answering = async {
            let mut ticks = interval(Duration::from_millis(100));
            loop {
                ticks.tick().await;
                let asked = Self::command(&["--fail"], "https", &proxy.https, "/readyz");
                if Self::output(asked).await.0 {
                    break;
                }
            }
        };
        let in_time = timeout(TIMEOUT, answering).await.is_ok();
        assert!(in_time, "nothing comes through: {}", proxy.log());
        proxy
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).expect("the log")
    }

    fn command(words: &[&str], scheme: &str, port: &Port, path: &str) -> Command {
        let port = port.address.port();
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--insecure", "--resolve"]);
        curl.arg(format!("{NAME}:{port}:127.0.0.1")).args(words);
        curl.arg(format!("{scheme}://{NAME}:{port}{path}"));
        curl.stdin(Stdio::null()).kill_on_drop(true);
        curl
    }

    /// Whether a command succeeds, and what it says.
    async fn output(mut command: Command) -> (bool, String) {
        let output = timeout(TIMEOUT, command.output()).await;
        let output = output.expect("it answers in time").expect("curl runs");
        let said = [output.stdout, output.stderr].concat();
        (
            output.status.success(),
            String::from_utf8_lossy(&said).into_owned(),
        )
    }

    async fn said(&self, command: Command) -> String {
        let (succeeded, said) = Self::output(command).await;
        assert!(succeeded, "{said}\n{}", self.log());
        said
    }

    /// What curl gets by https.
    pub async fn curl(&self, words: &[&str], path: &str) -> String {
        let command = Self::command(words, "https", &self.https, path);
        self.said(command).await
    }

    /// What curl gets without TLS.
    pub async fn curl_http(&self, words: &[&str], path: &str) -> String {
        let command = Self::command(words, "http", &self.http, path);
        self.said(command).await
    }

    /// What a command of a document gets, whose port is this one's.
    pub async fn run_as_told(&self, command: &str) -> String {
        let port = self.https.address.port();
        let command = command.replace(":443:", &format!(":{port}:"));
        let command = command.replace(
            &format!("https://{NAME}/"),
            &format!("https://{NAME}:{port}/"),
        );
        let mut shell = Command::new("bash");
        shell.args(["-euc", &command]).stdin(Stdio::null());
        self.said(shell).await
    }
}

/// A folder and two ports for a proxy.
fn places() -> (TempDir, Port, Port) {
    let folder = TempDir::new().expect("a folder");
    (folder, Port::reserve(), Port::reserve())
}

/// An answer that goes on and on.
pub struct Events {
    _curl: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Events {
    /// Asks for it through the proxy.
    pub fn open(proxy: &Proxy, words: &[&str], path: &str) -> Self {
        let mut curl = Proxy::command(words, "https", &proxy.https, path);
        let curl = curl.arg("--no-buffer").stdout(Stdio::piped());
        let mut curl = curl.spawn().expect("curl runs");
        let output = curl.stdout.take().expect("a pipe");
        Self {
            _curl: curl,
            lines: BufReader::new(output).lines(),
        }
    }

    /// Waits for a line that has this text, while the answer goes on.
    pub async fn wait_for(&mut self, text: &str) {
        let reading = async {
            loop {
                let line = self.lines.next_line().await.expect("text");
                let line = line.unwrap_or_else(|| panic!("it ended without {text}"));
                if line.contains(text) {
                    break;
                }
            }
        };
        let in_time = timeout(TIMEOUT, reading).await.is_ok();
        assert!(in_time, "no {text}");
    }
}
