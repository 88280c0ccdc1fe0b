//! Files that are no back-ups, or not whole ones: `restore` changes nothing for them.

use std::fs::{self, File};
use std::io::{Cursor, Read as _};
use std::path::Path;

use hato_testkit::TestDatabase;
use hato_testkit::server::ServerLaunch;
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};
use tar::{Archive, Builder, EntryType, Header};

use super::{back_up, names, refusal, run, target};
use crate::fixtures::{BINARY, setup};

/// One member of an archive: its name, kind and contents.
type ArchiveMember<'a> = (&'a str, EntryType, &'a [u8]);

const FILE: EntryType = EntryType::Regular;

fn compressed(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).expect("compressed")
}

/// An archive with these members, whose names are written as they are.
fn archive(members: &[ArchiveMember<'_>]) -> Vec<u8> {
    let mut builder = Builder::new(Vec::new());
    for (name, kind, contents) in members {
        let mut header = Header::new_gnu();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*kind);
        if !matches!(kind, EntryType::Regular) {
            header.set_link_name("/etc/passwd").expect("a name");
        }
        header.set_size(contents.len() as u64);
        header.set_mode(0o600);
        header.set_cksum();
        builder.append(&header, *contents).expect("appended");
    }
    compressed(&builder.into_inner().expect("an end"))
}

/// A whole back-up, and what is in it.
struct Whole {
    bytes: Vec<u8>,
    secrets: Vec<u8>,
    database: Vec<u8>,
}

async fn whole() -> Whole {
    let (server, _app) = setup(TestDatabase::sqlite().await).await;
    let (_folder, file) = target();
    back_up(server.launch(), &file).await;
    let bytes = fs::read(&file).expect("a back-up");
    let plain = zstd::decode_all(&bytes[..]).expect("whole");
    let mut archive = Archive::new(Cursor::new(plain));
    let members = archive.entries().expect("members").map(|entry| {
        let mut contents = Vec::new();
        let mut entry = entry.expect("a member");
        entry.read_to_end(&mut contents).expect("contents");
        contents
    });
    let [secrets, database] = members.collect::<Vec<_>>().try_into().expect("two members");
    Whole {
        bytes,
        secrets,
        database,
    }
}

/// What a folder holds: names and bytes.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let names = names(folder).into_iter();
    let read = |name: String| (name.clone(), read(&folder.join(name)));
    names.map(read).collect()
}

/// Tries to restore these bytes where nothing is, and in the place of data: it is refused, with the words, and touches nothing.
async fn assert_refused(bytes: &[u8], words: &str) {
    let (folder, file) = target();
    fs::write(&file, bytes).expect("written");
    let [nothing, data] = ["nothing", "data"].map(|name| folder.path().join(name));
    fs::create_dir(&data).expect("a folder");
    for name in ["hato.db", "hato.db-wal", "secrets.toml"] {
        fs::write(data.join(name), format!("precious {name}")).expect("written");
    }
    let before = contents(&data);
    let file = file.display().to_string();
    for (place, arguments) in [
        (nothing, &[&*file][..]),
        (data.clone(), &[&file, "--force"]),
    ] {
        let launch = ServerLaunch::new(BINARY).data_dir(&place);
        let (code, line) = refusal(&run(&launch, "restore", arguments).await);
        assert_eq!(code, Some(1), "{line}");
        assert!(line.contains(words), "{words} in {line}");
    }
    assert_eq!(contents(&data), before);
    assert_eq!(names(folder.path()), ["backup.tar.zst", "data"]);
}

#[tokio::test]
async fn one_that_is_cut_short_or_damaged_is_refused() {
    let whole = whole().await;
    let length = whole.bytes.len();
    for cut in [0, 1, 9, length / 3, length - 5, length - 1] {
        assert_refused(&whole.bytes[..cut], "cut short or damaged").await;
    }
    for at in [20, length / 2, length - 2] {
        let mut bytes = whole.bytes.clone();
        bytes[at] ^= 0x10;
        assert_refused(&bytes, "the back-up cannot be used").await;
    }
    let longer = [&whole.bytes[..], b"x"].concat();
    assert_refused(&longer, "something after its end").await;
    assert_refused(b"no archive", "cut short or damaged").await;
    assert_refused(&compressed(b""), "no secrets.toml").await;
    assert_refused(&compressed(&[7; 2_000]), "cut short or damaged").await;
}

#[tokio::test]
async fn members_that_no_back_up_has_are_refused() {
    let whole = whole().await;
    let secrets: ArchiveMember<'_> = ("secrets.toml", FILE, &whole.secrets);
    let database: ArchiveMember<'_> = ("hato.db", FILE, &whole.database);
    let unknown = "a member that no back-up has";
    for (name, kind) in [
        ("/etc/cron.d/evil", FILE),
        ("../evil", FILE),
        ("./hato.db", FILE),
        ("hato.db/../../evil", FILE),
        ("notes.txt", FILE),
        ("hato.db", EntryType::Symlink),
        ("hato.db", EntryType::Link),
        ("hato.db", EntryType::Directory),
        ("hato.db", EntryType::Fifo),
        ("././@LongLink", EntryType::GNULongName),
        ("././@LongLink", EntryType::GNULongLink),
        ("PaxHeaders/hato.db", EntryType::XHeader),
        ("pax_global_header", EntryType::XGlobalHeader),
    ] {
        assert_refused(&archive(&[secrets, (name, kind, b"")]), unknown).await;
    }
    let misplaced = "twice, or in the wrong place";
    assert_refused(&archive(&[database, secrets]), misplaced).await;
    assert_refused(&archive(&[secrets, secrets]), misplaced).await;
    assert_refused(&archive(&[secrets, database, database]), misplaced).await;
    let long = vec![b'#'; 70_000];
    let long = archive(&[("secrets.toml", FILE, &long)]);
    assert_refused(&long, "no secrets.toml").await;
}

#[tokio::test]
async fn secrets_that_are_none_are_refused() {
    let whole = whole().await;
    for (text, words) in [
        (&b"pepper = \"short\"\n"[..], "is damaged"),
        (b"[[[", "is damaged"),
        (b"", "HATO_PEPPER"),
        (b"\xff\xfe", "no secrets.toml"),
    ] {
        let members = [
            ("secrets.toml", FILE, text),
            ("hato.db", FILE, &whole.database),
        ];
        assert_refused(&archive(&members), words).await;
    }
}

/// The back-up's database after these statements.
async fn changed(whole: &Whole, statements: &str) -> Vec<u8> {
    let (folder, _) = target();
    let file = folder.path().join("changed.db");
    fs::write(&file, &whole.database).expect("written");
    let url = format!("sqlite:{}", file.display());
    let mut connection = SqliteConnection::connect(&url).await.expect("a database");
    let changing = sqlx::raw_sql(AssertSqlSafe(statements));
    changing.execute(&mut connection).await.expect("changed");
    connection.close().await.expect("closed");
    read(&file)
}

fn read(file: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut file = File::open(file).expect("a file");
    file.read_to_end(&mut bytes).expect("read");
    bytes
}

#[tokio::test]
async fn databases_that_this_version_cannot_use_are_refused() {
    let whole = whole().await;
    let later =
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
                 VALUES (9999, 'later', TRUE, x'00', 0)";
    let other = "UPDATE _sqlx_migrations SET checksum = x'00' WHERE version = 1";
    let view = "ALTER TABLE _sqlx_migrations RENAME TO kept;
                CREATE VIEW _sqlx_migrations AS SELECT * FROM kept";
    let empty = vec![0; 8_192];
    let mut damaged = whole.database.clone();
    let middle = damaged.len() / 2;
    damaged[middle..].fill(0xff);
    for (database, words) in [
        (changed(&whole, later).await, "a later version of Hato"),
        (changed(&whole, other).await, "none of Hato's"),
        (changed(&whole, view).await, "none of Hato's"),
        (
            changed(&whole, "DROP TABLE _sqlx_migrations").await,
            "none of Hato's",
        ),
        (b"no database at all".to_vec(), "cannot be read"),
        (empty, "cannot be read"),
        (damaged, "the database "),
        (Vec::new(), "none of Hato's"),
    ] {
        let members: [ArchiveMember<'_>; 2] = [
            ("secrets.toml", FILE, &whole.secrets),
            ("hato.db", FILE, &database),
        ];
        assert_refused(&archive(&members), words).await;
    }
}
