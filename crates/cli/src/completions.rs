//! `hato completions`: the script that makes a shell complete the command line.

use clap::{Args, Command};
use clap_complete::Shell;

use crate::error::Result;
use crate::output::Output;

/// The arguments of `hato completions`.
#[derive(Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints the completions of `grammar`.
    pub fn run(self, mut grammar: Command, output: &Output) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut grammar, "hato", &mut script);
        output.raw(&script)
    }
}
