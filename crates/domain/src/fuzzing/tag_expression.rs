//! A target of `make fuzz`: tag expressions.

use std::str;

use crate::{Tag, TagExpression, TagStep, Tags};

/// An expression can be written with all its parentheses, and means what its operators mean. The first four bytes say which of its
/// tags somebody has.
pub fn tag_expression(data: &[u8]) {
    let Some((had, text)) = data.split_first_chunk() else {
        return;
    };
    let Some(Ok(read)) = str::from_utf8(text).ok().map(TagExpression::parse) else {
        return;
    };
    assert!(read.as_str().len() <= TagExpression::MAX_BYTES);
    assert!((1..=TagExpression::MAX_TAGS).contains(&read.tags().count()));
    let written = written(&read);
    if written.len() <= TagExpression::MAX_BYTES {
        let again = TagExpression::parse(&written).expect("what was written is an expression");
        assert_eq!(again.steps(), read.steps(), "{written}");
    }
    let tags = tags(&read, u32::from_le_bytes(*had));
    assert_eq!(read.holds_for(&tags), holds(&read, &tags), "{written}");
    let nobodys = Tags::default();
    assert_eq!(read.may_hold_without_tags(), holds(&read, &nobodys));
}

/// Those of the expression's tags whose bit is set.
fn tags(expression: &TagExpression, had: u32) -> Tags {
    let tags = expression.tags().enumerate();
    let tags = tags.filter(|(index, _)| (had >> index) & 1 == 1);
    Tags::trusted(tags.map(|(_, tag)| tag.as_str().to_owned()))
}

/// Computes the expression's steps with a value for a tag, one for each operator, and `!`, `&&` and `||`.
fn compute<T>(
    expression: &TagExpression,
    tag: impl Fn(&Tag) -> T,
    not: impl Fn(T) -> T,
    operator: impl Fn(T, T, &TagStep) -> T,
) -> T {
    let mut stack = Vec::new();
    for step in expression.steps() {
        let mut operand = || stack.pop().expect("an operator has its operands");
        let value = match step {
            TagStep::Tag(it) => tag(it),
            TagStep::Not => not(operand()),
            TagStep::And | TagStep::Or => {
                let right = operand();
                operator(operand(), right, step)
            }
        };
        stack.push(value);
    }
    let value = stack.pop().expect("an expression has a value");
    assert!(stack.is_empty(), "an expression has one value");
    value
}

fn holds(expression: &TagExpression, tags: &Tags) -> bool {
    let operator = |left, right, step: &TagStep| match step {
        TagStep::And => left && right,
        _ => left || right,
    };
    compute(expression, |tag| tags.contains(tag), |it| !it, operator)
}

fn written(expression: &TagExpression) -> String {
    let operator = |left, right, step: &TagStep| match step {
        TagStep::And => format!("({left}) && ({right})"),
        _ => format!("({left}) || ({right})"),
    };
    let tag = |tag: &Tag| tag.as_str().to_owned();
    compute(expression, tag, |it| format!("!({it})"), operator)
}
