//! `hato completions`.

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::command::Hato;
use crate::error::Result;
use crate::output::Output;

/// For which shell.
#[derive(Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Prints its script.
    pub fn run(self, output: &Output) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Hato::command(), "hato", &mut script);
        output.raw(&script)
    }
}
