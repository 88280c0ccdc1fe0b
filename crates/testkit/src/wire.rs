//! A wire in front of a push service, to be cut or taken away while the push service goes on.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::listening::Listening;
use crate::push_service::{Options, PushService};

/// Where a push service listens behind a wire; in front, at the same port, is 127.0.0.1.
const BEHIND: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// A wire to a push service, whose endpoints lead to the front of it.
pub struct Wire {
    service: SocketAddr,
    cut: watch::Sender<()>,
    /// None while it is taken away.
    front: Option<Listening>,
}

impl Wire {
    /// The same options for a push service that is reached through a wire.
    #[must_use]
    pub fn behind(options: Options) -> Options {
        Options {
            listen: SocketAddr::from((BEHIND, 0)),
            ..options
        }
    }

    /// The wire to a push service that was started with [`Self::behind`].
    pub async fn to(service: &PushService) -> Self {
        let mut wire = Self {
            service: service.address(),
            cut: watch::Sender::new(()),
            front: None,
        };
        wire.put_back().await;
        wire
    }

    /// From now on nothing passes on the connections that are open, and neither end hears of it. Others can be made.
    pub fn cut(&self) {
        self.cut.send_replace(());
    }

    /// Closes all connections, and lets nobody connect.
    pub fn take_away(&mut self) {
        self.front = None;
    }

    /// Lets connections be made again.
    pub async fn put_back(&mut self) {
        let front = SocketAddr::from((Ipv4Addr::LOCALHOST, self.service.port()));
        let listener = TcpListener::bind(front).await.expect("the same port");
        let (service, cut) = (self.service, self.cut.clone());
        self.front = Some(Listening::spawn(listener, move |near| {
            carry(near, service, cut.subscribe())
        }));
    }
}

async fn carry(mut near: TcpStream, service: SocketAddr, mut cut: watch::Receiver<()>) {
    let Ok(mut far) = TcpStream::connect(service).await else {
        return;
    };
    tokio::select! {
        _ = copy_bidirectional(&mut near, &mut far) => {}
        _ = cut.changed() => std::future::pending().await,
    }
}
