//! What a worker's script imports, read as far as that needs: comments, texts, words and marks (ECMA-262 §12).

/// The arguments of all calls of `importScripts`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Imports {
    /// Those that are written out.
    pub addresses: Vec<String>,
    /// Whether others are put together when it runs.
    pub has_computed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum JsToken<'a> {
    Word(&'a str),
    Text(String),
    Punctuator(char),
    /// A number, a regular expression, or a template that has to be filled in.
    Other,
}

/// What a script imports.
pub fn imports(script: &str) -> Imports {
    let mut imports = Imports::default();
    let mut tokens = Lexer::new(script);
    while let Some(token) = tokens.next() {
        if token == JsToken::Word("importScripts")
            && tokens.next() == Some(JsToken::Punctuator('('))
        {
            arguments(&mut tokens, &mut imports);
        }
    }
    imports
}

fn arguments(tokens: &mut Lexer<'_>, imports: &mut Imports) {
    loop {
        let argument = tokens.next();
        let end = match &argument {
            Some(JsToken::Punctuator(')')) | None => return,
            _ => tokens.next(),
        };
        match (argument, &end) {
            (Some(JsToken::Text(address)), Some(JsToken::Punctuator(',' | ')'))) => {
                imports.addresses.push(address);
            }
            _ => imports.has_computed = true,
        }
        if end != Some(JsToken::Punctuator(',')) {
            return;
        }
    }
}

struct Lexer<'a> {
    rest: &'a str,
    /// Whether a slash would begin a regular expression here, not divide.
    expects_value: bool,
}

impl<'a> Lexer<'a> {
    fn new(script: &'a str) -> Self {
        Self {
            rest: script,
            expects_value: true,
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            if let Some(comment) = self.rest.strip_prefix("//") {
                self.rest = comment.find('\n').map_or("", |end| &comment[end..]);
            } else if let Some(comment) = self.rest.strip_prefix("/*") {
                self.rest = comment.split_once("*/").map_or("", |(_, after)| after);
            } else {
                return;
            }
        }
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    /// A text in quotes, its escapes undone as far as addresses have any.
    fn text(&mut self, quote: char) -> JsToken<'a> {
        let (mut text, mut is_escaped) = (String::new(), false);
        for (at, c) in self.rest.char_indices() {
            match c {
                _ if is_escaped => text.push(c),
                '\\' => {}
                c if c == quote => {
                    self.take(at + 1);
                    return if quote == '`' && text.contains("${") {
                        JsToken::Other
                    } else {
                        JsToken::Text(text)
                    };
                }
                c => text.push(c),
            }
            is_escaped = c == '\\' && !is_escaped;
        }
        self.rest = "";
        JsToken::Other
    }

    fn regular_expression(&mut self) -> JsToken<'a> {
        let (mut is_escaped, mut is_in_class) = (false, false);
        let end = self.rest.char_indices().find(|(_, c)| {
            let is_end = !is_escaped && !is_in_class && *c == '/';
            match c {
                _ if is_escaped => {}
                '[' => is_in_class = true,
                ']' => is_in_class = false,
                _ => {}
            }
            is_escaped = *c == '\\' && !is_escaped;
            is_end || *c == '\n'
        });
        self.take(end.map_or(self.rest.len(), |(at, c)| at + c.len_utf8()));
        JsToken::Other
    }

    fn word(&mut self) -> JsToken<'a> {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let end = self.rest.find(|c: char| !is_part(c));
        JsToken::Word(self.take(end.unwrap_or(self.rest.len())))
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = JsToken<'a>;

    fn next(&mut self) -> Option<JsToken<'a>> {
        self.skip_blanks();
        let first = self.rest.chars().next()?;
        let token = match first {
            '"' | '\'' | '`' => {
                self.take(1);
                self.text(first)
            }
            '/' if self.expects_value => {
                self.take(1);
                self.regular_expression()
            }
            c if c.is_alphanumeric() || matches!(c, '_' | '$') => self.word(),
            mark => {
                self.take(mark.len_utf8());
                JsToken::Punctuator(mark)
            }
        };
        self.expects_value = match &token {
            JsToken::Word(word) => matches!(*word, "return" | "typeof" | "case" | "in" | "of"),
            JsToken::Punctuator(mark) => !matches!(mark, ')' | ']' | '}'),
            JsToken::Text(_) | JsToken::Other => false,
        };
        Some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::imports;

    #[test]
    fn imports_are_found_however_they_are_written() {
        for script in [
            "importScripts(\"https://h.dev/sw.js\");",
            "self.importScripts('https:\\/\\/h.dev\\/sw.js')",
            "// ours\nimportScripts( /* the worker */ `https://h.dev/sw.js` );",
            "/* importScripts('x') */ const a = 6 / 2; importScripts('https://h.dev/sw.js') // 2",
            "const a = /[/\"]\\/'/; importScripts('https://h.dev/sw.js')",
            "const url = 'http://x.dev'; importScripts('https://h.dev/sw.js')",
        ] {
            let found = imports(script);
            assert_eq!(found.addresses, ["https://h.dev/sw.js"], "{script}");
            assert!(!found.has_computed, "{script}");
        }
        let several = imports("importScripts('a.js', \"b.js\",); importScripts('c.js')");
        assert_eq!(several.addresses, ["a.js", "b.js", "c.js"]);
    }

    #[test]
    fn what_does_not_run_is_no_import() {
        for script in [
            "// importScripts('https://h.dev/sw.js')",
            "/* importScripts('https://h.dev/sw.js') */",
            "const text = \"importScripts('https://h.dev/sw.js')\";",
            "fetch('https://h.dev/sw.js')",
            "importScripts",
            "",
        ] {
            assert_eq!(imports(script), super::Imports::default(), "{script}");
        }
    }

    #[test]
    fn what_is_put_together_is_said_to_be() {
        for script in [
            "importScripts(HATO + '/sdk/sw.js')",
            "importScripts('https://h.dev' + path)",
            "importScripts(`${hato}/sdk/sw.js`)",
            "importScripts(...all)",
        ] {
            let found = imports(script);
            assert!(found.has_computed && found.addresses.is_empty(), "{script}");
        }
    }
}
