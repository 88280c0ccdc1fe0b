//! What must hold for any bytes whatever: the target of `make fuzz` in this crate. It panics when it does not.

use axum::body::Body;
use axum::extract::Request;
use futures_util::FutureExt as _;
use leptos::server_fn::codec::{FromReq, PostUrl};

use crate::form_post::flat_form;
use crate::server_fns::{ConcludeReview, RemoveSubscribers, ServerFunctionError};

/// A form of the dashboard is refused, or written anew; that is the same form, and Leptos decodes it or refuses it.
pub fn form(data: &[u8]) {
    let Ok(form) = flat_form(data) else {
        return;
    };
    assert_eq!(flat_form(form.as_bytes()).as_ref(), Ok(&form));
    decode::<ConcludeReview>(&form);
    decode::<RemoveSubscribers>(&form);
}

/// As a server function with such members does.
fn decode<F: FromReq<PostUrl, Request, ServerFunctionError>>(form: &str) {
    let request = Request::new(Body::from(form.to_owned()));
    let decoded = F::from_req(request).now_or_never();
    drop(decoded.expect("it waits for nothing"));
}

#[cfg(test)]
mod tests {
    use hato_corpus::replay;

    #[test]
    fn forms() {
        replay("form", super::form);
    }
}
