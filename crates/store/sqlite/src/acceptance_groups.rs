//! Accepting in groups: here the writer commits sends together with everything else that waits.

use hato_service::ports::{AcceptSendOutcome, NewSend, StoreError};

use crate::Database;
use crate::acceptance::accept;
use crate::large_selections::is_large;
use crate::transaction::transaction;

/// Accepts the send in a transaction, which the writer commits together with others that wait; one to a large selection has its turn.
pub(crate) async fn accept_in_group(
    database: &Database,
    send: NewSend,
) -> Result<AcceptSendOutcome, StoreError> {
    let is_large = is_large(&send);
    let writing = async { transaction!(database, "accept a send", |c| accept(c, &send).await) };
    if is_large {
        database.large_selections.in_turn(writing).await
    } else {
        writing.await
    }
}
