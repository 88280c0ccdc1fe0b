//! The server's process, and what it writes.

use super::{SERVER_TIMEOUT, ServerError, ServerLaunch};
use std::{
    collections::VecDeque,
    fmt::Write,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process::Child,
    sync::watch,
    time::timeout,
};

/// What precedes the bound address in the server's log.
const LISTENING_PREFIX: &str = "listening on http://";
const MAX_LOG_LINES: usize = 100_000;

/// The child and what it has written.
pub(super) struct ServerProcess {
    pub(super) child: Child,
    lines: Arc<Mutex<VecDeque<String>>>,
    announced: watch::Receiver<Option<SocketAddr>>,
}

impl ServerProcess {
    pub(super) fn spawn(launch: &ServerLaunch) -> Result<Self, ServerError> {
        let failed = |error| ServerError::Run(launch.binary.clone(), error);
        std::fs::create_dir_all(launch.folder.path()).map_err(failed)?;
        let mut child = launch.command("serve").spawn().map_err(failed)?;
        let (announce, announced) = watch::channel(None);
        let lines = Arc::default();
        let stdout = child.stdout.take().expect("it is piped");
        let stderr = child.stderr.take().expect("it is piped");
        tokio::spawn(follow(stdout, Arc::clone(&lines), announce.clone()));
        tokio::spawn(follow(stderr, Arc::clone(&lines), announce));
        Ok(Self {
            child,
            lines,
            announced,
        })
    }

    pub(super) async fn wait_for_address(&self) -> Result<SocketAddr, ServerError> {
        let mut announced = self.announced.clone();
        let known = timeout(SERVER_TIMEOUT, announced.wait_for(Option::is_some)).await;
        match known {
            Ok(Ok(address)) => (*address).ok_or_else(|| self.timed_out()),
            Ok(Err(_)) => Err(ServerError::Ended(self.log())),
            Err(_) => Err(self.timed_out()),
        }
    }

    fn timed_out(&self) -> ServerError {
        ServerError::Timeout("listening", self.log())
    }

    pub(super) fn log(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().fold(String::new(), |mut log, line| {
            writeln!(log, "{line}").expect("a string takes any text");
            log
        })
    }
}

/// Reads an output to its end, so that the child never blocks on a full pipe.
async fn follow(
    output: impl AsyncRead + Unpin,
    kept: Arc<Mutex<VecDeque<String>>>,
    announce: watch::Sender<Option<SocketAddr>>,
) {
    let mut lines = BufReader::new(output).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        if let Some(address) = announced_address(&line) {
            announce.send_replace(Some(address));
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == MAX_LOG_LINES {
            kept.pop_front();
        }
        kept.push_back(line);
    }
}

fn announced_address(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once(LISTENING_PREFIX)?;
    let belongs = |c: char| c.is_ascii_hexdigit() || matches!(c, '.' | ':' | '[' | ']');
    let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
    rest[..end].parse().ok()
}
