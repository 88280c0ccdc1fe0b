//! A port for a program that is told where to listen.

use std::net::SocketAddr;

use tokio::net::TcpSocket;

/// A port that is nobody else's for as long as this is kept: bound, so that the system chooses it for nobody, yet free for
/// a server that is told to listen there.
pub struct Port {
    _socket: TcpSocket,
    /// Of the loopback interface.
    pub address: SocketAddr,
}

impl Port {
    /// Reserves a port of the loopback address that the system chooses.
    pub fn reserve() -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_reuseaddr(true).expect("an option");
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        socket.bind(any).expect("a port");
        let address = socket.local_addr().expect("bound");
        Self {
            _socket: socket,
            address,
        }
    }
}
