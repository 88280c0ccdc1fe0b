//! An answer as it arrives on a stranger's connection, whole or not.

use std::time::Duration;

use serde_json::Value;
use tokio::io::AsyncReadExt as _;
use tokio::net::tcp::ReadHalf;
use tokio::time::sleep;

use super::deed::Deed;

/// Most bytes of an answer that are read.
const MAX_BYTES: usize = 1_024 * 1_024;
/// Who reads slowly takes so much after each of these.
const SIP: u64 = 1_024;
pub const DRIP: Duration = Duration::from_millis(100);
/// How long nothing is read by who stops: longer than the server waits for a byte to be taken.
const SILENCE: Duration = Duration::from_secs(35);

/// What has arrived.
pub struct RawResponse {
    deed: Deed,
    bytes: Vec<u8>,
}

impl RawResponse {
    /// Nothing yet of the answer to a request of this kind.
    pub fn to(deed: Deed) -> Self {
        Self {
            deed,
            bytes: Vec::new(),
        }
    }

    /// Reads to the end of the answer, which is that of its head if it is a stream, or of the connection.
    pub async fn read(&mut self, from: &mut ReadHalf<'_>) {
        if self.deed == Deed::StopReading {
            sleep(SILENCE).await;
        }
        while !self.is_whole() {
            let most = if self.deed == Deed::ReadSlowly {
                sleep(DRIP).await;
                SIP
            } else {
                MAX_BYTES as u64
            };
            let read = (&mut *from).take(most).read_buf(&mut self.bytes).await;
            if !matches!(read, Ok(1..)) {
                return;
            }
        }
    }

    fn is_whole(&self) -> bool {
        let Some((head, body)) = self.parts() else {
            return false;
        };
        let header = |name: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(": "));
            lines.find_map(|(it, value)| it.eq_ignore_ascii_case(name).then_some(value))
        };
        let kind = header("content-type");
        let is_stream =
            self.deed.is_stream() && kind.is_some_and(|it| it.starts_with("text/event-stream"));
        let length = header("content-length").and_then(|it| it.parse::<usize>().ok());
        let is_at_end = match length {
            Some(length) => body.len() >= length,
            None if header("transfer-encoding").is_some() => is_chunked_to_its_end(body),
            // Without a body (RFC 9110 §15.3.5).
            None => self.status() == Some(204),
        };
        is_stream || is_at_end || self.bytes.len() >= MAX_BYTES
    }

    /// The head as text, once it is there, and what there is of the body.
    fn parts(&self) -> Option<(&str, &[u8])> {
        let end = self.bytes.windows(4).position(|it| it == b"\r\n\r\n")?;
        let head = str::from_utf8(&self.bytes[..end]).ok()?;
        Some((head, &self.bytes[end + 4..]))
    }

    /// The status, once the head is there.
    pub fn status(&self) -> Option<u16> {
        let (head, _) = self.parts()?;
        head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()
    }

    /// The code of a refusal (SPEC 7), which is all of the text where a stream was asked for.
    fn code(&self) -> Option<String> {
        let (_, body) = self.parts()?;
        let body = str::from_utf8(body).ok()?;
        let json: Option<Value> = serde_json::from_str(body).ok();
        let code = json.as_ref().map_or(Some(body), |it| it["code"].as_str())?;
        let is_code = |code: &str| code.bytes().all(|it| it.is_ascii_uppercase() || it == b'_');
        (is_code(code) && !code.is_empty()).then(|| code.to_owned())
    }

    /// What came of it: the status, with the code of a refusal, and whether it was not whole when one of both sides left.
    pub fn outcome(&self, has_left: bool) -> String {
        let Some(status) = self.status() else {
            return if has_left { "left" } else { "closed" }.to_owned();
        };
        if self.is_whole() {
            let code = (status >= 400).then(|| self.code()).flatten();
            return code.map_or(status.to_string(), |code| format!("{status} {code}"));
        }
        let end = if has_left { "left" } else { "broken off" };
        format!("{status}, {end}")
    }
}

/// Whether the chunk without content is there, which ends a body (RFC 9112 §7.1).
fn is_chunked_to_its_end(body: &[u8]) -> bool {
    body == b"0\r\n\r\n" || body.ends_with(b"\r\n0\r\n\r\n")
}
