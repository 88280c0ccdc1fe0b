//! CPU of the server for a tool's call, against the same request to the API.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::Wish;
use crate::api::load::{Request, load};
use crate::audience::Audience;
use crate::figures::{Figures, Span, Target};
use crate::hato::{Data, notification};

const ROUNDS: usize = 7;
const CLIENTS: usize = 8;
const ROUND: Duration = Duration::from_millis(1_000);
/// Nobody is there: the server only accepts.
const ORIGIN: &str = "https://127.0.0.1:9";

pub async fn measure(folder: &Path, wish: &Wish, figures: &mut Figures) -> anyhow::Result<()> {
    let audience = Audience::new(ORIGIN.to_owned());
    let path = folder.join("tools");
    let data = Data::prepare(path, &audience, std::slice::from_ref(&(0..10))).await?;
    let hato = data.accept(&[]).await?;
    let app = &data.apps[0];
    let key = app.full_key(&hato).await?;
    let one = notification(Some(&audience.endpoint(0)));
    let pairs = [
        (
            "get_stats",
            Request::get("/api/v1/stats", &key),
            call("get_stats", &json!({}), &key),
        ),
        (
            "send_notification",
            Request::post("/api/v1/notify", &key, &one),
            call("send_notification", &one, &key),
        ),
    ];
    for (name, request, tool) in pairs {
        let (mut plain, mut wrapped) = (Vec::new(), Vec::new());
        load(&hato, &request, CLIENTS, ROUND).await?;
        for _ in 0..wish.rounds(ROUNDS) {
            plain.push(load(&hato, &request, CLIENTS, ROUND).await?.cpu_us());
            wrapped.push(load(&hato, &tool, CLIENTS, ROUND).await?.cpu_us());
        }
        let ratio = Span::of_ratios(&wrapped, &plain);
        figures.add(
            &format!("mcp_over_rest_cpu_{name}"),
            ratio,
            Target::AtMost(2.0),
        );
        figures.add(
            &format!("rest_cpu_us_{name}"),
            Span::of(plain),
            Target::None,
        );
        figures.add(
            &format!("mcp_cpu_us_{name}"),
            Span::of(wrapped),
            Target::None,
        );
    }
    Ok(())
}

fn call(tool: &str, arguments: &Value, key: &str) -> Request {
    let message = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    });
    Request::post("/mcp", key, &message).answered(200)
}
