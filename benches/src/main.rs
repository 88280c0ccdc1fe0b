//! All benchmark tables: figures are ratios between programs that take turns in one run.

mod encryption;
mod table;

fn main() -> anyhow::Result<()> {
    encryption::run()
}
