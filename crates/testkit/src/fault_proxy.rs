//! A TCP proxy in front of a push service, to be stalled or closed while the push service goes on.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::watch;

use crate::listener_task::ListenerTask;
use crate::push_service::PushServiceOptions;

/// Where a push service listens behind a proxy; in front, at the same port, is 127.0.0.1.
const UPSTREAM_IP: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1_024;

/// A proxy to a push service, whose endpoints lead to the front of it.
pub struct FaultProxy {
    /// Keeps the port in front while the proxy is closed: the system would give it to somebody's connection.
    reserved: TcpSocket,
    stall: watch::Sender<()>,
    /// The listener in front; `None` while the proxy is closed.
    front: Option<ListenerTask>,
}

impl FaultProxy {
    /// A proxy to a push service that is to be started with [`Self::upstream_options`], and is closed until [`Self::open`].
    #[must_use]
    pub fn reserve() -> Self {
        Self {
            reserved: bound(0),
            stall: watch::Sender::new(()),
            front: None,
        }
    }

    /// The same options for the push service behind.
    #[must_use]
    pub fn upstream_options(&self, options: PushServiceOptions) -> PushServiceOptions {
        PushServiceOptions {
            listen: self.service(),
            ..options
        }
    }

    fn port(&self) -> u16 {
        self.reserved.local_addr().expect("it is bound").port()
    }

    fn service(&self) -> SocketAddr {
        SocketAddr::from((UPSTREAM_IP, self.port()))
    }

    /// From now on nothing passes on the connections that are open, and neither end hears of it. Others can be made.
    pub fn stall_connections(&self) {
        self.stall.send_replace(());
    }

    /// Closes all connections, and lets nobody connect.
    pub fn close(&mut self) {
        self.front = None;
    }

    /// Lets connections be made, always at the same address.
    pub fn open(&mut self) {
        let listener = bound(self.port()).listen(BACKLOG).expect("a listener");
        let (service, stall) = (self.service(), self.stall.clone());
        self.front = Some(ListenerTask::spawn(listener, move |downstream| {
            forward(downstream, service, stall.subscribe())
        }));
    }
}

/// A socket in front at this port, or at any that is free; several may have the same one.
fn bound(port: u16) -> TcpSocket {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_reuseport(true).expect("a TCP socket");
    let front = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    socket.bind(front).expect("the port is free, or reserved");
    socket
}

async fn forward(mut downstream: TcpStream, service: SocketAddr, mut stall: watch::Receiver<()>) {
    let Ok(mut upstream) = TcpStream::connect(service).await else {
        return;
    };
    tokio::select! {
        _ = copy_bidirectional(&mut downstream, &mut upstream) => {}
        _ = stall.changed() => std::future::pending().await,
    }
}
