//! Server-sent events, as the specification of HTML has them, of a server that may fall silent.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::api::Api;
use crate::error::Result;

/// How long nothing may come: the server says something every 15 seconds.
const LONGEST_SILENCE: Duration = Duration::from_mins(1);
/// Events that are read before the one before them was handled.
const READ_AHEAD: usize = 16;
/// Most bytes of an event, and of a line. The server sends an event in one line.
const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// An event as the server sent it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SentEvent {
    /// The value of `webhook-id`.
    pub id: String,
    /// The JSON that a webhook would get.
    pub body: String,
}

/// What is read from a stream.
#[derive(Debug, PartialEq, Eq)]
enum Sign {
    Event(SentEvent),
    /// A comment: the server is there.
    Alive,
}

/// The events of one connection.
pub struct EventReader(Receiver<Sign>);

impl EventReader {
    /// Listens from now on.
    pub fn open(api: &Api, path: &str) -> Result<Self> {
        let body = api.open(path)?;
        let (to, from) = sync_channel(READ_AHEAD);
        // It ends with the connection; what it was asked for is told by the end of what it sends.
        thread::spawn(move || read(BufReader::new(body), &to));
        Ok(Self(from))
    }

    /// The next event; `None` when the connection has ended, or has been silent for too long.
    pub fn next(&mut self) -> Option<SentEvent> {
        loop {
            match self.0.recv_timeout(LONGEST_SILENCE) {
                Ok(Sign::Event(event)) => return Some(event),
                Ok(Sign::Alive) => {}
                Err(_) => return None,
            }
        }
    }
}

/// Reads until the end, or until nobody wants more. An event that is too long is the end, as a line is.
fn read(mut from: impl BufRead, to: &SyncSender<Sign>) {
    let mut event = SentEvent::default();
    while let Ok(Some(line)) = read_line(&mut from) {
        let sign = if line.is_empty() {
            let event = std::mem::take(&mut event);
            (!event.body.is_empty()).then_some(Sign::Event(event))
        } else {
            take_field(&mut event, &line)
        };
        if event.body.len() > MAX_EVENT_BYTES {
            return;
        }
        if sign.is_some_and(|sign| to.send(sign).is_err()) {
            return;
        }
    }
}

/// Adds a line to the event, or knows it for a comment.
fn take_field(event: &mut SentEvent, line: &str) -> Option<Sign> {
    let (name, value) = line.split_once(':').unwrap_or((line, ""));
    let value = value.strip_prefix(' ').unwrap_or(value);
    match name {
        "" => return Some(Sign::Alive),
        "id" => value.clone_into(&mut event.id),
        "data" => event.body.push_str(value),
        _ => {}
    }
    None
}

/// A whole line without its end; `None` at the end of all, in the middle of a line or not.
fn read_line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    from.take(MAX_EVENT_BYTES as u64).read_line(&mut line)?;
    let whole = line.strip_suffix('\n');
    let whole = whole.map(|line| line.strip_suffix('\r').unwrap_or(line));
    Ok(whole.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use std::io::{self, BufReader, Read};
    use std::sync::mpsc::sync_channel;

    use super::{MAX_EVENT_BYTES, SentEvent, Sign, read};

    /// A line of a mebibyte, again and again.
    struct EndlessEvent {
        line: Vec<u8>,
        read: usize,
    }

    impl Read for EndlessEvent {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let rest = &self.line[self.read % self.line.len()..];
            let count = rest.len().min(to.len());
            to[..count].copy_from_slice(&rest[..count]);
            self.read += count;
            Ok(count)
        }
    }

    #[test]
    fn an_event_without_an_end_is_not_read_for_long() {
        let mut endless = EndlessEvent {
            line: format!("data: {}\n", "x".repeat(1024 * 1024)).into_bytes(),
            read: 0,
        };
        // A stream that did not end before would end here.
        let stream = endless.by_ref().take(2 * MAX_EVENT_BYTES as u64);
        let (to, from) = sync_channel(8);
        read(BufReader::new(stream), &to);
        drop(to);
        assert_eq!(from.into_iter().collect::<Vec<_>>(), []);
        assert!(endless.read < 2 * MAX_EVENT_BYTES, "{} bytes", endless.read);
    }

    #[test]
    fn events_are_read_up_to_the_last_whole_one() {
        let text = b": listening\n\nid: msg_1\ndata: {\"a\":1}\n\n\r\nid:msg_2\r\ndata:{}\r\n\r\nid: msg_3\ndata: {";
        let (to, from) = sync_channel(8);
        read(&text[..], &to);
        drop(to);
        let event = |id: &str, body: &str| {
            Sign::Event(SentEvent {
                id: id.to_owned(),
                body: body.to_owned(),
            })
        };
        let read: Vec<_> = from.into_iter().collect();
        let expected = [
            Sign::Alive,
            event("msg_1", "{\"a\":1}"),
            event("msg_2", "{}"),
        ];
        assert_eq!(read, expected);
    }
}
