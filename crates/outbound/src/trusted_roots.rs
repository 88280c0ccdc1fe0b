//! Whom outgoing TLS trusts: the machine's roots and the operator's own.

use std::sync::Arc;

use rustls::crypto::aws_lc_rs;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

/// The operator's additional trusted roots cannot be used (`HATO_OUTBOUND_CA`).
#[derive(Debug, thiserror::Error)]
pub enum RootStoreError {
    /// The operator's file is no PEM file.
    #[error("the additional trusted roots are no PEM file: {0}")]
    Pem(#[from] rustls::pki_types::pem::Error),
    /// The PEM text holds no certificate: it adds nobody, so it cannot be what the operator meant.
    #[error("the additional trusted roots hold no certificate")]
    Empty,
    /// A certificate is malformed.
    #[error("the additional trusted roots cannot be used: {0}")]
    Certificate(#[from] rustls::Error),
}

/// The TLS settings of a client that trusts the machine's roots and the certificates in `additional`, a PEM text.
///
/// They offer TLS 1.2 and 1.3, and by ALPN `h2` and `http/1.1`; a client that speaks only one of them narrows
/// `alpn_protocols`. A machine without roots is logged, not refused: its operator may have given every root that it needs.
pub fn client_config(additional: Option<&str>) -> Result<ClientConfig, RootStoreError> {
    let mut roots = system_roots();
    if let Some(pem) = additional {
        add_roots(&mut roots, pem)?;
    }
    let provider = Arc::new(aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

fn system_roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let native = rustls_native_certs::load_native_certs();
    for error in &native.errors {
        tracing::warn!(%error, "a trusted root of this machine cannot be read");
    }
    let (usable, _) = roots.add_parsable_certificates(native.certs);
    if usable == 0 {
        tracing::warn!("this machine has no trusted roots: install ca-certificates");
    }
    roots
}

fn add_roots(roots: &mut RootCertStore, pem: &str) -> Result<(), RootStoreError> {
    let certificates: Vec<_> =
        CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<Result<_, _>>()?;
    if certificates.is_empty() {
        return Err(RootStoreError::Empty);
    }
    certificates
        .into_iter()
        .try_for_each(|certificate| Ok(roots.add(certificate)?))
}

#[cfg(test)]
mod tests {
    use super::{RootStoreError, client_config};

    #[test]
    fn a_file_without_a_certificate_is_refused() {
        assert!(matches!(
            client_config(Some("no certificate")),
            Err(RootStoreError::Empty)
        ));
        let damaged = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(matches!(
            client_config(Some(damaged)),
            Err(RootStoreError::Certificate(_))
        ));
    }
}
