//! Which push services browsers may be registered at, where the operator says so.

use url::Host;

/// The hosts that endpoints may have (CONTRACT 18, `HATO_PUSH_HOSTS`): those with one of these names, and those below one.
/// Without names it is any host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushHosts(Vec<String>);

impl PushHosts {
    /// Reads a comma-separated list of at least one name; `None` for an address or what is no name.
    pub fn parse(list: &str) -> Option<Self> {
        let items = list
            .split(',')
            .map(str::trim)
            .filter(|item| !item.is_empty());
        let names: Vec<_> = items.map(parse_name).collect::<Option<_>>()?;
        (!names.is_empty()).then_some(Self(names))
    }

    /// Whether an endpoint may have this host.
    pub fn permits<S: AsRef<str>>(&self, host: &Host<S>) -> bool {
        let is_within = |host: &str, name: &String| {
            let above = host.strip_suffix(name.as_str());
            above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
        };
        match host {
            _ if self.0.is_empty() => true,
            Host::Domain(host) => self.0.iter().any(|name| is_within(host.as_ref(), name)),
            Host::Ipv4(_) | Host::Ipv6(_) => false,
        }
    }
}

/// A name in the form that parsed URLs have: lower case, and punycode for what is not ASCII.
fn parse_name(text: &str) -> Option<String> {
    let Ok(Host::Domain(name)) = Host::parse(text) else {
        return None;
    };
    let is_plain = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.');
    let has_labels = name.split('.').all(|label| !label.is_empty());
    (has_labels && name.bytes().all(is_plain)).then_some(name)
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::PushHosts;

    fn permits(hosts: &PushHosts, endpoint: &str) -> bool {
        let url = Url::parse(endpoint).expect("a URL");
        hosts.permits(&url.host().expect("a host"))
    }

    #[test]
    fn a_name_stands_for_itself_and_what_is_below_it() {
        let hosts = PushHosts::parse("Push.Example, fcm.googleapis.com").expect("names");
        for endpoint in [
            "https://push.example/1",
            "https://PUSH.example:8443/1",
            "https://eu.push.example/1",
            "https://fcm.googleapis.com/1",
        ] {
            assert!(permits(&hosts, endpoint), "{endpoint}");
        }
        for endpoint in [
            "https://example/1",
            "https://evilpush.example/1",
            "https://push.example.evil/1",
            "https://push.example./1",
            "https://1.1.1.1/1",
            "https://[2606:4700::1]/1",
        ] {
            assert!(!permits(&hosts, endpoint), "{endpoint}");
        }
    }

    #[test]
    fn without_names_every_host_is_permitted() {
        let any = PushHosts::default();
        assert!(permits(&any, "https://push.example/1") && permits(&any, "https://1.1.1.1/1"));
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for list in [
            "",
            " , ",
            "1.1.1.1",
            "[::1]",
            "*.example",
            ".example",
            "example.",
            "a..b",
            "https://push.example",
            "push.example/x",
            "push.example:443",
            "good.example,b d",
        ] {
            assert_eq!(PushHosts::parse(list), None, "{list}");
        }
    }
}
