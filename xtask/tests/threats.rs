//! `docs/THREATS.md` and `docs/RELIABILITY.md` say which tests prove what they claim: each row of the former's tables names a test, and
//! each test and file that they name is there.

use std::fs;
use std::path::{Path, PathBuf};

/// What tables say, and what says so.
struct Proof<'a> {
    /// The test's name, as cargo or Playwright knows it.
    name: &'a str,
    /// Its file, from the root of the repository.
    path: &'a str,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn threats() -> String {
    read("docs/THREATS.md")
}

/// The tests that a text links to: their names in backticks, their files from `docs/` on.
fn proofs(text: &str) -> Vec<Proof<'_>> {
    let links = text.split("[`").skip(1);
    links
        .filter_map(|link| {
            let (name, rest) = link.split_once("`](../")?;
            let (path, _) = rest.split_once(')')?;
            Some(Proof { name, path })
        })
        .collect()
}

/// The rows of all tables, without what stands above the line of their heads.
fn rows(document: &str) -> Vec<&str> {
    let tables = document.split("\n\n");
    let rows = tables.filter_map(|table| table.split_once("\n|---"));
    rows.flat_map(|(_, rows)| rows.lines().skip(1)).collect()
}

/// The modules that a test in this file is in, each followed by `::`; `None` where no test is.
fn modules(path: &str) -> Option<String> {
    let path = path.strip_suffix(".rs")?;
    let modules: Vec<&str> = if let Some((_, rest)) = path.split_once("/tests/") {
        // The first is the target itself.
        rest.split('/').skip(1).collect()
    } else {
        // The sources that both databases compile are in a folder of their own.
        let sources = path.split_once("/src/");
        let (_, rest) = sources.or_else(|| path.split_once("/shared/"))?;
        let tests = (!rest.ends_with("/tests")).then_some("tests");
        rest.split('/').chain(tests).collect()
    };
    let modules = modules
        .into_iter()
        .filter(|it| !["main", "lib"].contains(it));
    Some(modules.flat_map(|it| [it, "::"]).collect())
}

/// Whether the source declares a function of this name as a test.
fn declares(source: &str, function: &str) -> bool {
    let declaration = format!("fn {function}(");
    let lines: Vec<&str> = source.lines().map(str::trim_start).collect();
    let found = lines.iter().position(|line| line.contains(&declaration));
    found.is_some_and(|at| {
        let above = lines[..at].iter().rev();
        let mut attributes = above.take_while(|line| line.starts_with("#["));
        attributes.any(|line| line.contains("test") || line.contains("on_each_database"))
    })
}

impl Proof<'_> {
    /// Whether the test is in its file, under the name that its runner knows.
    fn is_there(&self) -> bool {
        let Ok(source) = fs::read_to_string(root().join(self.path)) else {
            return false;
        };
        if Path::new(self.path)
            .extension()
            .is_some_and(|it| it == "ts")
        {
            return source.contains(&format!("test('{}'", self.name));
        }
        let function = modules(self.path).and_then(|modules| self.name.strip_prefix(&*modules));
        function.is_some_and(|function| declares(&source, function))
    }
}

/// The files that a document in `folder` links to and that are not there.
fn dead_links(document: &str, folder: &Path) -> Vec<String> {
    let links = document.split("](").skip(1);
    let targets = links.filter_map(|link| link.split([')', '#']).next());
    targets
        .filter(|target| !target.is_empty() && !target.contains("://"))
        .filter(|target| !folder.join(target).is_file())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_claim_has_its_proof() {
    let document = threats();
    let rows = rows(&document);
    assert!(rows.len() > 50, "the tables are written in another way");
    let unproven: Vec<_> = rows
        .into_iter()
        .filter(|row| {
            let cells: Vec<_> = row.trim_matches('|').split(" | ").collect();
            cells.len() != 3 || proofs(cells[2]).is_empty()
        })
        .collect();
    assert!(unproven.is_empty(), "{}", unproven.join("\n"));
}

#[test]
fn every_test_that_is_named_is_there() {
    let documents = [threats(), read("docs/RELIABILITY.md")];
    let missing: Vec<_> = documents
        .iter()
        .flat_map(|document| proofs(document))
        .filter(|proof| !proof.is_there())
        .map(|proof| format!("{}: {}", proof.path, proof.name))
        .collect();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_link_leads_to_a_file() {
    for (document, folder) in [
        ("docs/THREATS.md", "docs"),
        ("docs/RELIABILITY.md", "docs"),
        ("SECURITY.md", ""),
    ] {
        let dead = dead_links(&read(document), &root().join(folder));
        assert!(dead.is_empty(), "{document}: {}", dead.join(", "));
    }
}

/// The commands of a task.
fn task<'a>(makefile: &'a str, name: &str) -> Vec<&'a str> {
    let head = format!("{name}:");
    let below = makefile.lines().skip_while(|line| !line.starts_with(&head));
    let commands = below.skip(1).take_while(|line| line.starts_with('\t'));
    commands.map(str::trim).collect()
}

#[test]
fn every_change_is_asked_where_its_crates_come_from() {
    let makefile = read("Makefile");
    assert!(task(&makefile, "check").contains(&"cargo deny check bans licenses sources"));
    assert!(read(".github/workflows/check.yml").contains("- run: make check\n"));
    let rules = read("deny.toml");
    let rules: Vec<_> = rules.lines().collect();
    for rule in [
        "unknown-registry = \"deny\"",
        "unknown-git = \"deny\"",
        "wildcards = \"deny\"",
    ] {
        assert!(rules.contains(&rule), "{rule}");
    }
    // Only crates.io is known unless others are named.
    assert!(
        !rules
            .iter()
            .any(|it| it.starts_with("allow-registry") || it.starts_with("allow-git"))
    );
}

#[test]
fn a_test_is_known_by_the_name_that_cargo_gives_it() {
    for (path, expected) in [
        ("server/tests/api/matrix.rs", Some("matrix::")),
        ("server/tests/api/main.rs", Some("")),
        ("sw/tests/properties.rs", Some("")),
        ("crates/a/src/b/c.rs", Some("b::c::tests::")),
        ("crates/a/src/b/tests.rs", Some("b::tests::")),
        ("crates/a/src/lib.rs", Some("tests::")),
        ("docs/THREATS.md", None),
    ] {
        assert_eq!(modules(path).as_deref(), expected, "{path}");
    }
}

#[test]
fn what_is_not_there_is_found() {
    let source = "#[tokio::test]\nasync fn a_test() {\n}\n\nfn no_test() {\n}\n";
    assert!(declares(source, "a_test"));
    assert!(!declares(source, "no_test") && !declares(source, "test"));
    let row = "| a | b | [`x::y`](../a/tests/b/x.rs), [`z`](../c.rs) |";
    let names = proofs(row).into_iter().map(|it| (it.name, it.path));
    assert!(names.eq([("x::y", "a/tests/b/x.rs"), ("z", "c.rs")]));
    assert!(proofs(row).iter().all(|proof| !proof.is_there()));
    assert_eq!(
        rows("| a | b |\n|---|---|\n| c | d |\n\ntext"),
        ["| c | d |"]
    );
    let links = "[a](Cargo.toml), [b](#b), [c](https://c.example/), [d](gone.md#d)";
    assert_eq!(dead_links(links, &root()), ["gone.md"]);
}
