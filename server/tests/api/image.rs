//! The image of deploy/Dockerfile without a container engine: what its last stage copies is laid out by the same script, the machine's
//! glibc stands for that of the base, and the entry point runs in there as the image's user. Not run are the compilation for another
//! architecture and the base itself.

use std::collections::BTreeMap;
use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::fixtures::BINARY;

const DEPLOY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy");

/// What the last stage says.
struct Image {
    environment: BTreeMap<String, String>,
    user: u32,
    entry_point: Vec<String>,
    command: Vec<String>,
    health_check: Vec<String>,
    /// From the folder of the build to that of the image, and whose it is there.
    copies: Vec<(String, String, Option<u32>)>,
}

/// The list of words that an instruction ends with.
fn words(instruction: &str) -> Vec<String> {
    let list = instruction.find('[').map(|at| &instruction[at..]);
    serde_json::from_str(list.unwrap_or_default()).expect("a list of words")
}

fn number(user: &str) -> u32 {
    let user = user.split(':').next().unwrap_or_default();
    user.parse().expect("a user's number, which needs no file")
}

impl Image {
    fn read() -> Self {
        let text = fs::read_to_string(format!("{DEPLOY}/Dockerfile")).expect("a Dockerfile");
        let (_, last) = text.rsplit_once("\nFROM ").expect("stages");
        let of = |name: &str| {
            let mut instructions = last.lines().filter_map(|line| line.strip_prefix(name));
            instructions.next().unwrap_or_else(|| panic!("no {name}"))
        };
        let variables = of("ENV ").split(' ');
        let variables = variables.map(|it| it.split_once('=').expect("a variable"));
        let copies = last
            .lines()
            .filter_map(|it| it.strip_prefix("COPY --from=build "));
        let copies = copies.map(|copy| {
            let mut words: Vec<_> = copy.split(' ').collect();
            let to = words.pop().expect("a target").to_owned();
            let from = words.pop().expect("a source");
            let from = from.strip_prefix("/image").expect("what is assembled");
            let owner = words.pop().and_then(|it| it.strip_prefix("--chown="));
            (from.to_owned(), to, owner.map(number))
        });
        Self {
            environment: variables
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            user: number(of("USER ")),
            entry_point: words(of("ENTRYPOINT ")),
            command: words(of("CMD ")),
            health_check: words(of("HEALTHCHECK ")),
            copies: copies.collect(),
        }
    }

    /// The image's files below `root`.
    fn lay_out(&self, root: &Path) {
        let assembled = TempDir::new().expect("a folder");
        let mut assemble = Command::new(format!("{DEPLOY}/image/assemble"));
        let done = assemble.arg(BINARY).arg(assembled.path()).status();
        assert!(done.expect("it runs").success());
        for (from, to, owner) in &self.copies {
            let source = assembled.path().join(from.trim_start_matches('/'));
            let target = root.join(to.trim_matches('/'));
            copy(&source, &target);
            if let Some(owner) = owner {
                chown(&target, Some(*owner), Some(*owner)).expect("a folder of the image's user");
            }
        }
    }

    /// A command in the image.
    fn run(&self, root: &Path, words: &[String], listen: SocketAddr) -> Command {
        let mut command = Command::new("chroot");
        command.arg(format!("--userspec={0}:{0}", self.user));
        command.arg(root).args(words).env_clear();
        command.envs(&self.environment);
        // As the base has it; chroot itself is found by it.
        command.env(
            "PATH",
            "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        );
        command.env("HATO_LISTEN", listen.to_string());
        command
    }
}

fn copy(from: &Path, to: &Path) {
    let parent = to.parent().expect("a folder");
    fs::create_dir_all(parent).expect("a folder");
    let mut copy = Command::new("cp");
    let copied = copy.args(["-RLT"]).arg(from).arg(to).status();
    assert!(copied.expect("it runs").success(), "{}", from.display());
}

/// The shared libraries that the program needs, and what loads them.
fn libraries() -> Vec<PathBuf> {
    let output = Command::new("ldd").arg(BINARY).output().expect("ldd runs");
    let text = String::from_utf8(output.stdout).expect("text");
    let words = text.split_whitespace().filter(|word| word.starts_with('/'));
    words.map(PathBuf::from).collect()
}

/// What the base `distroless/cc` has of them, and nothing more, is needed.
const IN_BASE: [&str; 6] = [
    "libc.so.6",
    "libm.so.6",
    "libgcc_s.so.1",
    "libdl.so.2",
    "libpthread.so.0",
    "ld-linux-x86-64.so.2",
];

struct Running(Child);

impl Running {
    fn terminate(&mut self) -> ExitStatus {
        let mut kill = Command::new("kill");
        kill.args(["-TERM", &self.0.id().to_string()]);
        assert!(kill.status().expect("kill runs").success());
        self.0.wait().expect("it ends")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address")
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().expect("id runs");
    output.stdout == b"0\n"
}

#[test]
fn the_program_needs_no_library_that_the_base_lacks() {
    for library in libraries() {
        let name = library.file_name().expect("a name").to_string_lossy();
        let is_loader = name.starts_with("ld-linux");
        assert!(is_loader || IN_BASE.contains(&&*name), "{name}");
    }
}

/// The image's files in a folder, with the libraries of the base.
fn laid_out(image: &Image) -> TempDir {
    let root = TempDir::new().expect("a folder");
    fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).expect("its mode");
    image.lay_out(root.path());
    for library in libraries() {
        let inside = library.strip_prefix("/").expect("a path");
        copy(&library, &root.path().join(inside));
    }
    root
}

#[test]
fn the_image_starts_is_healthy_and_stops() {
    if !is_root() {
        eprintln!("not run: only root may call chroot");
        return;
    }
    let image = Image::read();
    let (root, listen) = (laid_out(&image), free_address());
    let root = root.path();
    let healthy = || {
        let output = image.run(root, &image.health_check, listen).output();
        output.expect("chroot runs").status.success()
    };
    assert!(!healthy(), "nothing runs");

    let words = [&image.entry_point[..], &image.command].concat();
    let log = fs::File::create(root.join("log")).expect("a file");
    let mut server = image.run(root, &words, listen);
    let server = server.stderr(Stdio::from(log)).spawn();
    let mut server = Running(server.expect("chroot runs"));
    let begun = Instant::now();
    while !healthy() {
        let ended = server.0.try_wait().expect("it can be waited for");
        let is_late = begun.elapsed() > Duration::from_mins(1);
        let log = || fs::read_to_string(root.join("log")).expect("the log");
        assert!(ended.is_none() && !is_late, "{ended:?}: {}", log());
    }
    assert!(root.join("data/hato.db").is_file());
    let secrets = fs::metadata(root.join("data/secrets.toml")).expect("secrets");
    assert_eq!(secrets.permissions().mode() & 0o777, 0o600);

    let ended = server.terminate();
    let log = fs::read_to_string(root.join("log")).expect("the log");
    assert!(ended.success(), "{log}");
    assert!(log.lines().all(|line| line.starts_with('{')), "{log}");
}
