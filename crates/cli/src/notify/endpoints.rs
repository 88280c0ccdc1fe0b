//! Lists of endpoints, checked as a whole before anything is sent to any of them.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use hato_domain::Endpoint;
use hato_domain::wire::NotifyBatch;

use crate::error::{CliError, Result};

/// Most endpoints of a list.
const MAX_LIST_ENDPOINTS: usize = 1_000_000;

/// Most bytes of a line, its end included.
const MAX_LINE_BYTES: u64 = 2 * Endpoint::MAX_BYTES as u64;

/// The endpoints of a file, each once, in batches as large as the API takes (SPEC 4.9). Empty lines and lines that begin
/// with `#` are skipped.
pub fn read(file: &Path) -> Result<Vec<Vec<String>>> {
    let endpoints = if file == Path::new("-") {
        parse(io::stdin().lock(), file)?
    } else {
        let opened = File::open(file).map_err(|error| CliError::file(file, &error))?;
        parse(BufReader::new(opened), file)?
    };
    if endpoints.is_empty() {
        return Err(CliError::usage(
            format!("{} has no endpoints", file.display()),
            "write one a line",
        ));
    }
    let batches = endpoints.chunks(NotifyBatch::MAX_ENDPOINTS);
    Ok(batches.map(<[String]>::to_vec).collect())
}

fn parse(mut from: impl BufRead, file: &Path) -> Result<Vec<String>> {
    let (mut known, mut endpoints) = (HashSet::new(), Vec::new());
    for number in 1.. {
        let mut line = String::new();
        let read = from.by_ref().take(MAX_LINE_BYTES).read_line(&mut line);
        if read.map_err(|error| CliError::file(file, &error))? == 0 {
            break;
        }
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let wrong = |code| wrong_line(file, number, code);
        let endpoint = Endpoint::parse(text).map_err(wrong)?.as_str().to_owned();
        if known.insert(endpoint.clone()) {
            endpoints.push(endpoint);
        }
        if endpoints.len() > MAX_LIST_ENDPOINTS {
            let message = format!(
                "{} has more than {MAX_LIST_ENDPOINTS} endpoints",
                file.display()
            );
            return Err(CliError::usage(message, "split the list"));
        }
    }
    Ok(endpoints)
}

fn wrong_line(file: &Path, number: usize, code: hato_domain::ErrorCode) -> CliError {
    CliError::usage(
        format!("{}:{number}: {code}", file.display()),
        crate::hint::for_code(code),
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::parse;

    fn parsed(text: &str) -> Option<Vec<String>> {
        parse(text.as_bytes(), Path::new("list")).ok()
    }

    #[test]
    fn a_list_has_an_endpoint_a_line() {
        let text = "# people\nhttps://a.example/1\r\n\n  https://a.example/2\nhttps://a.example/1";
        let expected = ["https://a.example/1", "https://a.example/2"].map(str::to_owned);
        assert_eq!(parsed(text), Some(expected.to_vec()));
    }

    #[test]
    fn one_wrong_line_spoils_the_list() {
        for line in ["http://a.example/", "https://", "x"] {
            assert_eq!(
                parsed(&format!("https://a.example/1\n{line}\n")),
                None,
                "{line}"
            );
        }
        assert_eq!(
            parsed(&format!("https://a.example/{}", "x".repeat(5_000))),
            None
        );
    }
}
