//! A TCP address of a database that can be led to another server, or to none.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use hato_cluster::Cluster;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::fixtures::DATABASE;

const BUFFER_BYTES: usize = 16 << 10;

/// Passes connections on to a PostgreSQL server.
pub struct DatabaseProxy {
    address: SocketAddr,
    /// The server's socket; `None` while nobody is let through.
    target: watch::Sender<Option<PathBuf>>,
    is_silent: watch::Sender<bool>,
    accepting: JoinHandle<()>,
}

impl DatabaseProxy {
    /// A proxy to this cluster.
    pub async fn start(cluster: &Cluster) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.expect("a free port");
        let target = watch::Sender::new(Some(cluster.socket()));
        let is_silent = watch::Sender::new(false);
        Self {
            address: listener.local_addr().expect("an address"),
            accepting: tokio::spawn(accept(listener, target.clone(), is_silent.clone())),
            target,
            is_silent,
        }
    }

    /// The URL of the fleet's database behind it.
    pub fn url(&self) -> String {
        format!(
            "postgres://hato@{}/{DATABASE}?sslmode=disable",
            self.address
        )
    }

    /// Cuts all connections, and leads new ones to this cluster.
    pub fn lead_to(&self, cluster: &Cluster) {
        self.target.send_replace(Some(cluster.socket()));
    }

    /// Cuts all connections, and ends each new one at once.
    pub fn close(&self) {
        self.target.send_replace(None);
    }

    /// Lets nothing pass on any connection, old or new, and neither end hears of it. What is under way arrives when that ends.
    pub fn silence(&self, is_silent: bool) {
        self.is_silent.send_replace(is_silent);
    }
}

impl Drop for DatabaseProxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(
    listener: TcpListener,
    target: watch::Sender<Option<PathBuf>>,
    is_silent: watch::Sender<bool>,
) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(forward(stream, target.subscribe(), is_silent.subscribe()));
    }
}

async fn forward(
    client: TcpStream,
    mut target: watch::Receiver<Option<PathBuf>>,
    is_silent: watch::Receiver<bool>,
) {
    let Some(socket) = target.borrow_and_update().clone() else {
        return;
    };
    let Ok(server) = UnixStream::connect(socket).await else {
        return;
    };
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let ways = async {
        tokio::join!(
            pass(from_client, to_server, is_silent.clone()),
            pass(from_server, to_client, is_silent.clone())
        )
    };
    tokio::select! {
        _ = ways => {}
        _ = target.changed() => {}
    }
}

/// Passes on what comes, and that nothing more does, but not while it is silent.
async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut is_silent: watch::Receiver<bool>,
) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let length = from.read(&mut buffer).await?;
        let talks = is_silent.wait_for(|is_silent| !is_silent).await;
        talks.map_err(io::Error::other)?;
        if length == 0 {
            return to.shutdown().await;
        }
        to.write_all(&buffer[..length]).await?;
    }
}
