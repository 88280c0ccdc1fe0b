//! The machine's way of resolving names: `/etc/hosts`, then the name servers of `/etc/resolv.conf`.
//!
//! The C library's resolver blocks a thread for each look-up, for as long as a stranger's name server pleases. This one asks
//! without a thread, and a look-up that is given up is over.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use hickory_resolver::config::{
    LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::{Query, ResponseCode};
use hickory_resolver::proto::rr::{Name, RecordType};
use hickory_resolver::system_conf::read_system_conf;
use hickory_resolver::{Hosts, TokioResolver};
use tokio::time::{Instant, timeout};

use crate::resolver::{LookupError, Resolver};

/// How long a look-up may take, whatever the name servers do.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(5);
/// How long an answer of a name server is waited for, and how often it is asked again.
const QUERY_TIMEOUT: Duration = Duration::from_secs(2);
const QUERY_RETRIES: usize = 1;
/// Questions that one connection to a name server may have unanswered.
const MAX_QUERIES: usize = 1_024;
/// How often the two files are looked at.
const RELOAD_INTERVAL: Duration = Duration::from_secs(1);
/// The files that say how names are resolved.
const FILES: [&str; 2] = ["/etc/hosts", "/etc/resolv.conf"];

/// Resolves names as the machine is configured to: `/etc/hosts`, then the name servers of `/etc/resolv.conf`. A change of these
/// files holds within a second. Nothing is cached, so that an answer is always news.
#[derive(Debug, Default)]
pub struct SystemResolver(Mutex<Option<Loaded>>);

/// What the files say, and when they said it.
#[derive(Debug)]
struct Loaded {
    configuration: Arc<Configuration>,
    stamps: [FileStamp; 2],
    checked_at: Instant,
}

/// When a file was changed, and how long it is; None when there is none.
type FileStamp = Option<(SystemTime, u64)>;

#[derive(Debug)]
struct Configuration {
    hosts: Hosts,
    name_servers: TokioResolver,
}

#[async_trait]
impl Resolver for SystemResolver {
    async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, LookupError> {
        let name = Name::from_ascii(name).map_err(|_| LookupError::NoSuchName)?;
        let configuration = self.configuration().map_err(lookup_error)?;
        let in_time = timeout(LOOKUP_TIMEOUT, configuration.addresses(name)).await;
        in_time.unwrap_or(Err(LookupError::TimedOut))
    }
}

impl SystemResolver {
    /// What the files say now. They are small and local, and usually only their dates are read.
    fn configuration(&self) -> Result<Arc<Configuration>, NetError> {
        let mut loaded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if let Some(loaded) = &*loaded
            && now - loaded.checked_at < RELOAD_INTERVAL
        {
            return Ok(Arc::clone(&loaded.configuration));
        }
        let stamps = FILES.map(stamp);
        let unchanged = loaded.take().filter(|loaded| loaded.stamps == stamps);
        let configuration = match unchanged {
            Some(loaded) => loaded.configuration,
            None => Arc::new(Configuration::load()?),
        };
        *loaded = Some(Loaded {
            configuration: Arc::clone(&configuration),
            stamps,
            checked_at: now,
        });
        Ok(configuration)
    }
}

fn stamp(file: &str) -> FileStamp {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

impl Configuration {
    fn load() -> Result<Self, NetError> {
        let hosts = match Hosts::from_system() {
            Ok(hosts) => hosts,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Hosts::default(),
            Err(error) => return Err(error.into()),
        };
        let (config, mut options) = name_servers()?;
        options.timeout = options.timeout.min(QUERY_TIMEOUT);
        options.attempts = QUERY_RETRIES;
        options.max_active_requests = MAX_QUERIES;
        options.cache_size = 0;
        options.use_hosts_file = ResolveHosts::Never;
        // All addresses, for one that is not permitted condemns the name.
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        let provider = TokioRuntimeProvider::default();
        let builder = TokioResolver::builder_with_config(config, provider).with_options(options);
        Ok(Self {
            hosts,
            name_servers: builder.build()?,
        })
    }

    /// A name of the hosts file has the addresses that stand there and no others.
    async fn addresses(&self, name: Name) -> Result<Vec<IpAddr>, LookupError> {
        let listed = [RecordType::A, RecordType::AAAA].map(|kind| {
            let query = Query::query(name.clone(), kind);
            self.hosts.lookup_static_host(&query)
        });
        let listed = listed.iter().flatten().flat_map(|it| it.answers());
        let listed: Vec<_> = listed.filter_map(|it| it.data.ip_addr()).collect();
        if !listed.is_empty() {
            return Ok(listed);
        }
        let found = self.name_servers.lookup_ip(name).await;
        let found: Vec<_> = found.map_err(lookup_error)?.iter().collect();
        if found.is_empty() {
            return Err(LookupError::NoSuchName);
        }
        Ok(found)
    }
}

/// The name servers of `/etc/resolv.conf`. Without any, it is one on this machine (resolv.conf(5)).
fn name_servers() -> Result<(ResolverConfig, ResolverOpts), NetError> {
    match read_system_conf() {
        Err(NetError::Io(error)) if is_lack_of_configuration(&error) => {
            let here = NameServerConfig::udp_and_tcp(Ipv4Addr::LOCALHOST.into());
            let config = ResolverConfig::from_parts(None, Vec::new(), vec![here]);
            Ok((config, ResolverOpts::default()))
        }
        read => read,
    }
}

/// Whether there is no file, or none that names a server; any other error, as without file descriptors, says nothing about the file.
fn is_lack_of_configuration(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound) || error.raw_os_error().is_none()
}

fn lookup_error(error: NetError) -> LookupError {
    match error {
        NetError::Timeout => LookupError::TimedOut,
        NetError::Io(cause) => LookupError::Io(cause),
        NetError::Dns(DnsError::NoRecordsFound(none)) if is_denial(none.response_code) => {
            LookupError::NoSuchName
        }
        error => LookupError::Failed(error.to_string()),
    }
}

/// Whether a name server has answered that there is nothing (RFC 2308 §2).
fn is_denial(code: ResponseCode) -> bool {
    matches!(code, ResponseCode::NXDomain | ResponseCode::NoError)
}

#[cfg(test)]
mod tests {
    use super::SystemResolver;
    use crate::resolver::{LookupError, Resolver as _};

    #[tokio::test]
    async fn this_machine_knows_itself() {
        let found = SystemResolver::default().addresses("localhost").await;
        let found = found.expect("an address");
        assert!(found.iter().all(|address| address.is_loopback()));
        assert!(!found.is_empty());
    }

    #[tokio::test]
    async fn what_is_no_name_needs_no_name_server() {
        for name in ["nobody.invalid.", "a..b"] {
            let found = SystemResolver::default().addresses(name).await;
            assert!(
                matches!(found, Err(LookupError::NoSuchName)),
                "{name}: {found:?}"
            );
        }
    }
}
