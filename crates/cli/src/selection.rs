//! Users and tags as arguments name them (CONTRACT 12): what is none is told before anybody is asked.

use hato_domain::{Tag, TagExpression, UserId};

pub fn user_id(text: &str) -> Result<String, &'static str> {
    let id = UserId::parse(text);
    let id = id.map_err(|_| "1 to 128 bytes without control characters are expected")?;
    Ok(id.as_str().to_owned())
}

pub fn tag(text: &str) -> Result<String, &'static str> {
    let tag = Tag::parse(text);
    let tag = tag.map_err(|_| "1 to 64 of A-Z a-z 0-9 _ . : - are expected")?;
    Ok(tag.as_str().to_owned())
}

pub fn tag_expression(text: &str) -> Result<String, &'static str> {
    let expression = TagExpression::parse(text);
    let expression = expression.map_err(|_| "tags with !, &&, || and parentheses are expected")?;
    Ok(expression.as_str().to_owned())
}
