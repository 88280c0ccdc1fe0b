//! The style sheet: `@import`s bundled, minified, and written for the oldest browsers with web push.

use std::path::Path;

use anyhow::{Result, anyhow};
use lightningcss::bundler::{Bundler, FileProvider};
use lightningcss::stylesheet::{MinifyOptions, ParserOptions, PrinterOptions};
use lightningcss::targets::{Browsers, Targets};

const BROWSERS: Browsers = Browsers {
    chrome: Some(111 << 16),
    edge: Some(111 << 16),
    firefox: Some(115 << 16),
    ios_saf: Some((16 << 16) | (4 << 8)),
    safari: Some((16 << 16) | (4 << 8)),
    android: None,
    ie: None,
    opera: None,
    samsung: None,
};

/// The style sheet that starts in the file `entry`, as one minified text.
pub fn bundle(entry: &Path) -> Result<String> {
    let targets = Targets::from(BROWSERS);
    let files = FileProvider::new();
    let mut bundler = Bundler::new(&files, None, ParserOptions::default());
    let mut sheet = bundler
        .bundle(entry)
        .map_err(|error| anyhow!("{}: {error}", entry.display()))?;
    let minify = MinifyOptions {
        targets,
        ..MinifyOptions::default()
    };
    sheet
        .minify(minify)
        .map_err(|error| anyhow!("{}: {error}", entry.display()))?;
    let printer_options = PrinterOptions {
        minify: true,
        targets,
        ..PrinterOptions::default()
    };
    let printed = sheet
        .to_css(printer_options)
        .map_err(|error| anyhow!("{}: {error}", entry.display()))?;
    Ok(printed.code)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::bundle;

    #[test]
    fn imports_are_bundled_and_minified() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let entry = folder.path().join("main.css");
        fs::write(
            &entry,
            "@import \"./base.css\";\n.a { color: #ff0000; &:hover { margin: 0px } }",
        )
        .expect("it can be written");
        fs::write(
            folder.path().join("base.css"),
            "/* base */ body { margin: 0 0 0 0; }\n",
        )
        .expect("it can be written");
        let css = bundle(&entry).expect("it is CSS");
        assert_eq!(css, "body{margin:0}.a{color:red}.a:hover{margin:0}");
    }

    #[test]
    fn a_missing_import_is_an_error() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let entry = folder.path().join("main.css");
        fs::write(&entry, "@import \"./none.css\";").expect("it can be written");
        let error = bundle(&entry)
            .expect_err("there is no such file")
            .to_string();
        assert!(error.contains("main.css"), "{error}");
    }
}
