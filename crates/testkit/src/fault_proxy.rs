//! A TCP proxy in front of a push service, to be stalled or closed while the push service goes on.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::listener_task::ListenerTask;
use crate::push_service::{PushService, PushServiceOptions};

/// Where a push service listens behind a proxy; in front, at the same port, is 127.0.0.1.
const UPSTREAM_IP: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// A proxy to a push service, whose endpoints lead to the front of it.
pub struct FaultProxy {
    service: SocketAddr,
    stall: watch::Sender<()>,
    /// The listener in front; `None` while the proxy is closed.
    front: Option<ListenerTask>,
}

impl FaultProxy {
    /// The same options for a push service that is reached through a proxy.
    #[must_use]
    pub fn upstream_options(options: PushServiceOptions) -> PushServiceOptions {
        PushServiceOptions {
            listen: SocketAddr::from((UPSTREAM_IP, 0)),
            ..options
        }
    }

    /// The proxy to a push service that was started with [`Self::upstream_options`].
    pub async fn start(service: &PushService) -> Self {
        let mut proxy = Self {
            service: service.address(),
            stall: watch::Sender::new(()),
            front: None,
        };
        proxy.reopen().await;
        proxy
    }

    /// From now on nothing passes on the connections that are open, and neither end hears of it. Others can be made.
    pub fn stall_connections(&self) {
        self.stall.send_replace(());
    }

    /// Closes all connections, and lets nobody connect.
    pub fn close(&mut self) {
        self.front = None;
    }

    /// Lets connections be made again, at the same address.
    pub async fn reopen(&mut self) {
        let front = SocketAddr::from((Ipv4Addr::LOCALHOST, self.service.port()));
        let listener = TcpListener::bind(front).await.expect("the same port");
        let (service, stall) = (self.service, self.stall.clone());
        self.front = Some(ListenerTask::spawn(listener, move |downstream| {
            forward(downstream, service, stall.subscribe())
        }));
    }
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
