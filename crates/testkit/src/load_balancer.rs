//! Caddy or nginx in front of several servers, where this machine has one of them.

use std::{
    io::{self, Write},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use hato_cluster::find_program;
use tempfile::TempDir;
use tokio::{
    process::{Child, Command},
    time::{sleep, timeout},
};

use crate::client::Client;

/// How long it may take to pass requests on.
const START_TIMEOUT: Duration = Duration::from_secs(10);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A load balancer's program.
#[derive(Clone, Debug)]
pub enum Program {
    /// <https://caddyserver.com>
    Caddy(PathBuf),
    /// <https://nginx.org>
    Nginx(PathBuf),
}

impl Program {
    /// Caddy, if this machine has it.
    pub fn caddy() -> Option<Self> {
        find_program("caddy").map(Self::Caddy)
    }

    /// nginx, if this machine has it.
    pub fn nginx() -> Option<Self> {
        find_program("nginx").map(Self::Nginx)
    }

    /// What people call it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Caddy(_) => "Caddy",
            Self::Nginx(_) => "nginx",
        }
    }

    fn configuration(&self, listen: SocketAddr, servers: &[SocketAddr], folder: &Path) -> String {
        match self {
            Self::Caddy(_) => caddyfile(listen, servers),
            Self::Nginx(_) => nginx_conf(listen, servers, folder),
        }
    }

    fn command(&self, configuration: &Path, folder: &Path) -> Command {
        match self {
            Self::Caddy(program) => {
                let mut caddy = Command::new(program);
                caddy.args(["run", "--adapter", "caddyfile", "--config"]);
                caddy.arg(configuration);
                // Where it keeps what it would use again.
                caddy.envs([("XDG_CONFIG_HOME", folder), ("XDG_DATA_HOME", folder)]);
                caddy
            }
            Self::Nginx(program) => {
                let mut nginx = Command::new(program);
                nginx.args(["-e", "stderr", "-p"]).arg(folder);
                nginx.arg("-c").arg(configuration);
                nginx
            }
        }
    }
}

/// A load balancer that runs; killed when dropped.
pub struct LoadBalancer {
    _process: Child,
    _folder: TempDir,
}

impl LoadBalancer {
    /// Starts `program` on `listen` and waits until a request comes through to one of `servers`.
    pub async fn start(
        program: &Program,
        listen: SocketAddr,
        servers: &[SocketAddr],
    ) -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut file = tempfile::NamedTempFile::new_in(folder.path())?;
        let configuration = program.configuration(listen, servers, folder.path());
        file.write_all(configuration.as_bytes())?;
        let (_, path) = file.keep()?;
        let mut command = program.command(&path, folder.path());
        let silent = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = silent.kill_on_drop(true).spawn()?;
        let answered = timeout(START_TIMEOUT, wait_for_answer(listen)).await;
        answered.map_err(|_| io::Error::other(format!("{} passes nothing on", program.name())))?;
        Ok(Self {
            _process: process,
            _folder: folder,
        })
    }
}

async fn wait_for_answer(address: SocketAddr) {
    let client = Client::new(address);
    while !client
        .get("/readyz")
        .await
        .is_ok_and(|reply| reply.status == 200)
    {
        sleep(POLL_INTERVAL).await;
    }
}

/// A server that has ended is passed over: a request that it did not take goes to another one.
fn caddyfile(listen: SocketAddr, servers: &[SocketAddr]) -> String {
    let servers: Vec<_> = servers.iter().map(SocketAddr::to_string).collect();
    format!(
        "{{\n\tadmin off\n\tauto_https off\n}}\n\
         http://:{} {{\n\tbind {}\n\treverse_proxy {} {{\n\t\t\
         lb_try_duration 5s\n\t\tfail_duration 10s\n\t}}\n}}\n",
        listen.port(),
        listen.ip(),
        servers.join(" ")
    )
}

/// One process, whose end is the end of all of it.
fn nginx_conf(listen: SocketAddr, servers: &[SocketAddr], folder: &Path) -> String {
    let servers = servers.iter().map(|server| format!("server {server}; "));
    let servers = servers.collect::<Vec<_>>().concat();
    let folder = folder.display();
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|name| format!("    {name}_temp_path {folder}/{name};\n"))
        .concat();
    format!(
        "daemon off;\nmaster_process off;\npid {folder}/nginx.pid;\nevents {{}}\nhttp {{\n\
         {folders}    access_log off;\n    client_max_body_size 17m;\n    \
         upstream api {{ {servers}}}\n    server {{\n        listen {listen};\n        \
         location / {{\n            proxy_pass http://api;\n            proxy_http_version 1.1;\n            \
         proxy_buffering off;\n            proxy_set_header Host $http_host;\n            \
         proxy_set_header X-Forwarded-For $remote_addr;\n            \
         proxy_set_header X-Forwarded-Proto $scheme;\n        }}\n    }}\n}}\n"
    )
}
