//! A PostgreSQL cluster that ends with the process that started it: for tests, for the queries' offline data, and for trying a
//! fleet on one machine.
//!
//! PostgreSQL refuses to run as root, and a test's process may be killed before it can clean up. So a script keeps the cluster
//! (`keeper.sh`): as an unprivileged user, in a folder of its own, reachable by a Unix socket only, for as long as its standard
//! input is open. However this process ends, that closes, and the cluster is stopped and its folder removed.
//!
//! ```no_run
//! use hato_cluster::{Cluster, ClusterError, Durability};
//!
//! # fn main() -> Result<(), ClusterError> {
//! let cluster = Cluster::start(Durability::None)?;
//! cluster.create_database("bakery")?;
//! cluster.execute("bakery", "CREATE TABLE breads (name TEXT)")?;
//! cluster.execute("bakery", "INSERT INTO breads VALUES ('rye')")?;
//! assert_eq!(cluster.query("bakery", "SELECT name FROM breads")?, "rye");
//!
//! // Others connect to it by its URL for as long as the cluster is not dropped.
//! assert!(cluster.url("bakery").starts_with("postgres:///bakery?"));
//! # Ok(())
//! # }
//! ```

mod pooler;
mod processes;
mod programs;

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

pub use pooler::Pooler;
pub use programs::find_program;

/// The user of every database.
const USER: &str = "hato";

/// Ends when a standby has what every commit waits for.
const AWAIT_STANDBY: &str = "DO $$ BEGIN
    WHILE NOT EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync') LOOP
        PERFORM pg_sleep(0.02);
    END LOOP;
END $$";

/// Whether what was committed survives PostgreSQL's own end by force, and the machine's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Nothing waits for the disk: for tests of everything else.
    None,
    /// As in production: for tests of loss.
    Full,
}

/// A cluster could not be started, or did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The machine has no PostgreSQL.
    #[error(
        "PostgreSQL 15 or later is missing: run `scripts/setup test`, or on Debian or Ubuntu `apt-get install postgresql`"
    )]
    Missing,
    /// The machine has no pooler.
    #[error(
        "PgBouncer is missing: run `scripts/setup test`, or on Debian or Ubuntu `apt-get install pgbouncer`"
    )]
    MissingPooler,
    /// A program could not be started.
    #[error("cannot run {program}: {source}")]
    Program {
        /// The path of the program.
        program: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// A program ended with an exit code other than 0, or a keeper before its cluster was ready.
    #[error("{program} failed: {reason}")]
    Failed {
        /// The path of the program.
        program: PathBuf,
        /// What it wrote to standard error.
        reason: String,
    },
}

/// A cluster that runs.
#[derive(Debug)]
pub struct Cluster {
    programs: PathBuf,
    /// Where its data and its socket are.
    folder: PathBuf,
    keeper: Child,
}

impl Cluster {
    /// Makes a cluster and starts it, within about a second.
    pub fn start(durability: Durability) -> Result<Self, ClusterError> {
        Self::keep(durability, None, &[])
    }

    /// The same with these variables in the environment of PostgreSQL.
    pub fn start_with(
        durability: Durability,
        environment: &[(&str, &str)],
    ) -> Result<Self, ClusterError> {
        Self::keep(durability, None, environment)
    }

    /// Starts a standby of this cluster, for which every commit waits from now on.
    pub fn start_standby(&self, durability: Durability) -> Result<Self, ClusterError> {
        let standby = Self::keep(durability, Some(&self.folder), &[])?;
        for statement in [
            "ALTER SYSTEM SET synchronous_standby_names = '*'",
            "SELECT pg_reload_conf()",
            AWAIT_STANDBY,
        ] {
            self.execute("postgres", statement)?;
        }
        Ok(standby)
    }

    fn keep(
        durability: Durability,
        primary: Option<&Path>,
        environment: &[(&str, &str)],
    ) -> Result<Self, ClusterError> {
        let programs = programs::folder().ok_or(ClusterError::Missing)?;
        let mut keeper = keeper(&programs, durability, primary, environment)?;
        match ready_folder(&mut keeper) {
            Some(folder) => Ok(Self {
                programs,
                folder,
                keeper,
            }),
            None => Err(ClusterError::Failed {
                program: programs.join("initdb"),
                reason: end_of(keeper),
            }),
        }
    }

    /// The URL of a database of this cluster.
    pub fn url(&self, database: &str) -> String {
        format!(
            "postgres:///{database}?host={}&user={USER}",
            self.folder.display()
        )
    }

    /// The folder of the socket and of the data.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The id of PostgreSQL's first process, whose children all others are; `None` while it is down.
    pub fn process_id(&self) -> Option<u32> {
        let file = std::fs::read_to_string(self.folder.join("data/postmaster.pid"));
        file.ok()?.lines().next()?.trim().parse().ok()
    }

    /// psql in a database, which stops at the first error; what it is to do is still to be said.
    pub fn psql(&self, database: &str) -> Command {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1"])
            .arg(format!("--dbname={}", self.url(database)));
        psql
    }

    /// Makes an empty database.
    pub fn create_database(&self, name: &str) -> Result<(), ClusterError> {
        self.execute("postgres", &format!("CREATE DATABASE {name}"))
    }

    /// Makes a copy of a database to which nobody is connected.
    pub fn copy_database(&self, name: &str, template: &str) -> Result<(), ClusterError> {
        self.execute(
            "postgres",
            &format!("CREATE DATABASE {name} TEMPLATE {template}"),
        )
    }

    /// Removes a database and ends its connections.
    pub fn drop_database(&self, name: &str) -> Result<(), ClusterError> {
        self.execute("postgres", &format!("DROP DATABASE {name} WITH (FORCE)"))
    }

    /// Runs statements in a database, with psql.
    pub fn execute(&self, database: &str, statements: &str) -> Result<(), ClusterError> {
        self.query(database, statements).map(drop)
    }

    /// Ends all sessions of others in a database.
    pub fn end_sessions(&self, database: &str) -> Result<(), ClusterError> {
        self.execute(
            database,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
    }

    /// What statements answer, with psql: a line for each row, its columns separated by `|`.
    pub fn query(&self, database: &str, statements: &str) -> Result<String, ClusterError> {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.args(["--no-psqlrc", "--quiet", "--no-align", "--tuples-only"])
            .args(["--set=ON_ERROR_STOP=1", "--command"])
            .arg(statements)
            .arg(self.url(database));
        output(psql)
    }

    /// Ends every process of PostgreSQL with SIGKILL. It stays down until [`Self::restart`].
    pub fn kill(&self) -> Result<(), ClusterError> {
        processes::kill(&self.folder.join("data/postmaster.pid"))
    }

    /// Starts PostgreSQL after [`Self::kill`], or when it has ended by itself.
    pub fn restart(&self) -> Result<(), ClusterError> {
        // They name a process that is gone, whose number another one may have.
        for lock in ["data/postmaster.pid", ".s.PGSQL.5432.lock"] {
            fs::remove_file(self.folder.join(lock)).ok();
        }
        self.pg_ctl(&["start"])
    }

    /// Lets no file of the cluster grow past so many bytes, as on a disk that is full; or again, without a number. A log (WAL) that may
    /// not be written ends the cluster, until [`Self::restart`].
    pub fn limit_files(&self, bytes: Option<u64>) -> Result<(), ClusterError> {
        let limit = bytes.map_or_else(|| "unlimited".to_owned(), |bytes| bytes.to_string());
        processes::limit_files(&self.folder.join("data/postmaster.pid"), &limit)
    }

    /// Makes a standby a cluster of its own, that takes writes.
    pub fn promote(&self) -> Result<(), ClusterError> {
        self.pg_ctl(&["promote"])
    }

    /// The socket of its server.
    pub fn socket(&self) -> PathBuf {
        self.folder.join(".s.PGSQL.5432")
    }

    fn pg_ctl(&self, words: &[&str]) -> Result<(), ClusterError> {
        let mut pg_ctl = unprivileged(&self.programs.join("pg_ctl"));
        pg_ctl
            .arg(format!("--pgdata={}/data", self.folder.display()))
            .arg(format!("--log={}/log", self.folder.display()))
            .args(["--silent", "--wait"])
            .args(words);
        succeed(pg_ctl)
    }
}

/// Closes the keeper's input and waits until it has cleaned up.
impl Drop for Cluster {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        self.keeper.wait().ok();
    }
}

/// Starts the script of a cluster, or of a standby of `primary`.
fn keeper(
    programs: &Path,
    durability: Durability,
    primary: Option<&Path>,
    environment: &[(&str, &str)],
) -> Result<Child, ClusterError> {
    let fsync = match durability {
        Durability::None => "off",
        Durability::Full => "on",
    };
    let mut arguments = vec![programs, Path::new(fsync)];
    arguments.extend(primary);
    spawn(
        "keeper.sh",
        include_str!("keeper.sh"),
        &arguments,
        environment,
    )
}

/// Starts a script in a process group of its own, so that what is typed at the terminal does not end it before it has cleaned up.
fn spawn(
    name: &str,
    script: &str,
    arguments: &[&Path],
    environment: &[(&str, &str)],
) -> Result<Child, ClusterError> {
    let mut shell = unprivileged(Path::new("/bin/sh"));
    shell
        .args(["-c", script, name])
        .args(arguments)
        .current_dir("/")
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    shell.spawn().map_err(|source| ClusterError::Program {
        program: PathBuf::from("/bin/sh"),
        source,
    })
}

/// The folder, which the keeper writes when PostgreSQL answers; `None` when it ended before.
fn ready_folder(keeper: &mut Child) -> Option<PathBuf> {
    let mut line = String::new();
    let read = BufReader::new(keeper.stdout.take()?).read_line(&mut line);
    read.ok().filter(|length| *length > 0)?;
    Some(PathBuf::from(line.trim_end()))
}

/// What a keeper that failed wrote.
fn end_of(mut keeper: Child) -> String {
    let mut reason = String::new();
    if let Some(mut stderr) = keeper.stderr.take() {
        stderr.read_to_string(&mut reason).ok();
    }
    keeper.wait().ok();
    reason.trim().to_owned()
}

/// The program, run by somebody else than root.
fn unprivileged(program: &Path) -> Command {
    let Some(user) = programs::substitute_for_root() else {
        return Command::new(program);
    };
    let mut setpriv = Command::new("setpriv");
    setpriv
        .args([
            format!("--reuid={user}"),
            format!("--regid={}", programs::group_of(user)),
        ])
        .arg("--clear-groups")
        .arg(program);
    setpriv
}

fn succeed(command: Command) -> Result<(), ClusterError> {
    output(command).map(drop)
}

/// What a program writes that succeeds.
fn output(mut command: Command) -> Result<String, ClusterError> {
    let program = PathBuf::from(command.get_program());
    // Not a pipe: what a started server inherits stays open.
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|source| ClusterError::Program {
        program: program.clone(),
        source,
    })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    Err(ClusterError::Failed {
        program,
        reason: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}
