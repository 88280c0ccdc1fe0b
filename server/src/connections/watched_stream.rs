//! A connection's stream that notes what happens on it, and breaks when nobody takes an answer.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Duration, Sleep, sleep};

use super::client_stream::ClientStream;
use super::head_timer::ConnectionActivity;

/// Most bytes that are written at once: how much of them was taken is seen at the end of each.
const MAX_WRITE_BYTES: usize = 16 * 1024;
/// Most bytes that are read at once: a byte less than the HTTP library asks for at first, for it asks for twice as many, up to the size
/// of a head, whenever it gets all. Beside 1,000 connections of strangers (`make soak`) a server had 314 MB at most, and 357 without.
const MAX_READ_BYTES: usize = 8 * 1024 - 1;

/// The stream; it fails when bytes wait to be written and none is taken for a while.
pub struct WatchedStream<S> {
    stream: S,
    activity: Arc<ConnectionActivity>,
    write_timeout: Duration,
    /// Ends when the bytes that wait have waited for too long.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S: ClientStream> WatchedStream<S> {
    /// Watches `stream`, on which no byte may wait for longer than `write_timeout` while none is taken.
    pub fn new(stream: S, activity: Arc<ConnectionActivity>, write_timeout: Duration) -> Self {
        Self {
            stream,
            activity,
            write_timeout,
            stalled: None,
        }
    }

    fn poll_stalled(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let timeout = self.write_timeout;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(timeout)));
        ready!(stalled.as_mut().poll(context));
        self.stream.discard();
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: ClientStream> AsyncRead for WatchedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut bytes = [MaybeUninit::uninit(); MAX_READ_BYTES];
        let room = buffer.remaining().min(MAX_READ_BYTES);
        let mut bytes = ReadBuf::uninit(&mut bytes[..room]);
        let read = Pin::new(&mut self.stream).poll_read(context, &mut bytes);
        if read.is_pending() {
            self.activity.has_nothing_to_read();
        } else if !bytes.filled().is_empty() {
            self.activity.has_read();
            buffer.put_slice(bytes.filled());
        }
        read
    }
}

/// In one piece only: hyper 1.12 may go idle with an answer that is written in parts still before it, when the body of its request ends late.
impl<S: ClientStream> AsyncWrite for WatchedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let bytes = &bytes[..bytes.len().min(MAX_WRITE_BYTES)];
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        if written.is_pending() {
            return self.poll_stalled(context);
        }
        self.stalled = None;
        if let Poll::Ready(Ok(bytes)) = &written {
            self.activity.has_written(*bytes);
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
