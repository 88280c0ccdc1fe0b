//! The sockets at which requests arrive.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpSocket};

use super::error::BootError;

/// Connections that may wait to be accepted. With the usual 128, a burst of browsers finds its queue full, and the system resets what
/// some of them have begun to send.
const ACCEPT_QUEUE: u32 = 4_096;

pub(super) fn listen(address: SocketAddr) -> Result<TcpListener, BootError> {
    bind(address).map_err(|error| BootError::Listen(address, error))
}

fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // A server that is started anew may take the address of connections that are still ending. On Windows it would mean more.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(ACCEPT_QUEUE)
}

/// The address that the system gave for the one that was asked for.
pub(super) fn bound_address(
    listener: &TcpListener,
    requested: SocketAddr,
) -> Result<SocketAddr, BootError> {
    let address = listener.local_addr();
    address.map_err(|error| BootError::Listen(requested, error))
}
