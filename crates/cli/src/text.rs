//! Text for a terminal: what strangers wrote, and words that are counted.

/// The text on one line, without what a terminal would take for a command.
pub fn printable(text: &str) -> String {
    let shown = |c: char| if c.is_control() { ' ' } else { c };
    text.chars().map(shown).collect()
}

pub fn recipient_noun(count: i64) -> &'static str {
    if count == 1 {
        "recipient"
    } else {
        "recipients"
    }
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn a_terminal_is_not_commanded() {
        assert_eq!(printable("a\x1b[2Jb\nc\u{9b}d"), "a [2Jb c d");
        assert_eq!(printable("鳩"), "鳩");
    }
}
