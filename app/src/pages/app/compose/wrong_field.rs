//! What is said below a field of the form that is wrong.

use crate::request_context::RequestContext;

/// The name of the form in the ids of its fields.
pub(super) const FORM: &str = "send";

/// What is wrong with a field that is marked, for one without a [`crate::components::Field`].
pub(super) fn marked(name: &str) -> Option<&'static str> {
    RequestContext::current().wrong_field(FORM, name)?.text
}
