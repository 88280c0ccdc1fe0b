//! `hato man`: manual pages in roff.

use std::path::PathBuf;

use clap::{Args, Command};

use crate::error::{CliError, Result};
use crate::output::Output;

/// The arguments of `hato man`.
#[derive(Args)]
pub struct Manual {
    /// A folder for the pages of all commands, for example /usr/local/share/man/man1; without it the main page is printed
    folder: Option<PathBuf>,
}

impl Manual {
    /// Prints the main page of `grammar`, or writes a page for each command into the folder.
    pub fn run(self, grammar: Command, output: &Output) -> Result<()> {
        let Some(folder) = self.folder else {
            let mut page = Vec::new();
            clap_mangen::Man::new(grammar).render(&mut page)?;
            return output.raw(&page);
        };
        clap_mangen::generate_to(grammar, &folder).map_err(|error| CliError::file(&folder, &error))
    }
}
