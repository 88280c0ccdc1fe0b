//! How a port's method writes: in a transaction, which each database runs in its own way (`dialect::write`).

/// Runs the body in a transaction of its own, on the connection that it names, and answers when its changes are on disk:
/// `transaction!(self, "end a session", |c| sqlx::query!(…).execute(c).await.map(drop))`.
///
/// The body is asynchronous and returns a `sqlx::Result`, whose error undoes its changes; the text says what was tried when it
/// failed. It runs on another task, where other callers' changes may be committed with its own, so the body owns what it uses:
/// borrowed arguments are cloned before. It may be run more than once, each time with a clone of that.
///
/// This is a macro because the future must be boxed: that a closure's future may borrow the connection and can go to another
/// task (`for<'c> AsyncFnOnce(&'c mut DbConnection)` whose future is `Send`) cannot be written as a bound yet.
macro_rules! transaction {
    ($database:expr, $context:literal, |$c:ident| $body:expr) => {
        $crate::dialect::write($database, $context, move |$c| {
            Box::pin(async move { $body })
        })
        .await
    };
}
pub(crate) use transaction;
