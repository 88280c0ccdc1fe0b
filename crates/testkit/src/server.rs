//! The real server as a child process, to be killed, stopped and started again on the same data.

mod metrics;
mod process;

pub use self::metrics::series_value;
use self::process::ServerProcess;
use crate::{
    TestDatabase,
    client::{Client, ClientError},
    push_service::PushService,
};
use std::{
    collections::BTreeMap,
    io,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};
use tempfile::TempDir;
use tokio::{
    process::Command,
    time::{sleep, timeout},
};

/// How long the server may take to listen, to be ready, and to stop: debug builds on a busy machine included.
const SERVER_TIMEOUT: Duration = Duration::from_mins(1);
const READY_POLL_INTERVAL: Duration = Duration::from_millis(50);
/// The secrets of servers on PostgreSQL, which makes none; those on SQLite make their own.
const SECRETS: [(&str, &str); 2] = [
    (
        "HATO_PEPPER",
        "7e57000000000000000000000000000000000000000000000000000000000001",
    ),
    (
        "HATO_ENCRYPTION_KEY",
        "7e57000000000000000000000000000000000000000000000000000000000002",
    ),
];

/// The server did not do what was asked of it; the text ends with its last log lines.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The program cannot be run, or its folder cannot be made.
    #[error("cannot run {0}: {1}")]
    Run(PathBuf, #[source] io::Error),
    /// The server ended before it listened; the text is its log.
    #[error("the server ended before it listened:\n{0}")]
    Ended(String),
    /// The server did not do within a minute what the first text says; the second is its log.
    #[error("the server was not {0} within {SERVER_TIMEOUT:?}:\n{1}")]
    Timeout(&'static str, String),
}

/// How a server is started: on a port the system chooses, with a data folder of its own, unless told otherwise.
#[derive(Clone)]
pub struct ServerLaunch {
    binary: PathBuf,
    folder: DataDir,
    env: BTreeMap<String, String>,
    database: Option<Arc<TestDatabase>>,
}

#[derive(Clone)]
enum DataDir {
    Temporary(Arc<TempDir>),
    Given(PathBuf),
}

impl DataDir {
    fn path(&self) -> &Path {
        match self {
            Self::Temporary(folder) => folder.path(),
            Self::Given(path) => path,
        }
    }
}

impl ServerLaunch {
    /// Will start the program at `binary`; tests pass `env!("CARGO_BIN_EXE_hato-server")`.
    pub fn new(binary: impl Into<PathBuf>) -> Self {
        let folder = TempDir::new().expect("a temporary folder can be made");
        let env = [("HATO_LISTEN", "127.0.0.1:0"), ("NO_COLOR", "1")];
        Self {
            binary: binary.into(),
            folder: DataDir::Temporary(Arc::new(folder)),
            env: env.map(|(k, v)| (k.into(), v.into())).into(),
            database: None,
        }
    }

    /// The same on this database, which is removed with the last server that has it. With PostgreSQL the secrets are set.
    pub fn on(binary: impl Into<PathBuf>, database: TestDatabase) -> Self {
        let launch = Self::new(binary);
        let launch = match database.folder() {
            Some(folder) => launch.data_dir(folder),
            None => SECRETS.into_iter().fold(
                launch.env("HATO_DATABASE_URL", database.url()),
                |launch, (name, secret)| launch.env(name, secret),
            ),
        };
        Self {
            database: Some(Arc::new(database)),
            ..launch
        }
    }

    /// Keeps the data in this folder, which outlives the server.
    #[must_use]
    pub fn data_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.folder = DataDir::Given(path.into());
        self
    }

    /// Sets one of the variables of CONTRACT 1.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.insert(name.to_owned(), value.into());
        self
    }

    /// What a variable was set to.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str)
    }

    /// Lets the server reach loopback addresses and trust the push service's certificate.
    #[must_use]
    pub fn with_push_service(self, service: &PushService) -> Self {
        let ca = self.folder.path().join("push-service-ca.pem");
        std::fs::create_dir_all(self.folder.path()).expect("the data folder can be made");
        service.write_ca(&ca).expect("the data folder is writable");
        self.env("HATO_OUTBOUND_ALLOW", "127.0.0.0/8,::1/128")
            .env("HATO_OUTBOUND_CA", ca.to_string_lossy())
    }

    /// Takes away both secrets: those that were set, and those that a former server on the same data made.
    #[must_use]
    pub fn without_secrets(self) -> Self {
        // With PostgreSQL there is no file.
        std::fs::remove_file(self.folder.path().join("secrets.toml")).ok();
        let launch = SECRETS.into_iter().fold(self, |launch, (name, _)| {
            // An empty variable counts as unset.
            launch.env(name, "")
        });
        launch.env("HATO_GENERATE_SECRETS", "false")
    }

    /// Starts the server and waits until it is ready.
    pub async fn start(self) -> Result<HatoServer, ServerError> {
        let process = ServerProcess::spawn(&self)?;
        let address = process.wait_for_address().await?;
        wait_until_ready(&Client::new(address), &process).await?;
        Ok(HatoServer {
            launch: self,
            process,
            address,
        })
    }

    /// A command of the program on these data, `serve` or another one.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(&self.binary);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("HATO_")) {
            command.env_remove(name);
        }
        command
            .arg(name)
            .env("HATO_DATA_DIR", self.folder.path())
            .envs(&self.env)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }
}

/// A server that listens; killed when dropped.
pub struct HatoServer {
    // Dropped first: the process must be gone before its folder.
    process: ServerProcess,
    launch: ServerLaunch,
    address: SocketAddr,
}

impl HatoServer {
    /// The bound address; another one after a restart, unless `HATO_LISTEN` names a port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The server's origin, `http://ADDRESS`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// A client of this run of the server.
    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    /// The process, by which the system tells what it costs; None once it has ended.
    pub fn process_id(&self) -> Option<u32> {
        self.process.child.id()
    }

    /// The folder with its secrets, and with its database where that is a file.
    pub fn data_dir(&self) -> &Path {
        self.launch.folder.path()
    }

    /// Its two secrets, in hexadecimal digits.
    pub fn secrets(&self) -> Vec<String> {
        let names = SECRETS.iter().map(|(name, _)| *name);
        let set = names.filter_map(|name| self.launch.env.get(name).cloned());
        let file = std::fs::read_to_string(self.data_dir().join("secrets.toml"));
        let file = file.unwrap_or_default();
        let made = file.split('"').filter(|part| part.len() == 64);
        set.chain(made.map(str::to_owned)).collect()
    }

    /// How it was started, for another process on the same data.
    pub fn launch(&self) -> &ServerLaunch {
        &self.launch
    }

    /// Its database, of a server that was started with [`ServerLaunch::on`].
    pub fn database(&self) -> &TestDatabase {
        let database = self.launch.database.as_ref();
        database.expect("it was started on a database")
    }

    /// The last lines of both outputs, at most 100,000.
    pub fn log(&self) -> String {
        self.process.log()
    }

    /// Ends the process with SIGKILL, in the middle of whatever it does.
    pub async fn kill(&mut self) {
        self.process.child.kill().await.expect("it is our child");
    }

    /// Asks it to stop with SIGTERM and waits for its end.
    pub async fn terminate(&mut self) -> Result<ExitStatus, ServerError> {
        self.signal("TERM").await;
        let ended = timeout(SERVER_TIMEOUT, self.process.child.wait()).await;
        ended
            .map_err(|_| ServerError::Timeout("stopped", self.log()))?
            .map_err(|error| ServerError::Run(self.launch.binary.clone(), error))
    }

    /// Halts the process with SIGSTOP, as a machine that is suspended, until [`Self::resume`].
    pub async fn pause(&self) {
        self.signal("STOP").await;
    }

    /// Lets the process go on after [`Self::pause`], which it does not notice.
    pub async fn resume(&self) {
        self.signal("CONT").await;
    }

    /// Waits until the process ends by itself.
    pub async fn ended(&mut self) -> io::Result<ExitStatus> {
        self.process.child.wait().await
    }

    /// Starts it again on the same data, after [`Self::kill`] or [`Self::terminate`].
    pub async fn restart(&mut self) -> Result<(), ServerError> {
        *self = self.launch.clone().start().await?;
        Ok(())
    }

    /// The shell's kill: sending a signal without it takes unsafe code.
    async fn signal(&self, name: &str) {
        if let Some(id) = self.process.child.id() {
            let script = format!("kill -{name} {id}");
            // It fails when the process has ended meanwhile, which is what was wanted.
            let _ = Command::new("sh").args(["-c", &script]).status().await;
        }
    }
}

async fn wait_until_ready(client: &Client, process: &ServerProcess) -> Result<(), ServerError> {
    let ready = async {
        while !is_ready(client.get("/readyz").await) {
            sleep(READY_POLL_INTERVAL).await;
        }
    };
    let late = |_| ServerError::Timeout("ready", process.log());
    timeout(SERVER_TIMEOUT, ready).await.map_err(late)
}

fn is_ready(reply: Result<crate::client::Reply, ClientError>) -> bool {
    reply.is_ok_and(|reply| reply.status == 200)
}
