//! A TCP address of a database that can be led to another server.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use hato_cluster::Cluster;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::fixtures::DATABASE;

/// Passes connections on to a PostgreSQL server.
pub struct DatabaseProxy {
    address: SocketAddr,
    target: watch::Sender<PathBuf>,
    accepting: JoinHandle<()>,
}

impl DatabaseProxy {
    /// A proxy to this cluster.
    pub async fn start(cluster: &Cluster) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.expect("a free port");
        let target = watch::Sender::new(cluster.socket());
        Self {
            address: listener.local_addr().expect("an address"),
            accepting: tokio::spawn(accept(listener, target.clone())),
            target,
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
        self.target.send_replace(cluster.socket());
    }
}

impl Drop for DatabaseProxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, target: watch::Sender<PathBuf>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(forward(stream, target.subscribe()));
    }
}

async fn forward(mut client: TcpStream, mut target: watch::Receiver<PathBuf>) {
    let socket = target.borrow_and_update().clone();
    let Ok(mut server) = UnixStream::connect(socket).await else {
        return;
    };
    tokio::select! {
        _ = copy_bidirectional(&mut client, &mut server) => {}
        _ = target.changed() => {}
    }
}
