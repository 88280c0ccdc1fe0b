//! The webhooks' sender between a real store and a receiver that is real on the wire.

mod arrival;
mod connecting;
mod disabling;
mod failures;
mod hostile;
mod outages;
mod running;
mod sharing;
mod test_webhooks;
