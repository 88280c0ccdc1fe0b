//! What browsers report of notifications (CONTRACT 15).

use hato_domain::wire::ReportEngagement;
use serde_json::json;

use super::endpoint_auth::EndpointAuth;
use super::operation::{OperationSpec, post};

pub const TAG: &str = "events";
pub const ABOUT: &str =
    "Browsers report what became of notifications, without saying whose they are.";

/// The one endpoint of reports.
pub fn operations() -> Vec<OperationSpec> {
    let report = json!({
        "token": "3q2-7wEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB",
        "event": "clicked",
        "action": "read",
    });
    vec![
        post("/api/v1/events", "reportEvent")
            .summary(
                "Report that a notification was displayed, clicked or dismissed",
                "通知の表示、クリック、破棄を報告する",
            )
            .about(
                "Every answer is 204, whatever is sent and however often. A token, the member `t` of a message, counts once \
                 for each event, for seven days.",
            )
            .auth(EndpointAuth::Anybody)
            .body::<ReportEngagement>(report)
            .taken("It was taken. Whether it counts, nobody is told."),
    ]
}
