//! Putting scripts together from pieces, without what only their readers need.

/// Replaces each line that says `//@NAME` by the piece of that name, and the text `@NAME` between
/// double quotes likewise.
pub fn fill(template: &str, pieces: &[(&str, &str)]) -> String {
    let mut script = template.to_owned();
    for (name, piece) in pieces {
        script = script
            .replace(&format!("//@{name}\n"), &format!("{piece}\n"))
            .replace(&format!("\"@{name}\""), &format!("\"{piece}\""));
    }
    script
}

/// The text as it stands between double quotes in a script.
pub fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\n")
}

/// The script without indentation, empty lines and comments that have lines of their own.
///
/// It must have no template literal or comment that begins behind code and goes on below.
pub fn strip(script: &str) -> String {
    let mut inside_comment = false;
    let mut stripped = String::with_capacity(script.len());
    for line in script.lines().map(str::trim) {
        let opens = !inside_comment && line.starts_with("/*");
        if inside_comment || opens {
            inside_comment = !line.ends_with("*/");
        } else if !line.is_empty() && !line.starts_with("//") {
            stripped.push_str(line);
            stripped.push('\n');
        }
    }
    stripped
}

#[cfg(test)]
mod tests {
    use super::{fill, quoted, strip};

    #[test]
    fn pieces_fill_their_places() {
        let template = "(() => {\n//@part\nconst DATA = \"@data\";\n})();\n";
        let filled = fill(template, &[("part", "f();"), ("data", "AAAA")]);
        assert_eq!(filled, "(() => {\nf();\nconst DATA = \"AAAA\";\n})();\n");
    }

    #[test]
    fn quoted_text_fills_a_string() {
        let style = "a::before{content:\"\\2014\"}\n";
        let filled = fill("const STYLE = \"@style\";", &[("style", &quoted(style))]);
        let expected = r#"const STYLE = "a::before{content:\"\\2014\"}\n";"#;
        assert_eq!(filled, expected);
    }

    #[test]
    fn only_lines_of_code_are_left() {
        let script = "\n/**\n * What f does\n */\nfunction f() {\n  // Why\n  /* once */\n  return \"https://a\"; // here\n}\n";
        assert_eq!(
            strip(script),
            "function f() {\nreturn \"https://a\"; // here\n}\n"
        );
    }
}
