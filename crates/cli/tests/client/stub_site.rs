//! A site that answers whatever a test wants.

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

/// A listener on the loopback address that speaks as much HTTP as the doctor needs.
pub struct StubSite;

/// An answer: status line, further headers, body.
pub fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

impl StubSite {
    /// Answers each path for as long as the test runs; returns the origin.
    pub async fn serve(answer: impl Fn(&str) -> String + Send + 'static) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let mut stream = BufReader::new(stream);
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    let read = stream.read_line(&mut head).await;
                    if read.unwrap_or(0) == 0 {
                        break;
                    }
                }
                let path = head.split(' ').nth(1).unwrap_or_default();
                // Whoever has hung up does not want the answer.
                let _ = stream.write_all(answer(path).as_bytes()).await;
            }
        });
        url
    }
}
