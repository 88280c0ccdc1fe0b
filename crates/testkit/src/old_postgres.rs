//! A PostgreSQL that is too old to be used.

use std::net::{Ipv4Addr, SocketAddr};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// `AuthenticationOk`, `ParameterStatus`, `ReadyForQuery`.
const GREETING: &[u8] =
    b"R\0\0\0\x08\0\0\0\0S\0\0\0\x20server_version\x0014.11 (test)\0Z\0\0\0\x05I";

/// The address of a server that says of itself that it is version 14, and no more. It ends with the runtime.
pub async fn old_postgres() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let listener = listener.expect("a free port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            tokio::spawn(greet(client));
        }
    });
    address
}

/// Greets whoever has begun to speak, and waits until they go.
async fn greet(mut client: TcpStream) {
    let mut startup = [0; 1_024];
    let first = client.read(&mut startup).await;
    assert_ne!(first.expect("its first message"), 0);
    client.write_all(GREETING).await.expect("written");
    client.read_to_end(&mut Vec::new()).await.expect("read");
}
