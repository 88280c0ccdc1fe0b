//! A connection that is busy for longer than its user: a statement that nobody waits for any more, because a client has hung up, runs on
//! until PostgreSQL is done with it.

use std::ops::{Deref, DerefMut};

use crate::connection::DbConnection;

/// A connection, and the right to keep one busy, which is given back when the connection is idle again, or lost.
pub(crate) struct HeldConnection<P: Send + 'static> {
    held: Option<(DbConnection, P)>,
}

impl<P: Send + 'static> HeldConnection<P> {
    pub(crate) const fn new(connection: DbConnection, permit: P) -> Self {
        Self {
            held: Some((connection, permit)),
        }
    }
}

impl<P: Send + 'static> Deref for HeldConnection<P> {
    type Target = DbConnection;

    fn deref(&self) -> &DbConnection {
        let (connection, _) = self.held.as_ref().expect("it is there until the end");
        connection
    }
}

impl<P: Send + 'static> DerefMut for HeldConnection<P> {
    fn deref_mut(&mut self) -> &mut DbConnection {
        let (connection, _) = self.held.as_mut().expect("it is there until the end");
        connection
    }
}

impl<P: Send + 'static> Drop for HeldConnection<P> {
    fn drop(&mut self) {
        if let Some((connection, permit)) = self.held.take()
            && let Some(runtime) = connection.runtime()
        {
            runtime.spawn(async move {
                // That it was lost is known by now.
                connection.rollback().await.ok();
                drop(permit);
            });
        }
    }
}
