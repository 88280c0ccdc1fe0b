//! Server-sent events that a test waits for.

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use std::time::Duration;
use tokio::time::timeout;

use crate::client::{Client, PooledConnection};

/// The longest wait for what a test expects.
const WAIT_TIMEOUT: Duration = Duration::from_mins(1);

/// A response that streams events; dropping it closes its connection.
pub struct EventStreamReader {
    body: Incoming,
    text: String,
    _connection: PooledConnection,
}

impl EventStreamReader {
    /// Listens at `path` with the client's credential, once the server has begun; panics unless it is 200 and events.
    pub async fn open(client: &Client, path: &str) -> Self {
        let mut request = Request::new(Full::new(Bytes::new()));
        *request.method_mut() = Method::GET;
        *request.uri_mut() = path.parse().expect("a path");
        client.complete(request.headers_mut());
        let mut connection = client.connect().await.expect("a connection");
        let response = connection.send_request(request).await.expect("an answer");
        assert_eq!(response.status(), 200, "{path}");
        let kind = response.headers().get(CONTENT_TYPE);
        assert_eq!(kind.expect("a type"), "text/event-stream");
        let mut listener = Self {
            body: response.into_body(),
            text: String::new(),
            _connection: connection,
        };
        listener.read_until(|text| text.contains("\n\n")).await;
        listener
    }

    /// The `id` and `data` of the first events, once there are so many.
    pub async fn events(&mut self, count: usize) -> Vec<(String, String)> {
        self.read_until(|text| parse(text).len() >= count).await;
        parse(&self.text)
    }

    /// Waits until the server ends it; all events that came.
    pub async fn end(mut self) -> Vec<(String, String)> {
        let ended = async { while self.read().await {} };
        timeout(WAIT_TIMEOUT, ended).await.expect("it ends");
        parse(&self.text)
    }

    async fn read_until(&mut self, done: impl Fn(&str) -> bool) {
        let reading = async {
            while !done(&self.text) {
                assert!(self.read().await, "it ended after {:?}", self.text);
            }
        };
        let in_time = timeout(WAIT_TIMEOUT, reading).await;
        in_time.unwrap_or_else(|_| panic!("only {:?} came", self.text));
    }

    /// Reads what comes next; `false` at the end.
    async fn read(&mut self) -> bool {
        let Some(Ok(frame)) = self.body.frame().await else {
            return false;
        };
        if let Some(data) = frame.data_ref() {
            self.text += std::str::from_utf8(data).expect("text");
        }
        true
    }
}

/// Whole events; comments are none.
fn parse(text: &str) -> Vec<(String, String)> {
    let whole = text
        .split_inclusive("\n\n")
        .filter(|it| it.ends_with("\n\n"));
    let event = |lines: &str| {
        let field = |name| lines.lines().find_map(|line| line.strip_prefix(name));
        Some((field("id: ")?.to_owned(), field("data: ")?.to_owned()))
    };
    whole.filter_map(event).collect()
}
