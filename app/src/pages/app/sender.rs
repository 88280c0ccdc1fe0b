//! Whom browsers name as the sender of an app's notifications.

use hato_domain::{Endpoint, SiteOrigin};
use hato_service::ports::AppRecord;

use crate::i18n::ComposeTexts;

/// The sites whose pages have subscribed browsers, as these call them; before the first one the app's own, if it has named that.
pub fn sender(texts: &ComposeTexts, app: &AppRecord) -> String {
    let site_url = app.messages.site_url.as_ref();
    match app.origins.as_slice() {
        [] => site_url
            .map_or(texts.some_site, |url| Endpoint::written_host(url.as_str()))
            .to_owned(),
        origins => {
            let names: Vec<&str> = origins.iter().map(SiteOrigin::name).collect();
            names.join(", ")
        }
    }
}
