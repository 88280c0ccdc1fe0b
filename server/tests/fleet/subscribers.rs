//! The subscribers of a fleet's app, and their tags.

use hato_domain::PositionSet;
use hato_testkit::push_service::BrowserSubscription;

use crate::fixtures::Fleet;

/// Subscriptions that a statement makes: an argument of a program has at most 128 KiB.
const SEEDED_AT_A_TIME: usize = 1_000;

impl Fleet {
    /// Writes the subscriptions down: asking the API for each would take longer than any test.
    pub fn seed(&self) {
        let origin = self.push.origin();
        for (number, share) in self.browsers.chunks(SEEDED_AT_A_TIME).enumerate() {
            let list = |text: fn(&BrowserSubscription) -> &str| {
                share.iter().map(text).collect::<Vec<_>>().join(",")
            };
            self.query(&format!(
                "INSERT INTO subscriptions
                     (public_id, app_id, endpoint, endpoint_hash, p256dh, auth, position, created_at)
                 SELECT 'sub_' || id, '{app}', '{origin}/push/' || id,
                        sha256(convert_to('{origin}/push/' || id, 'UTF8')),
                        decode(translate('{p256dh}', '-_', '+/') || '=', 'base64'),
                        decode(translate(auth, '-_', '+/') || '==', 'base64'), {before} + place, 0
                 FROM unnest(string_to_array('{ids}', ','), string_to_array('{auths}', ','))
                      WITH ORDINALITY AS seeded (id, auth, place);
                 UPDATE apps SET active_subscriptions = active_subscriptions + {count},
                                 last_position = last_position + {count}",
                app = self.app.id,
                p256dh = share[0].p256dh,
                before = number * SEEDED_AT_A_TIME,
                ids = list(|it| &it.id),
                auths = list(|it| &it.auth),
                count = share.len(),
            ));
        }
    }

    /// Gives every second subscription the tag, and returns these.
    pub fn tag_every_second(&self, tag: &str) -> Vec<BrowserSubscription> {
        let tagged = self.browsers.iter().enumerate().skip(1).step_by(2);
        let (positions, browsers): (Vec<_>, Vec<_>) = tagged
            .map(|(index, it)| (i64::try_from(index + 1).expect("not so many"), it.clone()))
            .unzip();
        let app = &self.app.id;
        let block = |(number, bytes): (i64, Vec<u8>)| {
            let bytes = hex::encode(bytes);
            format!("('{app}', '{tag}', {number}, decode('{bytes}', 'hex'))")
        };
        let blocks: Vec<_> = positions
            .into_iter()
            .collect::<PositionSet>()
            .blocks()
            .map(block)
            .collect();
        self.query(&format!(
            "UPDATE subscriptions SET tags = '[\"{tag}\"]' WHERE app_id = '{app}' AND position % 2 = 0;
             INSERT INTO tag_positions (app_id, tag, block, positions) VALUES {}",
            blocks.join(",")
        ));
        browsers
    }
}
