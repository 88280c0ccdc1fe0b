//! A PostgreSQL that is reached as in production: over TCP, with TLS and a password.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU8, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hato_cluster::{Cluster, Durability};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};

use crate::listener_task::ListenerTask;
use crate::test_ca::TestCa;

/// PostgreSQL's own port, which every cluster keeps.
const PORT: u16 = 5432;

/// Whoever comes by TCP needs TLS and a password.
const RULES: &str = "local all,replication all trust\nhostssl all all 127.0.0.0/8 scram-sha-256\n";

/// A cluster with the user `guest`, whose password is [`SecuredCluster::PASSWORD`], and the empty database `guest`.
pub struct SecuredCluster {
    cluster: Cluster,
    own_address: SocketAddr,
    named_address: SocketAddr,
    /// Leads from the one address to the other.
    _proxy: ListenerTask,
}

impl SecuredCluster {
    /// The password of `guest`.
    pub const PASSWORD: &str = "the-password";

    /// Starts a cluster whose certificate this authority signed.
    pub async fn start(authority: &TestCa) -> Self {
        let cluster = Cluster::start(Durability::None).expect("a cluster");
        let own_address = SocketAddr::from((address_of_its_own(), PORT));
        write(&cluster, "server.pem", &authority.server_pem());
        write(&cluster, "pg_hba.conf", RULES);
        for statement in [
            &format!("CREATE ROLE guest LOGIN PASSWORD '{}'", Self::PASSWORD),
            "CREATE DATABASE guest OWNER guest",
            &format!("ALTER SYSTEM SET listen_addresses = '{}'", own_address.ip()),
            "ALTER SYSTEM SET ssl_cert_file = 'server.pem'",
            "ALTER SYSTEM SET ssl_key_file = 'server.pem'",
            "ALTER SYSTEM SET ssl = on",
        ] {
            execute(&cluster, statement);
        }
        cluster.kill().expect("stopped");
        cluster.restart().expect("started with its new settings");
        let (named_address, proxy) = forward_to(own_address).await;
        Self {
            cluster,
            own_address,
            named_address,
            _proxy: proxy,
        }
    }

    /// An address that stands in the certificate.
    pub fn address(&self) -> SocketAddr {
        self.named_address
    }

    /// One that does not.
    pub fn unnamed_address(&self) -> SocketAddr {
        self.own_address
    }

    /// Itself, without the password and TLS.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Runs a statement in the database `guest`, as its administrator.
    pub fn execute(&self, statement: &str) {
        self.cluster.execute("guest", statement).expect("executed");
    }
}

fn execute(cluster: &Cluster, statement: &str) {
    cluster.execute("postgres", statement).expect("executed");
}

/// An address of this machine that nobody else who does the same has at the same time: no other process, and in this one no other of
/// three clusters.
fn address_of_its_own() -> Ipv4Addr {
    static STARTED: AtomicU8 = AtomicU8::new(0);
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    Ipv4Addr::new(127, 64 * (1 + number % 3) + high, middle, low)
}

/// Writes a file of the cluster, as the user whom it belongs to.
fn write(cluster: &Cluster, name: &str, text: &str) {
    let path = cluster.folder().join("data").join(name);
    let text = STANDARD.encode(text);
    execute(
        cluster,
        &format!(
            "COPY (SELECT '{text}') TO PROGRAM 'umask 077; base64 --decode >{}'",
            path.display()
        ),
    );
}

async fn forward_to(cluster: SocketAddr) -> (SocketAddr, ListenerTask) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let listener = listener.expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    let task = ListenerTask::spawn(listener, move |mut near| async move {
        if let Ok(mut far) = TcpStream::connect(cluster).await {
            // However the connection ends, both ends hear of it.
            let _ = copy_bidirectional(&mut near, &mut far).await;
        }
    });
    (address, task)
}
