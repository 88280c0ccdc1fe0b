//! What people call the browser that sent a `User-Agent`.

/// Marks of browsers. Later ones also claim to be earlier ones' kin, so the first that is found counts.
const BROWSERS: [(&str, &str); 7] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
];

/// Marks of systems; the first that is found counts here too.
const SYSTEMS: [(&str, &str); 7] = [
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
];

/// Browser and system, for example `Firefox · Linux`; `None` when neither is known.
pub fn browser_name(user_agent: &str) -> Option<String> {
    let known = |marks: &[(&str, &'static str)]| {
        let found = marks.iter().find(|(mark, _)| user_agent.contains(mark));
        found.map(|(_, name)| *name)
    };
    let names: Vec<&str> = [known(&BROWSERS), known(&SYSTEMS)]
        .into_iter()
        .flatten()
        .collect();
    (!names.is_empty()).then(|| names.join(" · "))
}

#[cfg(test)]
mod tests {
    use super::browser_name;

    #[test]
    fn browsers_are_known_by_what_they_alone_say() {
        for (text, name) in [
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                Some("Firefox · Linux"),
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0 Safari/537.36 Edg/141.0",
                Some("Edge · Windows"),
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1",
                Some("Safari · iPhone"),
            ),
            ("curl/8.5.0", Some("curl")),
            ("", None),
        ] {
            assert_eq!(browser_name(text).as_deref(), name, "{text}");
        }
    }
}
