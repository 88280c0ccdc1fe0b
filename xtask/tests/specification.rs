//! `docs/SPECIFICATION.md` has every section that a comment names, lists its sections, and describes every code, setting and route.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The two parts of the document, by which comments name its sections.
const PARTS: [&str; 2] = ["SPEC", "CONTRACT"];

/// What stands between two numbers of a list.
const AND: [&str; 4] = [", and ", ", ", " and ", " or "];

/// What stands between the first and the last number of a range.
const UP_TO: [&str; 3] = [" to ", "-", "–"];

/// Where routes are declared.
const ROUTERS: [&str; 3] = [
    "server/src/router.rs",
    "server/src/health.rs",
    "server/src/metrics.rs",
];

/// How `router.rs` declares an endpoint, and the method of each way.
const METHODS: [(&str, &str); 5] = [
    (".get(", "GET"),
    (".post(", "POST"),
    (".put(", "PUT"),
    (".patch(", "PATCH"),
    (".delete(", "DELETE"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn specification() -> String {
    read("docs/SPECIFICATION.md")
}

/// Every text file of the repository, with its path; those that nobody has added yet as well.
fn sources() -> Vec<(String, String)> {
    let output = Command::new("git")
        .current_dir(root())
        .args(["ls-files", "-z", "--cached", "--others"])
        .arg("--exclude-standard")
        .output()
        .expect("git starts");
    assert!(output.status.success(), "git lists the files");
    let paths = String::from_utf8(output.stdout).expect("paths are UTF-8");
    let text = |path: &str| fs::read_to_string(root().join(path)).ok();
    paths
        .split_terminator('\0')
        .filter_map(|path| Some((path.to_owned(), text(path)?)))
        .collect()
}

/// The sections of the document: those that a heading begins with.
fn sections(document: &str) -> BTreeSet<String> {
    let headings = document.lines().filter(|line| line.starts_with('#'));
    headings
        .map(|heading| heading.trim_start_matches('#').trim_start())
        .filter_map(|heading| {
            references(heading)
                .into_iter()
                .find(|it| heading.starts_with(it))
        })
        .collect()
}

/// The sections that a part consists of, without those within them, each with its title: `SPEC 4` and `Endpoints`.
fn titles(document: &str) -> BTreeSet<(String, &str)> {
    let headings = document.lines().filter_map(|line| line.strip_prefix("## "));
    headings
        .filter_map(|heading| {
            let section = references(heading).into_iter().next()?;
            let title = heading.strip_prefix(&*section)?.trim();
            Some((section, title))
        })
        .collect()
}

/// What the table of contents lists: a column of numbers and one of titles for each part.
fn contents(document: &str) -> BTreeSet<(String, &str)> {
    let rows = document
        .lines()
        .skip_while(|line| !line.starts_with("| SPEC "));
    let rows = rows.take_while(|line| line.starts_with('|')).skip(2);
    let cells = rows.map(|row| row.trim_matches('|').split('|').map(str::trim));
    let listed = cells.flat_map(|cells| {
        let cells: Vec<&str> = cells.collect();
        let sections = cells.chunks(2).zip(PARTS);
        let named = sections.filter(|(cells, _)| !cells[0].is_empty());
        named
            .map(|(cells, part)| (format!("{part} {}", cells[0]), cells[1]))
            .collect::<Vec<_>>()
    });
    listed.collect()
}

/// The sections that a line names, those within a range included. A reference without a number leads nowhere: a line that ends
/// before the number would hide it from this test.
fn references(line: &str) -> Vec<String> {
    let named = PARTS.into_iter().flat_map(|part| {
        let found = words(line, part);
        found.flat_map(move |rest| {
            let rest = rest.strip_prefix(".md").unwrap_or(rest);
            let rest = rest.strip_prefix("'s").unwrap_or(rest).trim_start();
            let numbers = match rest.strip_prefix("section ").unwrap_or(rest) {
                "" => vec![String::new()],
                rest => numbers(rest),
            };
            numbers.into_iter().map(move |it| format!("{part} {it}"))
        })
    });
    named.collect()
}

/// What follows each occurrence of `word` that does not begin within another one.
fn words<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = &'a str> {
    let whole = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    text.match_indices(word)
        .filter(move |(at, _)| whole(&text[..*at]))
        .map(move |(at, _)| &text[at + word.len()..])
}

/// The section numbers at the beginning of `text`: one, a list, or a range.
fn numbers(text: &str) -> Vec<String> {
    let Some((mut last, mut rest)) = number(text) else {
        return Vec::new();
    };
    let mut all = vec![last.to_owned()];
    loop {
        if let Some((next, after)) = after_any(rest, &UP_TO) {
            all.extend(between(last, next));
            all.push(next.to_owned());
            (last, rest) = (next, after);
        } else if let Some((next, after)) = after_any(rest, &AND) {
            all.push(next.to_owned());
            (last, rest) = (next, after);
        } else {
            return all;
        }
    }
}

fn after_any<'a>(text: &'a str, separators: &[&str]) -> Option<(&'a str, &'a str)> {
    separators
        .iter()
        .find_map(|separator| number(text.strip_prefix(separator)?))
}

/// A number such as `4` or `4.10` and what follows it; a full stop at its end belongs to the sentence.
fn number(text: &str) -> Option<(&str, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let found = text[..end].trim_end_matches('.');
    let begins = found.starts_with(|c: char| c.is_ascii_digit());
    begins.then(|| text.split_at(found.len()))
}

/// The numbers between two of the same section.
fn between(first: &str, last: &str) -> Vec<String> {
    let split = |number: &str| -> Option<(String, u32)> {
        let (section, item) = number.rsplit_once('.').unwrap_or(("", number));
        Some((section.to_owned(), item.parse().ok()?))
    };
    match (split(first), split(last)) {
        (Some((section, first)), Some((same, last))) if section == same => (first + 1..last)
            .map(|item| match section.as_str() {
                "" => item.to_string(),
                section => format!("{section}.{item}"),
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// `file:line: section` of each reference that leads nowhere.
fn unresolved(path: &str, text: &str, sections: &BTreeSet<String>) -> Vec<String> {
    let lines = text.lines().zip(1..);
    lines
        .flat_map(|(line, number)| references(line).into_iter().map(move |it| (number, it)))
        .filter(|(_, section)| !sections.contains(section))
        .map(|(number, section)| format!("{path}:{number}: {section}"))
        .collect()
}

/// The texts in quotes that follow `before`, with what stands in front of each.
fn quoted<'a>(source: &'a str, before: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    source.match_indices(before).filter_map(move |(at, _)| {
        let rest = source[at + before.len()..].trim_start();
        let (text, _) = rest.strip_prefix('"')?.split_once('"')?;
        Some((&source[..at], text))
    })
}

/// What the sources of a router declare: `METHOD /path` of endpoints, the path alone of the others.
fn routes(source: &str) -> BTreeSet<String> {
    let prefix = |front| quoted(front, "Routes::under(").last().map(|(_, it)| it);
    let endpoints = METHODS.into_iter().flat_map(|(declared, method)| {
        quoted(source, declared)
            .filter_map(move |(front, path)| Some(format!("{method} {}{path}", prefix(front)?)))
    });
    // Paths that end in a slash or a wildcard lead to refusals.
    let others = quoted(source, ".route(")
        .map(|(_, path)| path)
        .filter(|path| !path.ends_with('/') && !path.contains("{*"));
    endpoints.chain(others.map(str::to_owned)).collect()
}

/// Fails unless the document mentions each of `names`, of which there must be some.
fn assert_described(kind: &str, names: &BTreeSet<String>) {
    assert!(!names.is_empty(), "the {kind} are declared in another way");
    let document = specification();
    let goes_on = |c: char| c.is_alphanumeric() || "_/{-".contains(c);
    let is_missing =
        |name: &&String| !words(&document, name).any(|rest| !rest.starts_with(goes_on));
    let missing: Vec<_> = names.iter().filter(is_missing).collect();
    assert!(
        missing.is_empty(),
        "docs/SPECIFICATION.md lacks these {kind}: {missing:#?}"
    );
}

#[test]
fn every_section_that_is_named_is_there() {
    let sections = sections(&specification());
    let unresolved: Vec<_> = sources()
        .iter()
        .flat_map(|(path, text)| unresolved(path, text, &sections))
        .collect();
    assert!(
        unresolved.is_empty(),
        "docs/SPECIFICATION.md has no such section:\n{}",
        unresolved.join("\n")
    );
}

#[test]
fn the_table_of_contents_lists_the_sections_by_their_titles() {
    let document = specification();
    assert_eq!(contents(&document), titles(&document));
}

#[test]
fn every_error_code_is_described() {
    let source = read("crates/domain/src/error_code.rs");
    let codes = quoted(&source, " = ").map(|(_, code)| code.to_owned());
    let is_code = |text: &String| text.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    assert_described("error codes", &codes.filter(is_code).collect());
}

#[test]
fn every_setting_is_described() {
    let is_config = |path: &str| path.starts_with("server/src/config");
    let sources = sources();
    let sources = sources.iter().filter(|(path, _)| is_config(path));
    let settings = sources.flat_map(|(_, source)| quoted(source, "env ="));
    let settings = settings.map(|(_, name)| name.to_owned());
    assert_described("settings", &settings.collect());
}

#[test]
fn every_route_is_described() {
    let routes = ROUTERS.iter().flat_map(|path| routes(&read(path)));
    assert_described("routes", &routes.collect());
}

#[test]
fn references_are_read_in_every_form() {
    for (line, named) in [
        ("//! Sends (SPEC 4.8).", &["SPEC 4.8"][..]),
        ("the 20 s of CONTRACT 1.", &["CONTRACT 1"]),
        ("CONTRACT.md section 7", &["CONTRACT 7"]),
        ("(SPEC 2.6, 4.12)", &["SPEC 2.6", "SPEC 4.12"]),
        ("CONTRACT 4 and 8", &["CONTRACT 4", "CONTRACT 8"]),
        ("SPEC 4.8 to 4.10", &["SPEC 4.8", "SPEC 4.9", "SPEC 4.10"]),
        ("SPEC 8, CONTRACT 3", &["SPEC 8", "CONTRACT 3"]),
        ("at most 20 (CONTRACT", &["CONTRACT "]),
        ("RUBY_SPEC 1, a CONTRACT, TORT", &[]),
    ] {
        assert_eq!(references(line), named, "{line}");
    }
}

#[test]
fn contents_and_titles_are_read_from_a_document() {
    let document = "| SPEC | | CONTRACT | |\n|---|---|---|---|\n| 2 | Two | 1 | First |\n| | | 12 | Twelfth |\n\n| 3 | no part of it |\n\n\
                    ## SPEC 2 Two\n### SPEC 2.1 Below\n## CONTRACT 1 First\n## Others\n## CONTRACT 12 Twelfth\n";
    let expected = [
        ("CONTRACT 1", "First"),
        ("CONTRACT 12", "Twelfth"),
        ("SPEC 2", "Two"),
    ];
    let expected = BTreeSet::from(expected.map(|(section, title)| (section.to_owned(), title)));
    assert_eq!(contents(document), expected);
    assert_eq!(titles(document), expected);
}

#[test]
fn a_reference_that_leads_nowhere_is_told_by_its_line() {
    let sections = sections("## SPEC 4 Endpoints\n### SPEC 4.1 POST\nSPEC 4.2\n");
    let text = "// SPEC 4.1\n// SPEC 4, 4.2\n";
    assert_eq!(unresolved("a.rs", text, &sections), ["a.rs:2: SPEC 4.2"]);
}

#[test]
fn routes_are_read_with_their_prefix() {
    let source = r#"Routes::under("/a").get("/b", b).post(
        "/c/{id}", c) .route("/d", get(d)).route("/e/", any(e))"#;
    let expected = ["/d", "GET /a/b", "POST /a/c/{id}"];
    assert!(routes(source).iter().eq(expected));
}
