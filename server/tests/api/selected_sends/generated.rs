//! Expressions of tags against an evaluator of the test's own, over audiences that are generated (CONTRACT 12).

use std::collections::{BTreeMap, BTreeSet};

use hato_testkit::seeded_rng::{self, Rng};
use hato_testkit::server::ServerLaunch;
use hato_testkit::{TestDatabase, on_each_database};
use serde_json::{Value, json};

use super::{endpoint, queued, register};
use crate::database::execute;
use crate::fixtures::{BINARY, app, start};

/// The tags and the user of a generated subscription.
#[derive(Clone, Debug)]
struct Subscriber {
    tags: BTreeSet<String>,
    user: Option<String>,
    is_active: bool,
}

impl Subscriber {
    fn generate(random: &mut Rng) -> Self {
        let tags = ["a", "b", "c", "d"]
            .into_iter()
            .filter(|_| random.u32(0..2) == 0);
        Self {
            tags: tags.map(str::to_owned).collect(),
            user: (random.u32(0..2) == 0).then(|| format!("user-{}", random.u32(0..5))),
            is_active: true,
        }
    }

    fn profile(&self) -> Value {
        json!({"tags": self.tags, "user_id": self.user})
    }

    /// Whether the condition is met, asked of this subscription alone.
    fn meets(&self, expression: Option<&str>, users: Option<&[String]>) -> bool {
        let is_of_user = |users: &[String]| self.user.as_ref().is_some_and(|it| users.contains(it));
        self.is_active
            && expression.is_none_or(|text| holds(text, &self.tags))
            && users.is_none_or(is_of_user)
    }
}

/// Whether somebody with these tags meets the expression: by what the contract says of it, and nothing of how the server reads it.
fn holds(text: &str, tags: &BTreeSet<String>) -> bool {
    let text = text.replace(' ', "");
    let (holds, rest) = any(&text, tags);
    assert_eq!(rest, "", "the whole text is read");
    holds
}

/// `||` binds least: whether any of what stands between holds, and what is left of the text.
fn any<'a>(text: &'a str, tags: &BTreeSet<String>) -> (bool, &'a str) {
    let (mut holds, mut rest) = all(text, tags);
    while let Some(next) = rest.strip_prefix("||") {
        let (next, behind) = all(next, tags);
        (holds, rest) = (holds || next, behind);
    }
    (holds, rest)
}

/// Whether all of what stands between `&&` holds.
fn all<'a>(text: &'a str, tags: &BTreeSet<String>) -> (bool, &'a str) {
    let (mut holds, mut rest) = one(text, tags);
    while let Some(next) = rest.strip_prefix("&&") {
        let (next, behind) = one(next, tags);
        (holds, rest) = (holds && next, behind);
    }
    (holds, rest)
}

/// Whether a tag is there, what stands in parentheses holds, or what stands behind `!` does not.
fn one<'a>(text: &'a str, tags: &BTreeSet<String>) -> (bool, &'a str) {
    if let Some(negated) = text.strip_prefix('!') {
        let (holds, rest) = one(negated, tags);
        return (!holds, rest);
    }
    if let Some(within) = text.strip_prefix('(') {
        let (holds, rest) = any(within, tags);
        return (holds, rest.strip_prefix(')').expect("it is closed"));
    }
    let end = text.find(['&', '|', ')']).unwrap_or(text.len());
    (tags.contains(&text[..end]), &text[end..])
}

#[test]
fn the_evaluator_reads_what_people_would() {
    let tags = BTreeSet::from(["a".to_owned()]);
    for text in [
        "a || b && c",
        "b && c || a",
        "!b && a",
        "!(a && b)",
        "!!a",
        "a||b&&!a",
    ] {
        assert!(holds(text, &tags), "{text}");
    }
    for text in ["b", "!a || b", "a && b || c", "(a || b) && c", "!(a || b)"] {
        assert!(!holds(text, &tags), "{text}");
    }
}

/// An expression of at most 27 tags: up to three terms beside each other, with both operators between them and few parentheses.
fn expression(random: &mut Rng, depth: u32) -> String {
    let mut text = term(random, depth);
    for _ in 0..random.u32(0..3) {
        let operator = ["&&", " && ", "||", " ||  "][random.usize(0..4)];
        text = format!("{text}{operator}{}", term(random, depth));
    }
    text
}

fn term(random: &mut Rng, depth: u32) -> String {
    let negation = ["", "", "!", "!!", "! "][random.usize(0..5)];
    if depth > 0 && random.u32(0..3) == 0 {
        return format!("{negation}({})", expression(random, depth - 1));
    }
    let tag = ["a", "b", "c", "d", "unknown"][random.usize(0..5)];
    format!("{negation}{tag}")
}

#[on_each_database]
async fn a_generated_audience_is_found_as_a_naive_evaluator_finds_it(database: TestDatabase) {
    let server = start(ServerLaunch::on(BINARY, database).env("HATO_ROLE", "api")).await;
    let app = app(&server, "owner@example.com").await;
    // They stand on both sides of a block's end.
    execute(&server, "UPDATE apps SET last_position = 4080").await;
    let mut random = seeded_rng::from_env();
    let mut audience = BTreeMap::new();
    let unsubscribe = format!("/api/v1/apps/{}/subscriptions", app.id);
    for round in 0..6 {
        for number in 0..30 {
            if round > 0 && random.u32(0..3) > 0 {
                continue;
            }
            let known = audience.contains_key(&number);
            if known && random.u32(0..3) == 0 {
                let body = json!({"endpoint": endpoint(number)});
                let reply = app.admin.delete_with(&unsubscribe, &body).await;
                assert_eq!(reply.expect("an answer").status, 200);
                audience
                    .entry(number)
                    .and_modify(|it: &mut Subscriber| it.is_active = false);
                continue;
            }
            let mut subscriber = Subscriber::generate(&mut random);
            let before = audience.get(&number);
            register(&app, &endpoint(number), &subscriber.profile()).await;
            if subscriber.user.is_none() {
                subscriber.user = before.and_then(|it| it.user.clone());
            }
            audience.insert(number, subscriber);
        }
        for _ in 0..12 {
            let tags = (random.u32(0..4) > 0).then(|| expression(&mut random, 2));
            let users = (tags.is_none() || random.u32(0..3) == 0)
                .then(|| vec![format!("user-{}", random.u32(0..5)), "user-0".to_owned()]);
            let expected = audience
                .values()
                .filter(|it| it.meets(tags.as_deref(), users.as_deref()))
                .count();
            let mut to = json!({});
            if let Some(tags) = tags {
                to["tags"] = json!(tags);
            }
            if let Some(users) = users {
                to["user_ids"] = json!(users);
            }
            assert_eq!(
                queued(&app, &to).await,
                expected as u64,
                "{to} {audience:?}"
            );
        }
    }
}
