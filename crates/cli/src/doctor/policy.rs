//! Content-Security-Policy, as far as Hato needs it (docs/EMBED.md): which directives are in the way, and what to change.

use ureq::http::Response;
use ureq::http::header::CONTENT_SECURITY_POLICY;
use url::Url;

use super::finding::Finding;
use super::html::tags;
use super::source::covers;

/// What a policy has to allow.
#[derive(Clone, Copy)]
pub enum Requirement<'a> {
    /// A script of Hato's that a tag with this nonce loads.
    Tag(&'a Url, Option<&'a str>),
    /// A script of Hato's that another script loads.
    Script(&'a Url),
    /// Running the worker's wasm.
    Wasm,
    /// Talking to Hato at these addresses.
    Connect(&'a [Url; 2]),
    /// Starting the site's own worker.
    Worker(&'a Url),
}

/// A requirement that a policy does not meet.
#[derive(Debug, PartialEq, Eq)]
struct PolicyViolation {
    /// The directive that is in the way, as it was written.
    directive: String,
    hint: String,
}

/// A directive of a policy: its name and its source expressions.
struct Directive<'a> {
    name: &'a str,
    sources: Vec<&'a str>,
}

/// The policies in the headers of a response.
pub fn policies(response: &Response<Vec<u8>>) -> Vec<String> {
    let headers = response.headers().get_all(CONTENT_SECURITY_POLICY).iter();
    let texts = headers.filter_map(|policy| policy.to_str().ok());
    texts.map(str::to_owned).collect()
}

/// The policies in `<meta http-equiv="Content-Security-Policy" content="…">`.
pub fn policies_in(html: &str) -> Vec<String> {
    let tags = tags(html, "meta").into_iter();
    let policies = tags.filter_map(|mut tag| {
        let kind = tag.remove("http-equiv")?;
        let is_policy = kind.eq_ignore_ascii_case(CONTENT_SECURITY_POLICY.as_str());
        tag.remove("content").filter(|_| is_policy)
    });
    policies.collect()
}

/// Whether the policies that came with `own` allow what is required.
pub fn examine(
    check: &'static str,
    policies: &[String],
    requirements: &[Requirement<'_>],
    own: &Url,
) -> Finding {
    let violations = violations(policies, requirements, own);
    if violations.is_empty() {
        return Finding::fine(check, "the Content-Security-Policy lets ours work");
    }
    let directives: Vec<_> = violations.iter().map(|it| &*it.directive).collect();
    let hints: Vec<_> = violations.iter().map(|it| &*it.hint).collect();
    let directives = directives.join("; ");
    let found = format!("the Content-Security-Policy is in the way: {directives}");
    Finding::problem(check, &found, &hints.join(", "))
}

/// Several policies hold together, each in a header of its own or separated by commas.
fn violations(
    policies: &[String],
    requirements: &[Requirement<'_>],
    own: &Url,
) -> Vec<PolicyViolation> {
    let mut violations = Vec::new();
    for policy in policies.iter().flat_map(|header| header.split(',')) {
        for requirement in requirements {
            let found = requirement.violation_by(policy, own);
            let found = found.filter(|it| !violations.contains(it));
            violations.extend(found);
        }
    }
    violations
}

impl Requirement<'_> {
    fn violation_by(self, policy: &str, own: &Url) -> Option<PolicyViolation> {
        let mut names = self.directives().iter();
        let decisive = names.find_map(|name| directive(policy, name))?;
        (!self.is_met_by(&decisive, own)).then(|| PolicyViolation {
            directive: format!("{} {}", decisive.name, decisive.sources.join(" ")),
            hint: self.hint(&decisive),
        })
    }

    /// Of these directives the first that a policy has decides (CSP 3 §6.8.3).
    const fn directives(self) -> &'static [&'static str] {
        match self {
            Self::Tag(..) | Self::Script(_) => &["script-src-elem", "script-src", "default-src"],
            Self::Wasm => &["script-src", "default-src"],
            Self::Connect(_) => &["connect-src", "default-src"],
            Self::Worker(_) => &["worker-src", "child-src", "script-src", "default-src"],
        }
    }

    /// With `'strict-dynamic'`, a script that a trusted one asks for is trusted, and addresses count for nothing (CSP 3 §8.2).
    fn is_met_by(self, directive: &Directive<'_>, own: &Url) -> bool {
        let covered = |address: &Url| directive.sources.iter().any(|it| covers(it, address, own));
        let is_dynamic = directive.has("'strict-dynamic'");
        match self {
            Self::Tag(address, nonce) => {
                directive.has_nonce(nonce) || !is_dynamic && covered(address)
            }
            Self::Script(address) => is_dynamic || covered(address),
            Self::Wasm => directive.has("'wasm-unsafe-eval'") || directive.has("'unsafe-eval'"),
            Self::Connect(addresses) => addresses.iter().all(covered),
            Self::Worker(address) => is_dynamic && directive.is("script-src") || covered(address),
        }
    }

    /// What decides about it where default-src is not to.
    const fn own_directive(self) -> &'static str {
        match self {
            Self::Connect(_) => "connect-src",
            _ => "script-src",
        }
    }

    fn hint(self, directive: &Directive<'_>) -> String {
        let wanted = match self {
            Self::Tag(..) if directive.has("'strict-dynamic'") => {
                return "give the tag of Hato's script the page's nonce: 'strict-dynamic' goes by nothing else"
                    .to_owned();
            }
            // What stands in for worker-src decides about much else.
            Self::Worker(_) if !directive.is("worker-src") => {
                return "add worker-src 'self'".to_owned();
            }
            Self::Worker(_) => "'self'".to_owned(),
            Self::Wasm => "'wasm-unsafe-eval'".to_owned(),
            Self::Tag(address, _) | Self::Script(address) | Self::Connect([address, _]) => {
                address.origin().ascii_serialization()
            }
        };
        if !directive.is("default-src") {
            return format!("add {wanted} to {}", directive.name);
        }
        let own = self.own_directive();
        format!("add {own} with {wanted} and all that default-src has")
    }
}

impl Directive<'_> {
    fn is(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    fn has(&self, keyword: &str) -> bool {
        self.sources
            .iter()
            .any(|it| it.eq_ignore_ascii_case(keyword))
    }

    /// Nonces, unlike keywords, are case-sensitive.
    fn has_nonce(&self, nonce: Option<&str>) -> bool {
        nonce.is_some_and(|nonce| self.sources.contains(&&*format!("'nonce-{nonce}'")))
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

    use super::{Requirement, policies_in, violations};

    /// What to change so that a policy allows everything that Hato needs, its script loaded by another.
    fn hints(policies: &[&str]) -> Vec<String> {
        remedies_with(policies, |script| Requirement::Script(script))
    }

    fn remedies_for_tag(policy: &str, nonce: Option<&'static str>) -> Vec<String> {
        remedies_with(&[policy], |script| Requirement::Tag(script, nonce))
    }

    fn remedies_with(policies: &[&str], load: impl Fn(&Url) -> Requirement<'_>) -> Vec<String> {
        let url = |text: &str| Url::parse(text).expect("an address");
        let policies: Vec<_> = policies.iter().map(|it| (*it).to_owned()).collect();
        let api = ["vapid-public-key", "subscriptions"];
        let api = api.map(|name| url(&format!("https://push.hato.dev/api/v1/{name}")));
        let script = url("https://push.hato.dev/sdk/hato.js");
        let worker = url("https://shop.dev/hato-sw.js");
        let requirements = [
            load(&script),
            Requirement::Wasm,
            Requirement::Connect(&api),
            Requirement::Worker(&worker),
        ];
        let violations = violations(&policies, &requirements, &url("https://shop.dev/"));
        violations.into_iter().map(|it| it.hint).collect()
    }

    #[test]
    fn no_policy_forbids_nothing() {
        assert!(hints(&[]).is_empty());
        assert!(hints(&["img-src 'none'"]).is_empty());
    }

    #[test]
    fn the_documented_policy_is_enough() {
        let documented = "script-src 'self' https://push.hato.dev 'wasm-unsafe-eval'; connect-src 'self' \
                          https://push.hato.dev; worker-src 'self'";
        assert!(remedies_for_tag(documented, None).is_empty());
        let wide = "default-src *.hato.dev 'self' 'unsafe-eval'";
        assert!(remedies_for_tag(wide, None).is_empty());
        let narrow = "default-src https://push.hato.dev/sdk/ https://push.hato.dev/api/ 'self' 'unsafe-eval'";
        assert!(remedies_for_tag(narrow, None).is_empty());
    }

    #[test]
    fn what_is_not_allowed_is_found() {
        assert_eq!(hints(&["default-src 'none'"]).len(), 4);
        assert_eq!(
            hints(&["connect-src https://other.dev"]),
            ["add https://push.hato.dev to connect-src"]
        );
        let without_wasm = "script-src 'self' https://push.hato.dev";
        assert_eq!(
            hints(&[without_wasm]),
            ["add 'wasm-unsafe-eval' to script-src"]
        );
        // An address that is allowed for one file only.
        let narrow = "connect-src https://push.hato.dev/sdk/";
        assert_eq!(hints(&[narrow]).len(), 1);
        let elsewhere = "worker-src https://cdn.shop.dev";
        assert_eq!(hints(&[elsewhere]), ["add 'self' to worker-src"]);
    }

    #[test]
    fn the_first_directive_that_is_there_decides() {
        let elements = "script-src * 'unsafe-eval'; script-src-elem 'self'";
        assert_eq!(
            hints(&[elements]),
            ["add https://push.hato.dev to script-src-elem"]
        );
        let twice = "connect-src 'none'; connect-src *";
        assert_eq!(hints(&[twice]).len(), 1);
        let fallen_back = "script-src https://push.hato.dev 'unsafe-eval'";
        assert_eq!(hints(&[fallen_back]), ["add worker-src 'self'"]);
    }

    #[test]
    fn all_policies_must_agree() {
        let both = ["connect-src *, connect-src 'none'"];
        assert_eq!(hints(&both).len(), 1);
        let each = ["connect-src 'none'", "connect-src *"];
        assert_eq!(hints(&each).len(), 1);
    }

    #[test]
    fn a_nonce_lets_its_tag_in() {
        let policy = "script-src 'self' 'nonce-aBc' 'unsafe-eval'";
        assert!(remedies_for_tag(policy, Some("aBc")).is_empty());
        assert_eq!(remedies_for_tag(policy, Some("abc")).len(), 1);
        assert_eq!(remedies_for_tag(policy, None).len(), 1);
        assert_eq!(hints(&[policy]).len(), 1);
    }

    #[test]
    fn strict_dynamic_goes_by_trust_alone() {
        let policy = "script-src https://push.hato.dev 'strict-dynamic' 'nonce-a' 'unsafe-eval'";
        assert!(remedies_for_tag(policy, Some("a")).is_empty());
        assert!(hints(&[policy]).is_empty());
        let without = remedies_for_tag(policy, None);
        assert!(without[0].contains("nonce"), "{without:?}");
    }

    #[test]
    fn a_policy_may_stand_in_the_page() {
        let html = "<meta charset=utf-8><meta content=\"script-src 'self'\" http-equiv=content-security-policy>\
                    <!-- <meta http-equiv=Content-Security-Policy content=\"default-src 'none'\"> -->";
        assert_eq!(policies_in(html), ["script-src 'self'"]);
        assert!(policies_in("<meta name=a content=\"b\">").is_empty());
    }
}
