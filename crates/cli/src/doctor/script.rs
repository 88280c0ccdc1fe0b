//! What a worker's script imports, found by a scan: comments are taken out, and calls of `importScripts` are read as far as
//! their arguments are plain strings. Whatever else they have is for the browser to know.

/// The arguments of all calls of `importScripts`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Imports {
    /// Those of the calls that are written out.
    pub addresses: Vec<String>,
    /// Whether there are other calls.
    pub has_computed: bool,
}

pub fn imports(script: &str) -> Imports {
    let script = without_comments(script);
    let mut imports = Imports::default();
    let after = script.split("importScripts").skip(1);
    for call in after.filter_map(|text| text.trim_start().strip_prefix('(')) {
        let arguments = call.split_once(')').map(|(arguments, _)| arguments.trim());
        let arguments = arguments.map(|text| text.strip_suffix(',').unwrap_or(text).split(','));
        match arguments.and_then(|each| each.map(literal).collect::<Option<Vec<_>>>()) {
            Some(addresses) => imports.addresses.extend(addresses),
            None => imports.has_computed = true,
        }
    }
    imports
}

/// A string that is nothing but itself.
fn literal(argument: &str) -> Option<String> {
    let argument = argument.trim();
    let quote = argument.chars().next().filter(|c| "'\"`".contains(*c))?;
    let text = argument[1..].strip_suffix(quote)?;
    (!text.contains([quote, '$'])).then(|| text.replace("\\/", "/"))
}

/// Strings stay, for `//` is part of most addresses. A regular expression may pass for the beginning of a string; so that it
/// does not for that of a comment, `\//` begins none, and neither does `://`.
fn without_comments(script: &str) -> String {
    let (mut kept, mut rest) = (String::new(), script);
    while let Some(at) = rest.find(['/', '"', '\'', '`']) {
        let (code, from) = rest.split_at(at);
        kept.push_str(code);
        rest = if from.starts_with("//") && !kept.ends_with(['\\', ':']) {
            from.find('\n').map_or("", |end| &from[end..])
        } else if from.starts_with("/*") && !kept.ends_with('\\') {
            from[2..].split_once("*/").map_or("", |(_, after)| after)
        } else {
            let (string, after) = from.split_at(string_length(from));
            kept.push_str(string);
            after
        };
    }
    kept + rest
}

/// In bytes, with the quotes; 1 if it begins with a slash.
fn string_length(text: &str) -> usize {
    let (mut quote, mut is_escaped) = (None, false);
    for (at, c) in text.char_indices() {
        let is_end = !is_escaped && quote == Some(c) || c == '/' && at == 0;
        // Only a template goes over lines.
        if is_end || c == '\n' && quote != Some('`') {
            return at + 1;
        }
        quote = quote.or(Some(c));
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{Imports, imports};

    #[test]
    fn imports_are_found_however_they_are_written() {
        for script in [
            "importScripts(\"https://h.dev/sw.js\");",
            "self.importScripts('https:\\/\\/h.dev\\/sw.js')",
            "// ours\nimportScripts( /* the worker */ `https://h.dev/sw.js` );",
            "/* importScripts('x') */ const a = 6 / 2; importScripts('https://h.dev/sw.js') // 2",
            "const a = /[/\"]\\/'/; importScripts('https://h.dev/sw.js')",
            "const a = /^\\w+:\\/\\//, b = '*/*', c = \"//x\"; importScripts('https://h.dev/sw.js')",
            "const url = 'http://x.dev'; importScripts('https://h.dev/sw.js')",
            "const worker = typeof importScripts; importScripts('https://h.dev/sw.js')",
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
            "fetch('https://h.dev/sw.js')",
            "importScripts",
            "",
        ] {
            assert_eq!(imports(script), Imports::default(), "{script}");
        }
    }

    #[test]
    fn what_is_put_together_is_said_to_be() {
        for script in [
            "importScripts(HATO + '/sdk/sw.js')",
            "importScripts('https://h.dev' + path)",
            "importScripts(`${hato}/sdk/sw.js`)",
            "importScripts(...all)",
            "importScripts('https://h.dev/sw.js",
        ] {
            let found = imports(script);
            assert!(found.has_computed && found.addresses.is_empty(), "{script}");
        }
    }
}
