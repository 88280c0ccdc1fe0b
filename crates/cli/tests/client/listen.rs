//! Listening to an app's events, and having them posted to a server of the developer's.

use std::time::Duration;

use aws_lc_rs::hmac::{HMAC_SHA256, Key, verify};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, ChildStderr, ChildStdout};
use tokio::time::timeout;

use crate::setup::{CliSetup, Port, launch};

/// Longer than the command waits before it listens again.
const WAIT_TIMEOUT: Duration = Duration::from_mins(1);

/// The command while it runs.
struct ListenProcess {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    notes: Lines<BufReader<ChildStderr>>,
}

impl ListenProcess {
    async fn start(setup: &CliSetup, line: &[&str]) -> Self {
        Self::spawn(setup, &[&["listen", "--json"], line].concat()).await
    }

    async fn spawn(setup: &CliSetup, line: &[&str]) -> Self {
        let mut child = setup.with_key("full", line).await.spawn();
        let stdout = child.stdout.take().expect("it is piped");
        let stderr = child.stderr.take().expect("it is piped");
        Self {
            child,
            lines: BufReader::new(stdout).lines(),
            notes: BufReader::new(stderr).lines(),
        }
    }

    async fn text(&mut self) -> String {
        let line = timeout(WAIT_TIMEOUT, self.lines.next_line()).await;
        line.expect("in time").expect("text").expect("a line")
    }

    async fn line(&mut self) -> Value {
        let line = self.text().await;
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line}"))
    }

    /// Waits for a line on standard error that ends so.
    async fn wait_for_note(&mut self, end: &str) {
        let noted = async {
            while let Some(line) = self.notes.next_line().await.expect("text") {
                if line.ends_with(end) {
                    return;
                }
            }
            panic!("it ended without {end:?}");
        };
        timeout(WAIT_TIMEOUT, noted).await.expect("in time");
    }

    /// Ctrl-C, and its exit code.
    async fn interrupt(mut self) -> Option<i32> {
        let id = self.child.id().and_then(|id| i32::try_from(id).ok());
        let id = id.and_then(Pid::from_raw).expect("it runs");
        kill_process(id, Signal::INT).expect("sent");
        let ended = timeout(WAIT_TIMEOUT, self.child.wait()).await;
        ended.expect("in time").expect("an end").code()
    }
}

/// Sends to nobody, which is over at once; the send's id.
async fn send(setup: &CliSetup) -> String {
    let sent = setup.with_key("notify", &["notify", "a", "b"]).await;
    let sent = sent.success().await;
    sent.lines().next().expect("an id").to_owned()
}

/// The head and the body of the next request, which is answered so.
async fn answer(hook: &TcpListener, status: &str) -> (String, String) {
    let (mut stream, _) = timeout(WAIT_TIMEOUT, hook.accept())
        .await
        .expect("in time")
        .expect("open");
    let mut request = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && body.len() >= header(head, "content-length").parse().expect("a number")
        {
            respond(&mut stream, status).await;
            return (head.to_owned(), body.to_owned());
        }
        assert_ne!(
            stream.read_buf(&mut request).await.expect("bytes"),
            0,
            "{text}"
        );
    }
}

async fn respond(stream: &mut TcpStream, status: &str) {
    let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    stream.write_all(answer.as_bytes()).await.expect("sent");
}

fn header<'a>(head: &'a str, name: &str) -> &'a str {
    let fields = head.lines().filter_map(|line| line.split_once(": "));
    let mut found = fields.filter(|(field, _)| field.eq_ignore_ascii_case(name));
    found
        .next()
        .map_or_else(|| panic!("no {name} in {head}"), |(_, value)| value)
}

/// Whether the secret has signed the request as Standard Webhooks says.
fn is_signed(head: &str, body: &str, secret: &str) -> bool {
    let secret = STANDARD.decode(secret.strip_prefix("whsec_").expect("a secret"));
    let key = Key::new(HMAC_SHA256, &secret.expect("base64"));
    let (id, time) = (
        header(head, "webhook-id"),
        header(head, "webhook-timestamp"),
    );
    let signature = header(head, "webhook-signature").strip_prefix("v1,");
    let signature = STANDARD
        .decode(signature.expect("a version"))
        .expect("base64");
    verify(&key, format!("{id}.{time}.{body}").as_bytes(), &signature).is_ok()
}

#[tokio::test]
async fn events_are_shown_and_posted_as_a_webhook_gets_them() {
    let setup = CliSetup::new().await;
    let hook = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/hook", hook.local_addr().expect("bound"));
    let mut listening = ListenProcess::start(&setup, &["--forward", &url]).await;
    let first = listening.line().await;
    assert_eq!(
        (&first["app_id"], &first["forward"]),
        (&setup.app.id.as_str().into(), &url.as_str().into())
    );
    let secret = first["secret"].as_str().expect("a secret");
    for (status, number) in [("204 No Content", 204), ("500 Internal Server Error", 500)] {
        let id = send(&setup).await;
        let (head, body) = answer(&hook, status).await;
        assert!(head.starts_with("POST /hook HTTP/1.1\r\n"), "{head}");
        assert_eq!(header(&head, "content-type"), "application/json");
        assert!(is_signed(&head, &body, secret), "{head}");
        assert!(!is_signed(&head, "{}", secret), "{head}");
        let shown = listening.line().await;
        assert_eq!(
            shown["event"],
            serde_json::from_str::<Value>(&body).expect("JSON")
        );
        assert_eq!(shown["event"]["type"], "send.completed");
        assert_eq!(shown["event"]["data"]["send_id"], id);
        assert_eq!(shown["id"], header(&head, "webhook-id"));
        assert_eq!(shown["forwarded"]["status"], number);
    }
    drop(hook);
    send(&setup).await;
    let failed = listening.line().await;
    assert!(failed["forwarded"]["error"].is_string(), "{failed}");
    assert_eq!(listening.interrupt().await, Some(0));
}

#[tokio::test]
async fn it_listens_again_when_the_server_is_back() {
    let port = Port::reserve();
    let launch = launch().env("HATO_LISTEN", port.address.to_string());
    let mut setup = CliSetup::with_launch(launch).await;
    let mut listening = ListenProcess::start(&setup, &[]).await;
    listening.line().await;
    let ended = setup.server.terminate().await.expect("an end");
    assert!(ended.success(), "{ended}");
    setup.server.restart().await.expect("it starts again");
    listening.wait_for_note("listening again").await;
    let id = send(&setup).await;
    let shown = listening.line().await;
    assert_eq!(shown["event"]["data"]["send_id"], id);
    assert_eq!(listening.interrupt().await, Some(0));
}

#[tokio::test]
async fn people_read_what_is_listened_to() {
    let setup = CliSetup::new().await;
    let mut listening = ListenProcess::spawn(&setup, &["listen"]).await;
    assert_eq!(
        listening.text().await,
        format!("Listening to {}", setup.app.id)
    );
    let url = "http://localhost:1/hook";
    let mut forwarding = ListenProcess::spawn(&setup, &["listen", "--forward", url]).await;
    let said = forwarding.text().await;
    let begin = format!(
        "Listening to {}; events go to {url}, signed with whsec_",
        setup.app.id
    );
    assert!(said.starts_with(&begin), "{said}");
    assert_eq!(listening.interrupt().await, Some(0));
    assert_eq!(forwarding.interrupt().await, Some(0));
}

#[tokio::test]
async fn what_cannot_work_ends_at_once() {
    let setup = CliSetup::new().await;
    for url in ["localhost:8080", "ftp://localhost/hook", "hook"] {
        let line = ["listen", "--forward", url];
        let output = setup.with_key("full", &line).await.output().await;
        assert_eq!(output.error_code(), (2, "usage"), "{url}");
    }
    let output = setup.with_key("notify", &["listen"]).await.output().await;
    assert_eq!(output.error_code(), (4, "INSUFFICIENT_SCOPE"));
    assert_eq!(output.stdout, "");
}
