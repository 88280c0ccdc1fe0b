//! What a subscriber is: which browser on which system, as far as its label and its push service tell.

use hato_domain::Endpoint;
use leptos::prelude::*;

/// What labels call browsers, in lower case, and the names of these. The first that fits is it: others put these names into theirs.
const BROWSERS: [(&str, &str); 9] = [
    ("edg", "Edge"),
    ("opera", "Opera"),
    ("opr", "Opera"),
    ("samsung", "Samsung Internet"),
    ("firefox", "Firefox"),
    ("vivaldi", "Vivaldi"),
    ("brave", "Brave"),
    ("chrom", "Chrome"),
    ("safari", "Safari"),
];

/// The same of systems.
const SYSTEMS: [(&str, &str); 8] = [
    ("android", "Android"),
    ("iphone", "iOS"),
    ("ipad", "iPadOS"),
    ("ipod", "iOS"),
    ("win", "Windows"),
    ("mac", "macOS"),
    ("cros", "ChromeOS"),
    ("linux", "Linux"),
];

/// Which browsers have their subscriptions at a push service, by the end of its host.
const SERVICES: [(&str, &str); 4] = [
    ("fcm.googleapis.com", "Chrome"),
    (".push.services.mozilla.com", "Firefox"),
    (".push.apple.com", "Safari"),
    (".notify.windows.com", "Edge"),
];

/// A browser and its system; a name that nothing tells is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    pub browser: Option<&'static str>,
    pub system: Option<&'static str>,
}

impl Device {
    /// What the client's label says, and the push service where it says nothing.
    pub fn new(platform: Option<&str>, endpoint: &str) -> Self {
        let label = platform.unwrap_or_default().to_lowercase();
        let host = Endpoint::written_host(endpoint).to_lowercase();
        let named = |names: &[(&str, &'static str)]| {
            let mut names = names.iter();
            names.find(|(part, _)| label.contains(part)).map(|it| it.1)
        };
        let mut services = SERVICES.iter();
        let service = services.find(|(end, _)| host.ends_with(end));
        Self {
            browser: named(&BROWSERS).or(service.map(|it| it.1)),
            system: named(&SYSTEMS),
        }
    }

    /// As one reads it; the host of the push service where nothing is known.
    pub fn name(self, endpoint: &str) -> String {
        let known: Vec<_> = self.browser.into_iter().chain(self.system).collect();
        if known.is_empty() {
            return Endpoint::written_host(endpoint).to_owned();
        }
        known.join(" · ")
    }
}

/// The marks of the browser and of the system, as far as they are known. The name stands beside them, so that they need no other text.
#[component]
pub fn DeviceIcon(device: Device) -> impl IntoView {
    let system = device.system.map(|name| view! { <DeviceMark name /> });
    view! {
        <DeviceMark name=device.browser.unwrap_or("unknown") />
        {system}
    }
}

/// The mark of a browser or of a system, drawn in `style/public/devices.svg`.
#[component]
pub fn DeviceMark(name: &'static str) -> impl IntoView {
    let id = name.to_lowercase();
    let id = id.split(' ').next().unwrap_or_default().to_owned();
    view! {
        <svg class=format!("device-icon {id}") aria-hidden="true" focusable="false">
            <use href=format!("/devices.svg#{id}")></use>
        </svg>
    }
}

#[cfg(test)]
mod tests {
    use super::{BROWSERS, Device, SYSTEMS};

    #[test]
    fn browsers_and_systems_are_told_by_label_and_push_service() {
        let fcm = "https://fcm.googleapis.com/fcm/send/1";
        let mozilla = "https://updates.push.services.mozilla.com/wpush/v2/1";
        for (label, endpoint, browser, system) in [
            (Some("Chrome Windows"), fcm, Some("Chrome"), Some("Windows")),
            (Some("Edge Win32"), fcm, Some("Edge"), Some("Windows")),
            (Some("Chrome Android"), fcm, Some("Chrome"), Some("Android")),
            (
                Some("Safari MacIntel"),
                "https://web.push.apple.com/1",
                Some("Safari"),
                Some("macOS"),
            ),
            (
                Some("Safari iPhone"),
                "https://web.push.apple.com/1",
                Some("Safari"),
                Some("iOS"),
            ),
            (None, mozilla, Some("Firefox"), None),
            (Some("店頭"), fcm, Some("Chrome"), None),
            (None, "https://push.example/fcm.googleapis.com", None, None),
        ] {
            let device = Device::new(label, endpoint);
            assert_eq!(
                (device.browser, device.system),
                (browser, system),
                "{label:?}"
            );
        }
    }

    #[test]
    fn every_browser_and_system_has_a_mark() {
        let marks = include_str!("../../../../style/public/devices.svg");
        let names = BROWSERS.into_iter().chain(SYSTEMS).map(|(_, name)| name);
        for name in names.chain(["unknown"]) {
            let id = name.to_lowercase();
            let id = id.split(' ').next().unwrap_or_default();
            assert!(marks.contains(&format!("<symbol id=\"{id}\"")), "{name}");
        }
    }

    #[test]
    fn who_is_not_known_is_named_by_the_push_service() {
        let endpoint = "https://push.example/1";
        let device = Device::new(None, endpoint);
        assert_eq!(device.name(endpoint), "push.example");
    }
}
