//! Payload encryption for Web Push: RFC 8291 over one record of RFC 8188's `aes128gcm` coding.
//!
//! Each message has an ephemeral key pair and a salt of its own (RFC 8291 §3.1). The agreement on the curve is nearly the whole
//! cost, 54 of 57 µs with aws-lc, so messages are made a chunk of recipients at a time (`batch`) and away from the
//! threads that drive the network (`encryptor`).

mod batch;
mod encryptor;
mod record;
#[cfg(test)]
mod tests;

pub use batch::{PlainMessage, encrypt, encrypt_page};
pub(crate) use encryptor::Encryptor;
pub use record::EncryptionError;
