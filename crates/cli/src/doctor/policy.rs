//! Content-Security-Policy, as far as Hato needs it (docs/EMBED.md).

use url::Url;

use super::source::covers;

/// What a policy has to allow.
#[derive(Clone, Copy)]
pub enum Requirement<'a> {
    /// Loading a script of Hato's.
    Script(&'a Url, Initiator<'a>),
    /// Running the worker's wasm.
    Wasm,
    /// Talking to Hato at these addresses.
    Connect(&'a [Url]),
    /// Starting the site's own worker.
    Worker(&'a Url),
}

/// What asks for a script.
#[derive(Clone, Copy)]
pub enum Initiator<'a> {
    /// A tag in the page, and its nonce.
    Tag(Option<&'a str>),
    /// Another script.
    Script,
}

/// A requirement that a policy does not meet.
#[derive(Debug, PartialEq, Eq)]
pub struct PolicyViolation {
    /// The directive that is in the way, as it was written.
    pub directive: String,
    /// What to change.
    pub remedy: String,
}

/// A directive of a policy: its name and its source expressions.
struct Directive<'a> {
    name: &'a str,
    sources: Vec<&'a str>,
}

/// What the policies of `own` do not allow. Several hold together, each in a header of its own or separated by commas.
pub fn violations(
    policies: &[String],
    requirements: &[Requirement<'_>],
    own: &Url,
) -> Vec<PolicyViolation> {
    let policies = policies.iter().flat_map(|header| header.split(','));
    let each = policies.flat_map(|policy| {
        requirements
            .iter()
            .map(move |requirement| (policy, requirement))
    });
    let mut violations: Vec<PolicyViolation> = Vec::new();
    for found in each.filter_map(|(policy, requirement)| requirement.violation_by(policy, own)) {
        if !violations.contains(&found) {
            violations.push(found);
        }
    }
    violations
}

impl Requirement<'_> {
    fn violation_by(&self, policy: &str, own: &Url) -> Option<PolicyViolation> {
        let mut names = self.directives().iter();
        let decisive = names.find_map(|name| directive(policy, name))?;
        (!self.is_met_by(&decisive, own)).then(|| PolicyViolation {
            directive: format!("{} {}", decisive.name, decisive.sources.join(" ")),
            remedy: self.remedy(&decisive),
        })
    }

    /// The directives that decide, in the order in which they are asked; the second half stand in for the first.
    const fn directives(&self) -> &'static [&'static str] {
        match self {
            Self::Script(..) => &["script-src-elem", "script-src", "default-src"],
            Self::Wasm => &["script-src", "default-src"],
            Self::Connect(_) => &["connect-src", "default-src"],
            Self::Worker(_) => &["worker-src", "child-src", "script-src", "default-src"],
        }
    }

    fn is_met_by(&self, directive: &Directive<'_>, own: &Url) -> bool {
        let covered = |address: &Url| directive.sources.iter().any(|it| covers(it, address, own));
        match self {
            // What a trusted script asks for is trusted, and addresses count for nothing (CSP 3 §8.2).
            Self::Script(_, Initiator::Tag(nonce)) if directive.has("'strict-dynamic'") => {
                directive.has_nonce(*nonce)
            }
            Self::Script(_, Initiator::Script) if directive.has("'strict-dynamic'") => true,
            Self::Script(address, Initiator::Tag(nonce)) => {
                directive.has_nonce(*nonce) || covered(address)
            }
            Self::Script(address, Initiator::Script) => covered(address),
            Self::Wasm => directive.has("'wasm-unsafe-eval'") || directive.has("'unsafe-eval'"),
            Self::Connect(addresses) => addresses.iter().all(covered),
            Self::Worker(address) => {
                let is_trusted = directive.name.eq_ignore_ascii_case("script-src")
                    && directive.has("'strict-dynamic'");
                is_trusted || covered(address)
            }
        }
    }

    fn remedy(&self, directive: &Directive<'_>) -> String {
        let origin = |address: &Url| address.origin().ascii_serialization();
        let what = match self {
            Self::Script(_, Initiator::Tag(_)) if directive.has("'strict-dynamic'") => {
                return "give the tag of Hato's script the page's nonce: 'strict-dynamic' goes by nothing else"
                    .to_owned();
            }
            Self::Script(address, _) => origin(address),
            Self::Wasm => "'wasm-unsafe-eval'".to_owned(),
            Self::Connect(addresses) => addresses.first().map(origin).unwrap_or_default(),
            Self::Worker(_) => "'self'".to_owned(),
        };
        let own = self.directives().iter().position(|it| directive.is(it));
        match self {
            // The scripts' directive decides about much else.
            Self::Worker(_) if own > Some(0) => format!("add worker-src {what}"),
            _ if directive.is("default-src") => {
                let name = match self {
                    Self::Connect(_) => "connect-src",
                    _ => "script-src",
                };
                format!("add {name} with {what} and all that default-src has")
            }
            _ => format!("add {what} to {}", directive.name),
        }
    }
}

impl Directive<'_> {
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    fn has(&self, keyword: &str) -> bool {
        let mut sources = self.sources.iter();
        sources.any(|source| source.eq_ignore_ascii_case(keyword))
    }

    /// Nonces, unlike keywords, are case-sensitive.
    fn has_nonce(&self, nonce: Option<&str>) -> bool {
        let wanted = nonce.map(|nonce| format!("'nonce-{nonce}'"));
        wanted.is_some_and(|wanted| self.sources.iter().any(|it| *it == wanted))
    }
}

/// Of two with the same name, the first counts (CSP 3 §2.2.1).
fn directive<'a>(policy: &'a str, name: &str) -> Option<Directive<'a>> {
    policy.split(';').find_map(|text| {
        let mut words = text.split_ascii_whitespace();
        let named = words.next().filter(|it| it.eq_ignore_ascii_case(name))?;
        Some(Directive {
            name: named,
            sources: words.collect(),
        })
    })
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::{Initiator, Requirement, violations};

    const PAGE: &str = "https://shop.dev/";

    fn url(text: &str) -> Url {
        Url::parse(text).expect("an address")
    }

    /// The directives that are in the way of everything that Hato needs.
    fn missing(policies: &[&str], initiator: Initiator<'_>) -> Vec<String> {
        let policies: Vec<_> = policies.iter().map(|it| (*it).to_owned()).collect();
        let script = url("https://push.hato.dev/sdk/hato.js");
        let api = [url("https://push.hato.dev/api/v1/subscriptions")];
        let worker = url("https://shop.dev/hato-sw.js");
        let requirements = [
            Requirement::Script(&script, initiator),
            Requirement::Wasm,
            Requirement::Connect(&api),
            Requirement::Worker(&worker),
        ];
        let violations = violations(&policies, &requirements, &url(PAGE)).into_iter();
        violations.map(|it| it.remedy).collect()
    }

    #[test]
    fn no_policy_forbids_nothing() {
        assert!(missing(&[], Initiator::Script).is_empty());
        assert!(missing(&["img-src 'none'"], Initiator::Script).is_empty());
    }

    #[test]
    fn the_documented_policy_is_enough() {
        let documented = "script-src 'self' https://push.hato.dev 'wasm-unsafe-eval'; connect-src 'self' \
                          https://push.hato.dev; worker-src 'self'";
        assert!(missing(&[documented], Initiator::Tag(None)).is_empty());
        let wide = "default-src *.hato.dev 'self' 'unsafe-eval'";
        assert!(missing(&[wide], Initiator::Tag(None)).is_empty());
        let narrow = "default-src https://push.hato.dev/sdk/ https://push.hato.dev/api/ 'self' 'unsafe-eval'";
        assert!(missing(&[narrow], Initiator::Tag(None)).is_empty());
    }

    #[test]
    fn what_is_not_allowed_is_found() {
        assert_eq!(missing(&["default-src 'none'"], Initiator::Script).len(), 4);
        assert_eq!(
            missing(&["connect-src https://other.dev"], Initiator::Script),
            ["add https://push.hato.dev to connect-src"]
        );
        let without_wasm = "script-src 'self' https://push.hato.dev";
        assert_eq!(
            missing(&[without_wasm], Initiator::Script),
            ["add 'wasm-unsafe-eval' to script-src"]
        );
        // An address that is allowed for one file only.
        let narrow = "connect-src https://push.hato.dev/sdk/";
        assert_eq!(missing(&[narrow], Initiator::Script).len(), 1);
        let elsewhere = "worker-src https://cdn.shop.dev";
        assert_eq!(
            missing(&[elsewhere], Initiator::Script),
            ["add 'self' to worker-src"]
        );
    }

    #[test]
    fn the_first_directive_that_is_there_decides() {
        let elements = "script-src * 'unsafe-eval'; script-src-elem 'self'";
        assert_eq!(
            missing(&[elements], Initiator::Script),
            ["add https://push.hato.dev to script-src-elem"]
        );
        let twice = "connect-src 'none'; connect-src *";
        assert_eq!(missing(&[twice], Initiator::Script).len(), 1);
        let fallen_back = "script-src https://push.hato.dev 'unsafe-eval'";
        assert_eq!(
            missing(&[fallen_back], Initiator::Script),
            ["add worker-src 'self'"]
        );
    }

    #[test]
    fn all_policies_must_agree() {
        let both = ["connect-src *, connect-src 'none'"];
        assert_eq!(missing(&both, Initiator::Script).len(), 1);
        let each = ["connect-src 'none'", "connect-src *"];
        assert_eq!(missing(&each, Initiator::Script).len(), 1);
    }

    #[test]
    fn a_nonce_lets_its_tag_in() {
        let policy = "script-src 'self' 'nonce-aBc' 'unsafe-eval'";
        assert!(missing(&[policy], Initiator::Tag(Some("aBc"))).is_empty());
        for initiator in [
            Initiator::Tag(Some("abc")),
            Initiator::Tag(None),
            Initiator::Script,
        ] {
            assert_eq!(missing(&[policy], initiator).len(), 1);
        }
    }

    #[test]
    fn strict_dynamic_goes_by_trust_alone() {
        let policy = "script-src https://push.hato.dev 'strict-dynamic' 'nonce-a' 'unsafe-eval'";
        for initiator in [Initiator::Tag(Some("a")), Initiator::Script] {
            assert!(missing(&[policy], initiator).is_empty());
        }
        let without = missing(&[policy], Initiator::Tag(None));
        assert!(without[0].contains("nonce"), "{without:?}");
    }
}
