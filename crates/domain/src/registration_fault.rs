//! What is wrong with a registration: more than the code tells, so that whoever brings a list of them knows what to mend (CONTRACT 16).

use std::fmt;

use crate::ErrorCode;

/// Makes the enum of the faults and its table from one row for each.
macro_rules! registration_faults {
    ($($(#[$doc:meta])* $variant:ident = $code:ident, $message:literal;)+) => {
        /// What is wrong with a registration.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum RegistrationFault {
            $($(#[$doc])* $variant,)+
        }

        impl RegistrationFault {
            /// Every fault, in the order of the table.
            pub const ALL: [Self; [$(ErrorCode::$code),+].len()] = [$(Self::$variant),+];

            /// The code that the registration is refused with.
            pub const fn code(self) -> ErrorCode {
                match self {
                    $(Self::$variant => ErrorCode::$code,)+
                }
            }

            /// The same as a sentence in Japanese.
            pub const fn message(self) -> &'static str {
                match self {
                    $(Self::$variant => $message,)+
                }
            }
        }
    };
}

registration_faults! {
    /// It is no JSON object, or a member has another type.
    Unreadable = InvalidInput, "読み取れません。JSON のオブジェクトで、各項目の型が正しいか確かめてください。";
    /// It has no endpoint.
    NoEndpoint = MissingFields, "endpoint がありません。";
    /// It lacks `p256dh` or `auth`.
    NoBrowserKeys = MissingFields, "p256dh か auth がありません。";
    /// The endpoint does not start with `https://`.
    EndpointScheme = InvalidUrl, "endpoint は https:// で始まる URL にしてください。";
    /// The endpoint is no URL of a push service that this server sends to.
    Endpoint = InvalidEndpoint, "endpoint が、このサーバーの送れる push サービスの URL ではありません。";
    /// `p256dh` is no public key.
    P256dh = InvalidInput, "p256dh が P-256 の公開鍵（65 バイトの base64url）ではありません。";
    /// `auth` has not 16 bytes.
    Auth = InvalidInput, "auth が 16 バイトの base64url ではありません。";
    /// `vapid_public_key` is no public key.
    VapidKey = InvalidInput, "vapid_public_key が 65 バイトの base64url ではありません。";
    /// The app does not have the key of `vapid_public_key`.
    UnknownVapidKey = InvalidInput, "vapid_public_key の鍵が、このアプリにありません。先にその鍵を取り込んでください。";
    /// A tag is none, or not the registrant's to set.
    Tags = InvalidInput, "タグが正しくありません。英数字と _ . : - の 64 文字まで、50 個までです。";
    /// With those that the subscription has, there are too many tags.
    TooManyTags = InvalidInput, "すでにあるタグと合わせて 50 個を超えます。";
    /// `user_id` is empty, too long or has control characters.
    User = InvalidInput, "user_id が正しくありません。制御文字を含まない 128 バイトまでにしてください。";
    /// `lang` is no language.
    Language = InvalidInput, "lang が言語タグ（ja、en-US など）ではありません。";
    /// `time_zone` is not the name of a time zone.
    TimeZone = InvalidInput, "time_zone がタイムゾーンの名前（Asia/Tokyo など）ではありません。";
    /// `platform` is too long.
    Platform = InvalidInput, "platform が正しくありません。";
    /// `replaces` does not start with `https://`.
    ReplacesScheme = InvalidUrl, "replaces は https:// で始まる URL にしてください。";
    /// `replaces` is no endpoint.
    Replaces = InvalidEndpoint, "replaces が endpoint の URL ではありません。";
    /// `created_at` is in the future, or before 1970.
    CreatedAt = InvalidInput, "created_at が未来の日時か、1970 年より前です。Unix のミリ秒で書いてください。";
}

impl RegistrationFault {
    /// What is wrong with an endpoint that is refused with this code.
    pub fn from_endpoint_error(code: ErrorCode) -> Self {
        match code {
            ErrorCode::InvalidUrl => Self::EndpointScheme,
            _ => Self::Endpoint,
        }
    }

    /// The same of the endpoint that another one replaces.
    pub fn from_replaced_error(code: ErrorCode) -> Self {
        match code {
            ErrorCode::InvalidUrl => Self::ReplacesScheme,
            _ => Self::Replaces,
        }
    }
}

impl fmt::Display for RegistrationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for RegistrationFault {}
