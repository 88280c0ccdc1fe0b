//! What must hold for any bytes whatever: the targets of `make fuzz` in this crate. Each panics when it does not.

pub use crate::push::fuzzing::{http_peer, push_response, wns_response};

#[cfg(test)]
mod tests {
    use hato_corpus::{replay, replay_with_tasks};

    #[test]
    fn responses_of_push_services() {
        replay("push_response", super::push_response);
    }

    #[test]
    fn responses_of_microsofts() {
        replay("wns_response", super::wns_response);
    }

    #[test]
    fn peers_on_a_connection() {
        replay_with_tasks("http_peer", super::http_peer);
    }
}
