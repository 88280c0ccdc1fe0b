//! What every request goes through: who asks, how often, from which site, and how refusals are answered.

pub mod access;
pub mod client_address;
pub mod drain;
pub mod error;
pub mod idempotent;
pub mod in_flight;
pub mod json;
pub mod paging;
pub mod path;
pub mod rate_limit;
pub mod request_body;
pub mod request_id;
pub mod request_labels;
pub mod same_origin;
pub mod strict_transport_security;
pub mod whole_page;
