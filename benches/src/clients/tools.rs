//! CPU of the server for a tool's call, against the same request to the API.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::BenchOptions;
use crate::api::load::{LoadRequest, load};
use crate::audience::BenchAudience;
use crate::figures::{FigureTarget, Figures, Summary};
use crate::hato::{ServerData, notification};

const ROUNDS: usize = 7;
const CLIENTS: usize = 8;
const LOAD_DURATION: Duration = Duration::from_millis(1_000);
/// The push service of the audience, where nobody listens: the server accepts sends and delivers none.
const ORIGIN: &str = "https://127.0.0.1:9";

pub async fn measure(
    folder: &Path,
    options: &BenchOptions,
    figures: &mut Figures,
) -> anyhow::Result<()> {
    let audience = BenchAudience::new(ORIGIN.to_owned());
    let path = folder.join("tools");
    let data = ServerData::prepare(path, &audience, std::slice::from_ref(&(0..10))).await?;
    let hato = data.start_api_only(&[]).await?;
    let app = &data.apps[0];
    let key = app.full_key(&hato).await?;
    let one = notification(Some(&audience.endpoint(0)));
    let pairs = [
        (
            "get_stats",
            LoadRequest::get("/api/v1/stats", &key),
            call("get_stats", &json!({}), &key),
        ),
        (
            "send_notification",
            LoadRequest::post("/api/v1/notify", &key, &one),
            call("send_notification", &one, &key),
        ),
    ];
    for (name, request, tool) in pairs {
        let (mut plain, mut wrapped) = (Vec::new(), Vec::new());
        load(&hato, &request, CLIENTS, LOAD_DURATION).await?;
        for _ in 0..options.rounds(ROUNDS) {
            plain.push(
                load(&hato, &request, CLIENTS, LOAD_DURATION)
                    .await?
                    .cpu_us(),
            );
            wrapped.push(load(&hato, &tool, CLIENTS, LOAD_DURATION).await?.cpu_us());
        }
        let ratio = Summary::from_ratios(&wrapped, &plain);
        figures.add(
            &format!("mcp_over_rest_cpu_{name}"),
            ratio,
            FigureTarget::AtMost(2.0),
        );
        figures.add(
            &format!("rest_cpu_us_{name}"),
            Summary::from_values(plain),
            FigureTarget::None,
        );
        figures.add(
            &format!("mcp_cpu_us_{name}"),
            Summary::from_values(wrapped),
            FigureTarget::None,
        );
    }
    Ok(())
}

fn call(tool: &str, arguments: &Value, key: &str) -> LoadRequest {
    let message = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    });
    LoadRequest::post("/mcp", key, &message).expecting(200)
}
