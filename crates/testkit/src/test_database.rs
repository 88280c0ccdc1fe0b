//! A database of its own for each test: a file, or a PostgreSQL database on a cluster that all tests of a process share.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use hato_cluster::{Cluster, Durability, Pooler};
use tempfile::TempDir;
use tokio::sync::OnceCell;

/// The database whose copies tests get: empty, with all tables.
const TEMPLATE: &str = "template_of_tests";

/// What a later version may add to every table while this one runs: a column with a default, and one that may be NULL.
const WIDEN: &str = "DO $$ DECLARE wide TEXT; BEGIN
    FOR wide IN SELECT relname FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
          AND relname <> '_sqlx_migrations'
    LOOP
        EXECUTE format('ALTER TABLE %I ADD COLUMN later BIGINT NOT NULL DEFAULT 7, ADD COLUMN later_text TEXT', wide);
        COMMIT;
    END LOOP;
END $$";

/// When it is set, PostgreSQL's tables are partitioned by app.
const PARTITIONED: &str = "HATO_TEST_PARTITIONED";

static CLUSTER: OnceLock<Cluster> = OnceLock::new();
static POOLER: OnceLock<Pooler> = OnceLock::new();
static TEMPLATE_MADE: OnceCell<()> = OnceCell::const_new();
static NUMBER: AtomicU64 = AtomicU64::new(1);

/// An empty database, which is removed with this value.
pub struct TestDatabase {
    url: String,
    kind: TestDatabaseKind,
}

enum TestDatabaseKind {
    Sqlite { folder: TempDir },
    Postgres { name: String },
}

impl TestDatabase {
    /// A file that is still to be made, in a folder of its own.
    #[expect(clippy::unused_async, reason = "as the other one")]
    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self {
            url: format!("sqlite:{}", folder.path().join("hato.db").display()),
            kind: TestDatabaseKind::Sqlite { folder },
        }
    }

    /// A PostgreSQL database with all tables.
    pub async fn postgres() -> Self {
        TEMPLATE_MADE.get_or_init(make_template).await;
        let name = new_name();
        cluster()
            .copy_database(&name, TEMPLATE)
            .expect("a copy of the template");
        Self::on_cluster(name)
    }

    /// A PostgreSQL database without tables.
    pub fn empty_postgres() -> Self {
        let name = new_name();
        cluster().create_database(&name).expect("a database");
        Self::on_cluster(name)
    }

    /// The same through a pooler in transaction mode, which lends its few sessions for a transaction each.
    #[must_use]
    pub fn behind_pooler(mut self) -> Self {
        if let TestDatabaseKind::Postgres { name } = &self.kind {
            self.url = pooler().url(name);
        }
        self
    }

    /// Another one of the same kind.
    pub async fn another(&self) -> Self {
        match self.kind {
            TestDatabaseKind::Sqlite { .. } => Self::sqlite().await,
            TestDatabaseKind::Postgres { .. } => Self::postgres().await,
        }
    }

    /// Another one of the same kind, without tables.
    pub async fn another_empty(&self) -> Self {
        match self.kind {
            TestDatabaseKind::Sqlite { .. } => Self::sqlite().await,
            TestDatabaseKind::Postgres { .. } => Self::empty_postgres(),
        }
    }

    fn on_cluster(name: String) -> Self {
        Self {
            url: cluster().url(&name),
            kind: TestDatabaseKind::Postgres { name },
        }
    }

    /// By which the store is opened.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where an SQLite database is, in the file `hato.db`, as in a server's data folder.
    pub fn folder(&self) -> Option<&Path> {
        match &self.kind {
            TestDatabaseKind::Sqlite { folder } => Some(folder.path()),
            TestDatabaseKind::Postgres { .. } => None,
        }
    }

    /// Whether it is a PostgreSQL database.
    pub fn is_postgres(&self) -> bool {
        matches!(self.kind, TestDatabaseKind::Postgres { .. })
    }

    /// Adds columns to every table of a PostgreSQL database, one table after the other, as a later version's migration does.
    pub fn widen(&self) {
        self.execute(WIDEN);
    }

    /// Partitions the tables of a PostgreSQL database by app, as docs/SCALING.md does.
    pub fn partition(&self) {
        self.execute(partitioning());
    }

    /// Runs statements in a PostgreSQL database, as somebody else than the store.
    pub fn execute(&self, statements: &str) {
        let name = self.postgres_name();
        cluster().execute(name, statements).expect("executed");
    }

    /// Ends all sessions of others in a PostgreSQL database.
    pub fn end_sessions(&self) {
        let name = self.postgres_name();
        cluster().end_sessions(name).expect("ended");
    }

    fn postgres_name(&self) -> &str {
        match &self.kind {
            TestDatabaseKind::Postgres { name } => name,
            TestDatabaseKind::Sqlite { .. } => panic!("not a PostgreSQL database"),
        }
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if let TestDatabaseKind::Postgres { name } = &self.kind {
            // Nothing depends on it: the cluster ends with the process.
            cluster().drop_database(name).ok();
        }
    }
}

/// The cluster of this process, started when it is first needed. It ends with the process (`hato_cluster`).
fn cluster() -> &'static Cluster {
    CLUSTER.get_or_init(|| match Cluster::start(Durability::None) {
        Ok(cluster) => cluster,
        Err(error) => panic!("{error}"),
    })
}

/// The pooler in front of it.
fn pooler() -> &'static Pooler {
    POOLER.get_or_init(|| match Pooler::start(cluster()) {
        Ok(pooler) => pooler,
        Err(error) => panic!("{error}"),
    })
}

fn new_name() -> String {
    format!("test_{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

async fn make_template() {
    cluster().create_database(TEMPLATE).expect("a database");
    let store = hato_store::open(&cluster().url(TEMPLATE)).await;
    store.expect("all tables").close().await;
    if std::env::var_os(PARTITIONED).is_some() {
        let partitioned = cluster().execute(TEMPLATE, partitioning());
        partitioned.expect("partitioned");
    }
}

/// The statements with which an operator partitions the tables by app.
pub fn partitioning() -> &'static str {
    let blocks = include_str!("../../../docs/SCALING.md").split("```sql\n");
    let blocks = blocks.filter_map(|block| Some(block.split_once("```")?.0));
    let mut found = blocks.filter(|block| block.contains("PARTITION BY HASH"));
    found.next().expect("it is documented")
}
