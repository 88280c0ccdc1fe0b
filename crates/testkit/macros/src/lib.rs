//! The attribute of tests that run on each database.
//!
//! Tests name it by way of `hato_testkit`, which has the databases:
//!
//! ```
//! use hato_testkit::{TestDatabase, on_each_database};
//!
//! #[on_each_database]
//! async fn a_database_has_a_url(database: TestDatabase) {
//!     assert!(database.url().contains(':'));
//! }
//! # fn main() {}
//! ```

use proc_macro::{TokenStream, TokenTree};

/// A test that runs on each database: `#[on_each_database] async fn it_works(database: TestDatabase)` becomes the tests
/// `it_works::sqlite` and `it_works::postgres`. Arguments are those of `#[tokio::test]`.
#[proc_macro_attribute]
pub fn on_each_database(arguments: TokenStream, test: TokenStream) -> TokenStream {
    let Some(name) = name(test.clone()) else {
        return error("#[on_each_database] belongs on a function");
    };
    let test_on = |database: &str| {
        format!(
            "#[::tokio::test({arguments})]
             async fn {database}() {{
                 super::{name}(::hato_testkit::TestDatabase::{database}().await).await;
             }}"
        )
    };
    let tests = [test_on("sqlite"), test_on("postgres")].concat();
    let tests: Result<TokenStream, _> = format!("mod {name} {{ {tests} }}").parse();
    let tests = tests.unwrap_or_else(|_| error("this takes what #[tokio::test] takes"));
    test.into_iter().chain(tests).collect()
}

/// The word after `fn`.
fn name(test: TokenStream) -> Option<String> {
    let mut tokens = test.into_iter();
    tokens.find(|token| matches!(token, TokenTree::Ident(word) if word.to_string() == "fn"))?;
    tokens.next().map(|name| name.to_string())
}

fn error(text: &str) -> TokenStream {
    format!("compile_error!({text:?});")
        .parse()
        .unwrap_or_default()
}
