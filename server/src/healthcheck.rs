//! `hato-server healthcheck`: whether the server of this machine is ready, for whoever has no other program to ask with, such as a
//! container without a shell (CONTRACT 1).

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use clap::Args;
use http::header::HOST;
use http::{Request, StatusCode};
use http_body_util::Empty;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::config;

/// How long the answer may take: the server itself gives its database 5 seconds.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The settings of `hato-server healthcheck`.
#[derive(Args)]
pub struct HealthcheckConfig {
    /// Listening address of the server that is asked
    #[arg(long, env = "HATO_LISTEN", value_name = "ADDRESS")]
    #[arg(default_value = config::DEFAULT_LISTEN, value_parser = config::address())]
    listen: SocketAddr,
}

/// The server is not ready.
#[derive(Debug, thiserror::Error)]
pub enum HealthcheckError {
    /// Nobody listens, or the connection broke.
    #[error("nothing at {0} answers")]
    Connect(SocketAddr, #[source] io::Error),
    /// What listens speaks no HTTP.
    #[error("{0} does not answer")]
    Exchange(SocketAddr, #[source] hyper::Error),
    /// There is no answer in time.
    #[error("{0} does not answer in time")]
    Late(SocketAddr),
    /// It answers that it is not ready.
    #[error("{0} is not ready: {1}")]
    NotReady(SocketAddr, StatusCode),
}

/// Asks the server for `/readyz`.
pub async fn run(config: &HealthcheckConfig) -> Result<(), HealthcheckError> {
    let address = reachable(config.listen);
    let status = timeout(TIMEOUT, ask(address)).await;
    match status.map_err(|_| HealthcheckError::Late(address))?? {
        StatusCode::OK => Ok(()),
        status => Err(HealthcheckError::NotReady(address, status)),
    }
}

/// Where a server is reached that listens there: one that listens everywhere does so on this machine.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

async fn ask(address: SocketAddr) -> Result<StatusCode, HealthcheckError> {
    let exchange = |error| HealthcheckError::Exchange(address, error);
    let stream = TcpStream::connect(address).await;
    let stream = stream.map_err(|error| HealthcheckError::Connect(address, error))?;
    let connection = http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = connection.map_err(exchange)?;
    let connection = tokio::spawn(connection);
    let request = Request::get("/readyz").header(HOST, address.to_string());
    let request = request.body(Empty::<Bytes>::new());
    let response = sender.send_request(request.expect("a request")).await;
    connection.abort();
    Ok(response.map_err(exchange)?.status())
}

#[cfg(test)]
mod tests {
    use super::reachable;

    #[test]
    fn a_server_that_listens_everywhere_is_asked_on_this_machine() {
        for (listens, asked) in [
            ("0.0.0.0:3000", "127.0.0.1:3000"),
            ("[::]:3000", "[::1]:3000"),
            ("10.0.0.11:3000", "10.0.0.11:3000"),
        ] {
            let address = reachable(listens.parse().expect("an address"));
            assert_eq!(address.to_string(), asked);
        }
    }
}
