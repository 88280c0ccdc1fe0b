//! Which tags the recipients of a send must have: `lang:ja && (_plan:pro || beta)` (CONTRACT 12).

use crate::{ErrorCode, PositionSet, Tag, Tags};

/// A condition on tags, of `!` (binds tightest), `&&`, `||` and parentheses.
///
/// It is kept as the steps that compute it on a stack, so that neither reading nor computing recurses, however deep it is nested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagExpression {
    text: String,
    steps: Vec<TagStep>,
}

/// One step of computing an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagStep {
    /// Pushes who has the tag.
    Tag(Tag),
    /// Replaces the last by everybody else.
    Not,
    /// Replaces the last two by those who are in both.
    And,
    /// Replaces the last two by those who are in either.
    Or,
}

/// Who meets an expression, or a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagMatches {
    /// The subscriptions at these positions, and no others.
    These(PositionSet),
    /// Every active position but these: who that is has not been asked.
    AllBut(PositionSet),
}

impl TagMatches {
    fn not(self) -> Self {
        match self {
            Self::These(positions) => Self::AllBut(positions),
            Self::AllBut(positions) => Self::These(positions),
        }
    }

    fn and(self, other: Self) -> Self {
        use TagMatches::{AllBut, These};
        match (self, other) {
            (These(left), These(right)) => These(left.intersection(&right)),
            (These(these), AllBut(others)) | (AllBut(others), These(these)) => {
                These(these.difference(&others))
            }
            (AllBut(left), AllBut(right)) => AllBut(left.union(right)),
        }
    }

    /// In either is: not outside of both.
    fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }
}

/// What waits for its operands while an expression is read.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Pending {
    Parenthesis,
    Or,
    And,
    Not,
}

impl TagExpression {
    /// Most tags of an expression.
    pub const MAX_TAGS: usize = 32;
    /// Most bytes of an expression.
    pub const MAX_BYTES: usize = 1_024;

    /// Reads an expression; what is none, is too long or has too many tags is `INVALID_INPUT`. Blanks between its parts are allowed.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        if text.len() > Self::MAX_BYTES {
            return Err(ErrorCode::InvalidInput);
        }
        let mut reader = ExpressionParser::default();
        let mut rest = text.as_bytes();
        while let [first, behind @ ..] = rest {
            rest = match first {
                b' ' => behind,
                _ => reader.read(rest).ok_or(ErrorCode::InvalidInput)?,
            };
        }
        let steps = reader.finish().ok_or(ErrorCode::InvalidInput)?;
        Ok(Self {
            text: text.to_owned(),
            steps,
        })
    }

    /// The expression as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The steps that compute it: after the last one, the stack holds one value.
    pub fn steps(&self) -> &[TagStep] {
        &self.steps
    }

    /// The tags that it names, some perhaps more than once.
    pub fn tags(&self) -> impl Iterator<Item = &Tag> {
        self.steps.iter().filter_map(|step| match step {
            TagStep::Tag(tag) => Some(tag),
            TagStep::Not | TagStep::And | TagStep::Or => None,
        })
    }
}

impl TagExpression {
    /// Who meets it, when `positions` says who has a tag.
    pub fn matches(&self, mut positions: impl FnMut(&Tag) -> PositionSet) -> TagMatches {
        let mut stack: Vec<TagMatches> = Vec::new();
        for step in &self.steps {
            // Reading has made sure that each operator finds its operands.
            let mut operand = || {
                stack
                    .pop()
                    .unwrap_or_else(|| TagMatches::These(PositionSet::default()))
            };
            let result = match step {
                TagStep::Tag(tag) => TagMatches::These(positions(tag)),
                TagStep::Not => operand().not(),
                TagStep::And => operand().and(operand()),
                TagStep::Or => operand().or(operand()),
            };
            stack.push(result);
        }
        stack
            .pop()
            .unwrap_or_else(|| TagMatches::These(PositionSet::default()))
    }

    /// Whether somebody with these tags meets it.
    pub fn holds_for(&self, tags: &Tags) -> bool {
        let matches = self.matches(|tag| tags.contains(tag).then_some(0).into_iter().collect());
        match matches {
            TagMatches::These(positions) => !positions.is_empty(),
            TagMatches::AllBut(positions) => positions.is_empty(),
        }
    }

    /// Whether it may hold for somebody without any of its tags, so that everybody has to be asked for.
    pub fn may_hold_without_tags(&self) -> bool {
        self.holds_for(&Tags::default())
    }
}

/// Reads an expression from left to right (the shunting-yard algorithm).
#[derive(Default)]
struct ExpressionParser {
    steps: Vec<TagStep>,
    pending: Vec<Pending>,
    tags: usize,
    /// Whether an operand has just ended, so that an operator may follow and no other operand.
    is_after_operand: bool,
}

impl ExpressionParser {
    /// Reads the next part of the text, which is not empty, and returns what is left of it; `None` when it cannot stand there.
    fn read<'a>(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        match (text, self.is_after_operand) {
            ([b'&', b'&', rest @ ..], true) => {
                self.operator(Pending::And);
                Some(rest)
            }
            ([b'|', b'|', rest @ ..], true) => {
                self.operator(Pending::Or);
                Some(rest)
            }
            ([b')', rest @ ..], true) => self.close().then_some(rest),
            ([b'!', rest @ ..], false) => {
                self.pending.push(Pending::Not);
                Some(rest)
            }
            ([b'(', rest @ ..], false) => {
                self.pending.push(Pending::Parenthesis);
                Some(rest)
            }
            (_, false) => self.tag(text),
            _ => None,
        }
    }

    fn operator(&mut self, operator: Pending) {
        self.end_down_to(operator);
        self.pending.push(operator);
        self.is_after_operand = false;
    }

    fn tag<'a>(&mut self, text: &'a [u8]) -> Option<&'a [u8]> {
        let length = text.iter().position(|byte| !Tag::may_contain(*byte));
        let (tag, rest) = text.split_at(length.unwrap_or(text.len()));
        let tag = Tag::parse(std::str::from_utf8(tag).ok()?).ok()?;
        self.tags += 1;
        self.steps.push(TagStep::Tag(tag));
        self.is_after_operand = true;
        (self.tags <= TagExpression::MAX_TAGS).then_some(rest)
    }

    /// Ends what was opened last; whether anything was.
    fn close(&mut self) -> bool {
        self.end_down_to(Pending::Or);
        self.pending.pop() == Some(Pending::Parenthesis)
    }

    /// Ends the operators that bind at least as tightly as this one.
    fn end_down_to(&mut self, operator: Pending) {
        while let Some(last) = self.pending.pop_if(|last| *last >= operator) {
            self.steps.extend(match last {
                Pending::Not => Some(TagStep::Not),
                Pending::And => Some(TagStep::And),
                Pending::Or => Some(TagStep::Or),
                Pending::Parenthesis => None,
            });
        }
    }

    /// The steps of the whole expression; `None` when it ends too early.
    fn finish(mut self) -> Option<Vec<TagStep>> {
        self.end_down_to(Pending::Or);
        (self.is_after_operand && self.pending.is_empty()).then_some(self.steps)
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::{TagExpression, TagMatches, TagStep};
    use crate::{PositionSet, Tag, Tags};

    /// The steps as text, the operators behind their operands.
    fn steps(text: &str) -> Option<String> {
        let expression = TagExpression::parse(text).ok()?;
        let steps = expression.steps().iter().map(|step| match step {
            TagStep::Tag(tag) => tag.as_str().to_owned(),
            TagStep::Not => "!".to_owned(),
            TagStep::And => "&".to_owned(),
            TagStep::Or => "|".to_owned(),
        });
        Some(steps.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn operators_bind_as_written() {
        for (text, expected) in [
            ("a", "a"),
            (
                "lang:ja && (_plan:pro || beta)",
                "lang:ja _plan:pro beta | &",
            ),
            ("a||b&&c", "a b c & |"),
            ("a&&b||c", "a b & c |"),
            ("!a&&!!b", "a ! b ! ! &"),
            ("!(a||b)", "a b | !"),
            ("((a))", "a"),
            ("a || b || c", "a b | c |"),
            (" a-b.c ", "a-b.c"),
        ] {
            assert_eq!(steps(text).as_deref(), Some(expected), "{text}");
        }
    }

    /// An expression over the tags a to e with at most so many operators above each other, and for which of the 32 sets of tags it
    /// holds, a bit each.
    fn expression(random: &mut Rng, depth: u32) -> (String, u32) {
        match random.u32(0..if depth == 0 { 1 } else { 5 }) {
            0 => {
                let tag = random.u8(0..5);
                let sets = (0..32_u32).filter(|set| set >> tag & 1 == 1);
                (
                    char::from(b'a' + tag).to_string(),
                    sets.map(|set| 1 << set).sum(),
                )
            }
            1 => {
                let (text, sets) = expression(random, depth - 1);
                (format!("!({text})"), !sets)
            }
            operator => {
                let (left, one) = expression(random, depth - 1);
                let (right, other) = expression(random, depth - 1);
                match operator {
                    2 => (format!("({left})&&({right})"), one & other),
                    3 => (format!("({left}) || !({right})"), one | !other),
                    _ => (format!("({left}) || ({right})"), one | other),
                }
            }
        }
    }

    fn has(set: u32, tag: &Tag) -> bool {
        set >> (tag.as_str().as_bytes()[0] - b'a') & 1 == 1
    }

    #[test]
    fn an_expression_holds_where_a_table_of_truth_says_so() {
        let mut random = Rng::with_seed(7);
        let everyone: PositionSet = (0..32).collect();
        for _ in 0..2_000 {
            let (text, sets) = expression(&mut random, 4);
            let read = TagExpression::parse(&text).expect("at most 16 tags");
            let who_has = |tag: &Tag| {
                (0..32)
                    .filter(|set| has(*set, tag))
                    .map(i64::from)
                    .collect()
            };
            let found = match read.matches(who_has) {
                TagMatches::These(positions) => positions,
                TagMatches::AllBut(positions) => everyone.clone().difference(&positions),
            };
            let expected = (0..32).filter(|set| sets >> set & 1 == 1);
            assert!(found.iter().eq(expected.clone().map(i64::from)), "{text}");
            for set in 0..32_u32 {
                let all = ["a", "b", "c", "d", "e"].map(String::from).into_iter();
                let tags = Tags::trusted(all.filter(|tag| has(set, &Tag::trusted(tag))));
                assert_eq!(read.holds_for(&tags), sets >> set & 1 == 1, "{text} {set}");
            }
            assert_eq!(read.may_hold_without_tags(), sets & 1 == 1, "{text}");
        }
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for text in [
            "",
            " ",
            "a b",
            "a &",
            "a & b",
            "a | b",
            "&& a",
            "a &&",
            "a && && b",
            "!",
            "a !",
            "()",
            "(a",
            "a)",
            "(a))",
            "a()",
            "a,b",
            "a\tb",
            "タグ",
            "a && \u{ff01}b",
        ] {
            assert_eq!(steps(text), None, "{text}");
        }
    }

    #[test]
    fn tags_bytes_and_nesting_are_bounded() {
        let tags = |count| vec!["t"; count].join("||");
        assert!(steps(&tags(32)).is_some() && steps(&tags(33)).is_none());
        let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert!(steps(&nested(511)).is_some() && steps(&nested(10_000)).is_none());
        assert!(steps(&format!("{}a", "!".repeat(1_023))).is_some());
        assert!(steps(&format!("{}a", "!".repeat(1_024))).is_none());
        let longest = "t".repeat(64);
        assert!(steps(&longest).is_some() && steps(&format!("{longest}t")).is_none());
    }
}
