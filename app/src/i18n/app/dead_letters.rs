//! Texts of what could not be delivered, and why.

/// Texts of what could not be delivered.
pub struct DeadLettersTexts {
    /// Below the headline.
    pub lead: &'static str,
    /// Headline when there is nothing.
    pub empty_title: &'static str,
    /// Below it.
    pub empty: &'static str,
    /// When it was given up, in UTC.
    pub time: &'static str,
    /// Where it was to be delivered.
    pub endpoint: &'static str,
    /// Why it was not.
    pub reason: &'static str,
    /// The last answer's status.
    pub status: &'static str,
    /// How often it was tried.
    pub attempts: &'static str,
    /// The send that it belongs to.
    pub send: &'static str,
    /// Why deliveries fail.
    pub reasons: ReasonsTexts,
}

/// Why deliveries fail (CONTRACT 4).
pub struct ReasonsTexts {
    /// `expired`.
    pub expired: &'static str,
    /// `key_mismatch`.
    pub key_mismatch: &'static str,
    /// `throttled`.
    pub throttled: &'static str,
    /// `unavailable`.
    pub unavailable: &'static str,
    /// `unreachable`.
    pub unreachable: &'static str,
    /// `blocked_address`.
    pub blocked_address: &'static str,
    /// `refused`.
    pub refused: &'static str,
    /// `out_of_time`.
    pub out_of_time: &'static str,
}

impl ReasonsTexts {
    /// What the code of a reason means; a code that is not known stands for itself.
    pub fn explain<'a>(&'a self, code: &'a str) -> &'a str {
        match code {
            "expired" => self.expired,
            "key_mismatch" => self.key_mismatch,
            "throttled" => self.throttled,
            "unavailable" => self.unavailable,
            "unreachable" => self.unreachable,
            "blocked_address" => self.blocked_address,
            "refused" => self.refused,
            "out_of_time" => self.out_of_time,
            _ => code,
        }
    }
}

/// Japanese.
pub const JA: DeadLettersTexts = DeadLettersTexts {
    lead: "プッシュサービスが受け付けず、もう送り直さない通知です。購読が終わっていた宛先は含みません。",
    empty_title: "不達はありません",
    empty: "プッシュサービスが受け付けなかった通知は、理由とともにここに並びます。",
    time: "日時（UTC）",
    endpoint: "宛先",
    reason: "理由",
    status: "HTTP",
    attempts: "試行",
    send: "送信を見る",
    reasons: ReasonsTexts {
        expired: "購読が終わっていた",
        key_mismatch: "購読が別の鍵で作られている",
        throttled: "プッシュサービスの送信制限",
        unavailable: "プッシュサービスの障害",
        unreachable: "プッシュサービスに接続できない",
        blocked_address: "公開されていない宛先",
        refused: "プッシュサービスが拒否した",
        out_of_time: "有効期限（TTL）が切れた",
    },
};

/// English.
pub const EN: DeadLettersTexts = DeadLettersTexts {
    lead: "Notifications that the push service did not accept and that are not tried again. Subscriptions that had ended are not among them.",
    empty_title: "Nothing is undelivered",
    empty: "What a push service does not accept will be listed here with the reason.",
    time: "Time (UTC)",
    endpoint: "To",
    reason: "Reason",
    status: "HTTP",
    attempts: "Attempts",
    send: "Show the send",
    reasons: ReasonsTexts {
        expired: "The subscription had ended",
        key_mismatch: "The subscription was made with another key",
        throttled: "Throttled by the push service",
        unavailable: "The push service is down",
        unreachable: "The push service cannot be reached",
        blocked_address: "The address is not public",
        refused: "Refused by the push service",
        out_of_time: "The time to live was over",
    },
};
