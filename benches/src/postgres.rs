//! A throwaway PostgreSQL cluster, as far as a benchmark needs it: databases, subscriptions by the million, and what it has cost.

use std::io::{BufWriter, Write};
use std::ops::Range;
use std::process::Stdio;
use std::rc::Rc;

use anyhow::{Context as _, ensure};
use hato_cluster::{Cluster, Durability};
use sha2::{Digest as _, Sha256};

use crate::audience::BenchAudience;
use crate::process::cpu_seconds;

/// Where every cluster has statistics of all its databases.
const MAINTENANCE_DATABASE: &str = "postgres";

/// What a server on PostgreSQL gets from its environment, 32 bytes each.
const SECRETS: [&str; 2] = ["HATO_PEPPER", "HATO_ENCRYPTION_KEY"];

/// A running cluster, which waits for the disk at each commit. It ends with the last value that refers to it.
#[derive(Clone)]
pub struct BenchCluster(Rc<Cluster>);

impl BenchCluster {
    /// Starts one as `initdb` leaves it, with these variables in its environment.
    pub fn start(environment: &[(&str, &str)]) -> anyhow::Result<Self> {
        let cluster = Cluster::start_with(Durability::Full, environment)?;
        Ok(Self(Rc::new(cluster)))
    }

    /// Makes an empty database.
    pub fn database(&self, name: &str) -> anyhow::Result<PostgresDatabase> {
        self.0.create_database(name)?;
        Ok(PostgresDatabase {
            cluster: self.clone(),
            name: name.to_owned(),
        })
    }

    /// CPU seconds that all its processes have used.
    pub fn cpu_seconds(&self) -> anyhow::Result<f64> {
        cpu_seconds(self.0.process_id().context("PostgreSQL is down")?)
    }

    /// Bytes of the write-ahead log so far.
    pub fn wal_bytes(&self) -> anyhow::Result<f64> {
        self.number(MAINTENANCE_DATABASE, "SELECT pg_current_wal_lsn() - '0/0'")
    }

    fn number(&self, database: &str, query: &str) -> anyhow::Result<f64> {
        let mut psql = self.0.psql(database);
        psql.args(["--tuples-only", "--no-align", "--command", query]);
        let output = psql.stderr(Stdio::inherit()).output()?;
        ensure!(output.status.success(), "psql failed: {query}");
        Ok(String::from_utf8(output.stdout)?.trim().parse()?)
    }
}

/// A database of a cluster.
pub struct PostgresDatabase {
    pub cluster: BenchCluster,
    name: String,
}

impl PostgresDatabase {
    /// What every server on it is told.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let url = ("HATO_DATABASE_URL", self.cluster.0.url(&self.name));
        let secrets = SECRETS.map(|name| (name, "42".repeat(32)));
        [url].into_iter().chain(secrets).collect()
    }

    /// Runs statements in the database with psql.
    pub fn execute(&self, statements: &str) -> anyhow::Result<()> {
        Ok(self.cluster.0.execute(&self.name, statements)?)
    }

    /// The one number that a query answers.
    pub fn number(&self, query: &str) -> anyhow::Result<f64> {
        self.cluster.number(&self.name, query)
    }

    /// Subscribes the audience's members with these numbers to an app that has no subscription yet, while no server runs.
    pub fn subscribe(
        &self,
        app: &str,
        audience: &BenchAudience,
        numbers: Range<u64>,
    ) -> anyhow::Result<()> {
        let subscribers = numbers.end - numbers.start;
        let mut psql = self.cluster.0.psql(&self.name);
        psql.args([
            "--command",
            "COPY subscriptions (public_id, app_id, endpoint, endpoint_hash, p256dh, auth, platform, position, created_at)
             FROM STDIN",
        ]);
        let mut psql = psql.stdin(Stdio::piped()).spawn()?;
        let rows = BufWriter::new(psql.stdin.take().context("it is piped")?);
        write_rows(rows, app, audience, numbers)?;
        ensure!(psql.wait()?.success(), "the subscriptions are not copied");
        self.execute(&format!(
            "UPDATE apps SET active_subscriptions = {subscribers}, last_position = {subscribers} WHERE id = '{app}'"
        ))
    }
}

/// Rows as COPY reads them.
fn write_rows(
    mut rows: impl Write,
    app: &str,
    audience: &BenchAudience,
    numbers: Range<u64>,
) -> anyhow::Result<()> {
    for (position, number) in (1_u64..).zip(numbers) {
        let (endpoint, browser) = (audience.endpoint(number), audience.browser(number));
        let hash = hexadecimal(&Sha256::digest(&endpoint));
        let (point, auth) = (hexadecimal(&browser.point), hexadecimal(&browser.auth));
        writeln!(
            rows,
            "sub_{number:032x}\t{app}\t{endpoint}\t\\\\x{hash}\t\\\\x{point}\t\\\\x{auth}\tbench\t{position}\t1700000000000"
        )?;
    }
    Ok(rows.flush()?)
}

fn hexadecimal(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}
