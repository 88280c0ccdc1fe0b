//! A certificate authority made for one test, and the TLS settings that come from it.

use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DnType,
    ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose,
};
use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::{CryptoProvider, aws_lc_rs},
    pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer},
};
use std::{io, path::Path, sync::Arc};

/// The names every certificate of a [`TestCa`] is good for.
pub const SERVER_NAMES: [&str; 6] = [
    "localhost",
    "127.0.0.1",
    "::1",
    "push.test",
    "wns2-test.notify.windows.com",
    "web.push.apple.com",
];

/// A certificate authority with a key that never leaves the process.
///
/// Two services may share one, so that a single PEM file makes both trusted; a service with another one is what a
/// sender sees as a TLS failure.
pub struct TestCa {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl TestCa {
    /// Makes a new CA with a key on P-256.
    pub fn new() -> Self {
        let key = KeyPair::generate().expect("the system gives randomness");
        let issuer =
            CertifiedIssuer::self_signed(ca_params(), key).expect("the parameters are constant");
        Self { issuer }
    }

    /// The CA's certificate as PEM text, which a sender has to trust.
    pub fn pem(&self) -> String {
        self.issuer.pem()
    }

    /// Writes [`Self::pem`] to a file, for a server that reads its roots from one.
    pub fn write_pem(&self, path: &Path) -> io::Result<()> {
        std::fs::write(path, self.pem())
    }

    /// Settings of a server with a new certificate for [`SERVER_NAMES`], offering `alpn` in this order.
    pub fn server_config(&self, alpn: &[&str]) -> Arc<ServerConfig> {
        let (chain, key) = self.issue();
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .expect("the provider supports TLS 1.2 and 1.3")
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .expect("the key was made for this certificate");
        config.alpn_protocols = protocol_names(alpn);
        Arc::new(config)
    }

    /// Settings of a client that trusts this CA and no other, asking for `alpn`.
    pub fn client_config(&self, alpn: &[&str]) -> Arc<ClientConfig> {
        let mut roots = RootCertStore::empty();
        roots
            .add(self.issuer.der().clone())
            .expect("the certificate is well-formed");
        let mut config = ClientConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .expect("the provider supports TLS 1.2 and 1.3")
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = protocol_names(alpn);
        Arc::new(config)
    }

    /// A new certificate for [`SERVER_NAMES`] with its key as PEM text, for a server that is not Rust.
    pub fn server_pem(&self) -> String {
        let (certificate, key) = self.sign();
        certificate.pem() + &key.serialize_pem()
    }

    fn issue(&self) -> (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>) {
        let (certificate, key) = self.sign();
        let chain = vec![certificate.der().clone(), self.issuer.der().clone()];
        (chain, PrivatePkcs8KeyDer::from(key.serialize_der()).into())
    }

    fn sign(&self) -> (Certificate, KeyPair) {
        let key = KeyPair::generate().expect("the system gives randomness");
        let certificate = server_params()
            .signed_by(&key, &self.issuer)
            .expect("the parameters are constant");
        (certificate, key)
    }
}

impl Default for TestCa {
    fn default() -> Self {
        Self::new()
    }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(aws_lc_rs::default_provider())
}

fn protocol_names(alpn: &[&str]) -> Vec<Vec<u8>> {
    alpn.iter().map(|name| name.as_bytes().to_vec()).collect()
}

fn ca_params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params
        .distinguished_name
        .push(DnType::CommonName, "Hato test authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

fn server_params() -> CertificateParams {
    let names = SERVER_NAMES.map(String::from);
    let mut params = CertificateParams::new(names).expect("the names are well-formed");
    params
        .distinguished_name
        .push(DnType::CommonName, "Hato stand-in push service");
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    params
}
