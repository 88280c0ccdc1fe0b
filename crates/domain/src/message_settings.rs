//! What an app says of all its messages (CONTRACT 13, 15).

use crate::{Endpoint, ErrorCode, FieldChange, text_enum};

text_enum!(
    /// What an app measures of its messages (CONTRACT 15).
    #[derive(Default)]
    Tracking or ErrorCode::InvalidInput {
        /// Messages carry no token, and no browser reports anything.
        #[default]
        Off = "off",
        /// How many were displayed, clicked and dismissed, and nobody's name.
        Counts = "counts",
    }
);

/// The address of an app's site, which a declarative message leads to when it has no url; kept as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteUrl(Endpoint);

impl SiteUrl {
    /// Obeys the rules of an endpoint (CONTRACT 5), each of which is `INVALID_URL` here.
    pub fn parse(text: &str) -> Result<Self, ErrorCode> {
        Endpoint::parse(text)
            .map(Self)
            .map_err(|_| ErrorCode::InvalidUrl)
    }

    /// An address out of this server's own database.
    pub fn trusted(text: String) -> Self {
        Self(Endpoint::trusted(text))
    }

    /// The address as it was given.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

/// What an app says of all its messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageSettings {
    /// The app's site, if it has named one.
    pub site_url: Option<SiteUrl>,
    /// Whether Apple's push service gets declarative messages.
    pub declarative: bool,
    /// Whether messages carry a token by which browsers report what became of them.
    pub tracking: Tracking,
}

/// What becomes of an app's [`MessageSettings`]; by default they stay as they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageSettingsChange {
    /// What becomes of the site's address.
    pub site_url: FieldChange<SiteUrl>,
    /// Whether messages are declarative from now on.
    pub declarative: Option<bool>,
    /// What is measured from now on.
    pub tracking: Option<Tracking>,
}

impl MessageSettings {
    /// These as `change` leaves them; declarative messages without a site's address are `INVALID_INPUT` (CONTRACT 13).
    pub fn changed(&self, change: &MessageSettingsChange) -> Result<Self, ErrorCode> {
        let changed = Self {
            site_url: change.site_url.applied_to(self.site_url.as_ref()),
            declarative: change.declarative.unwrap_or(self.declarative),
            tracking: change.tracking.unwrap_or(self.tracking),
        };
        if changed.declarative && changed.site_url.is_none() {
            return Err(ErrorCode::InvalidInput);
        }
        Ok(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::{MessageSettings, MessageSettingsChange, SiteUrl, Tracking};
    use crate::{ErrorCode, FieldChange};

    fn site() -> SiteUrl {
        SiteUrl::parse("https://shop.example/").expect("an address")
    }

    fn change(site_url: FieldChange<SiteUrl>, declarative: Option<bool>) -> MessageSettingsChange {
        MessageSettingsChange {
            site_url,
            declarative,
            tracking: None,
        }
    }

    #[test]
    fn declarative_messages_have_a_site_to_lead_to() {
        let nothing = MessageSettings::default();
        let on = change(FieldChange::Keep, Some(true));
        assert_eq!(nothing.changed(&on), Err(ErrorCode::InvalidInput));
        let both = change(FieldChange::Set(site()), Some(true));
        let declarative = nothing.changed(&both).expect("with a site");
        assert_eq!(declarative.changed(&on).as_ref(), Ok(&declarative));
        let cleared = change(FieldChange::Clear, None);
        assert_eq!(declarative.changed(&cleared), Err(ErrorCode::InvalidInput));
        let off = change(FieldChange::Clear, Some(false));
        assert_eq!(declarative.changed(&off), Ok(nothing));
    }

    #[test]
    fn what_is_not_named_stays() {
        let counted = MessageSettings {
            site_url: Some(site()),
            declarative: true,
            tracking: Tracking::Counts,
        };
        let unchanged = counted.changed(&MessageSettingsChange::default());
        assert_eq!(unchanged.as_ref(), Ok(&counted));
    }

    #[test]
    fn a_site_is_reached_over_https() {
        for text in ["http://shop.example/", "https://", "shop.example", ""] {
            assert_eq!(SiteUrl::parse(text), Err(ErrorCode::InvalidUrl), "{text}");
        }
    }
}
