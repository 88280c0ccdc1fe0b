//! Content-Security-Policy, as far as Hato needs it (docs/EMBED.md).

/// What a policy has to allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Loading scripts of Hato's.
    Script,
    /// Running the worker's wasm.
    Wasm,
    /// Talking to Hato.
    Connect,
    /// Starting the site's own worker.
    Worker,
}

impl Need {
    /// What to add to the policy.
    pub fn remedy(self, hato: &str) -> String {
        match self {
            Self::Script => format!("add {hato} to script-src"),
            Self::Wasm => "add 'wasm-unsafe-eval' to script-src".to_owned(),
            Self::Connect => format!("add {hato} to connect-src"),
            Self::Worker => "add 'self' to worker-src".to_owned(),
        }
    }

    /// The directives that decide, in the order in which they are asked.
    const fn directives(self) -> &'static [&'static str] {
        match self {
            Self::Script => &["script-src-elem", "script-src", "default-src"],
            Self::Wasm => &["script-src", "default-src"],
            Self::Connect => &["connect-src", "default-src"],
            Self::Worker => &["worker-src", "child-src", "script-src", "default-src"],
        }
    }

    fn is_met_by(self, sources: &[&str], hato: &str) -> bool {
        let has = |wanted: &str| sources.iter().any(|it| it.eq_ignore_ascii_case(wanted));
        match self {
            Self::Script | Self::Connect => sources.iter().any(|it| covers(it, hato)),
            Self::Wasm => has("'wasm-unsafe-eval'") || has("'unsafe-eval'"),
            Self::Worker => has("'self'") || has("*") || has("https:"),
        }
    }
}

/// The needs that the policies leave unmet; several policies hold together, and are separated by commas.
pub fn unmet(policies: &[String], needs: &[Need], hato: &str) -> Vec<Need> {
    let policies = policies.iter().flat_map(|header| header.split(','));
    let policies: Vec<_> = policies.collect();
    let is_met = |need: Need| policies.iter().all(|policy| allows(policy, need, hato));
    let needs = needs.iter().copied();
    needs.filter(|need| !is_met(*need)).collect()
}

fn allows(policy: &str, need: Need, hato: &str) -> bool {
    let directive = |name: &str| {
        let directives = policy.split(';').map(|it| it.split_ascii_whitespace());
        let mut named = directives.filter_map(|mut words| {
            let is_it = words.next()?.eq_ignore_ascii_case(name);
            is_it.then(|| words.collect::<Vec<_>>())
        });
        // Of two, the first counts (CSP 3 §2.2.1).
        named.next()
    };
    let decisive = need.directives().iter().find_map(|name| directive(name));
    decisive.is_none_or(|sources| need.is_met_by(&sources, hato))
}

/// Whether a source expression covers an origin: `*`, a scheme, or a host with or without scheme, `*.` and port.
fn covers(source: &str, origin: &str) -> bool {
    let Some((scheme, host)) = origin.split_once("://") else {
        return false;
    };
    let source = source.trim_end_matches('/').to_ascii_lowercase();
    if source == "*" || source.strip_suffix(':') == Some(scheme) {
        return true;
    }
    let wanted = match source.split_once("://") {
        Some((its, rest)) if its == scheme => rest.to_owned(),
        Some(_) => return false,
        None => source,
    };
    match wanted.strip_prefix("*.") {
        Some(parent) => host
            .strip_suffix(parent)
            .is_some_and(|rest| rest.ends_with('.')),
        None => wanted == host,
    }
}

#[cfg(test)]
mod tests {
    use super::{Need, unmet};

    const ALL: [Need; 4] = [Need::Script, Need::Wasm, Need::Connect, Need::Worker];

    fn missing(policies: &[&str]) -> Vec<Need> {
        let policies: Vec<_> = policies.iter().map(|it| (*it).to_owned()).collect();
        unmet(&policies, &ALL, "https://push.hato.dev")
    }

    #[test]
    fn no_policy_forbids_nothing() {
        assert_eq!(missing(&[]), []);
        assert_eq!(missing(&["img-src 'none'"]), []);
    }

    #[test]
    fn the_documented_policy_is_enough() {
        let documented = "script-src 'self' https://push.hato.dev 'wasm-unsafe-eval'; connect-src 'self' \
                          https://push.hato.dev; worker-src 'self'";
        assert_eq!(missing(&[documented]), []);
        let wide = "default-src *.hato.dev 'self' 'unsafe-eval'";
        assert_eq!(missing(&[wide]), []);
    }

    #[test]
    fn what_is_not_allowed_is_found() {
        assert_eq!(
            missing(&["default-src 'self'"]),
            [Need::Script, Need::Wasm, Need::Connect]
        );
        assert_eq!(missing(&["default-src 'none'"]), ALL);
        assert_eq!(missing(&["connect-src https://other.dev"]), [Need::Connect]);
        let without_wasm = "script-src 'self' https://push.hato.dev";
        assert_eq!(missing(&[without_wasm]), [Need::Wasm]);
    }

    #[test]
    fn all_policies_must_agree() {
        assert_eq!(
            missing(&["connect-src *, connect-src 'none'"]),
            [Need::Connect]
        );
        assert_eq!(
            missing(&["connect-src *", "connect-src 'none'"]),
            [Need::Connect]
        );
    }
}
