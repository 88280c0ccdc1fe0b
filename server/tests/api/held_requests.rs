//! Requests that a server is answering for as long as a test wants.

use hato_testkit::server::HatoServer;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Makes so many requests whose bodies do not come, with this key and of the client that a proxy names, if any. Each is in work when
/// this returns: the server has asked for its body.
pub async fn hold_requests(
    server: &HatoServer,
    key: &str,
    count: usize,
    client: Option<&str>,
) -> Vec<TcpStream> {
    let forwarded = client.map(|client| format!("x-forwarded-for: {client}\r\n"));
    let head = format!(
        "POST /api/v1/notify HTTP/1.1\r\nhost: h\r\nauthorization: Bearer {key}\r\n{}\
         expect: 100-continue\r\ncontent-length: 10\r\n\r\n",
        forwarded.unwrap_or_default()
    );
    let mut streams = Vec::new();
    for _ in 0..count {
        streams.push(hold(server, head.as_bytes()).await);
    }
    streams
}

/// Makes a request with this head, which expects to be told to go on, and returns when it is in work.
pub async fn hold(server: &HatoServer, head: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(server.address()).await.expect("open");
    stream.write_all(head).await.expect("written");
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        let read = stream.read_buf(&mut answer).await.expect("an answer");
        assert_ne!(read, 0, "{}", answer.escape_ascii());
    }
    assert!(
        answer.starts_with(b"HTTP/1.1 100 "),
        "{}",
        answer.escape_ascii()
    );
    stream
}
