//! Numbers as people read them.

/// A number with its thousands set apart.
pub fn group_thousands(number: i64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (position, digit) in digits.chars().enumerate() {
        let left = digits.len() - position;
        if position > 0 && left.is_multiple_of(3) && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::group_thousands;

    #[test]
    fn thousands_are_set_apart() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (30_000, "30,000"),
            (1_234_567, "1,234,567"),
            (-100, "-100"),
            (-1_000, "-1,000"),
        ] {
            assert_eq!(group_thousands(number), text);
        }
    }
}
