//! Accepting connections as long as the owner of the listener lives.

use std::future::Future;
use tokio::{
    net::{TcpListener, TcpStream},
    task::{JoinHandle, JoinSet},
};

/// A running listener; dropping it closes the socket and every connection it accepted.
pub(crate) struct ListenerTask(JoinHandle<()>);

impl ListenerTask {
    /// Serves each accepted connection with `serve` in a task of its own.
    pub(crate) fn spawn<S, F>(listener: TcpListener, serve: S) -> Self
    where
        S: Fn(TcpStream) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        Self(tokio::spawn(accept_forever(listener, serve)))
    }
}

impl Drop for ListenerTask {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn accept_forever<S, F>(listener: TcpListener, serve: S)
where
    S: Fn(TcpStream) -> F,
    F: Future<Output = ()> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve(stream));
                }
                // Out of descriptors: one comes free when a connection ends.
                Err(_) => if connections.join_next().await.is_none() {
                    tokio::task::yield_now().await;
                },
            },
            Some(_) = connections.join_next() => {}
        }
    }
}
