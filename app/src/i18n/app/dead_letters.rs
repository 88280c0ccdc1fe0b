//! Texts of what could not be delivered, and why.

texts! {
    /// Texts of what could not be delivered.
    DeadLettersTexts {
        lead = "プッシュサービスが受け付けず、もう送り直さない通知です。購読が終わっていた宛先は含みません。1 回の送信につき、最初の 10,000 件までを並べます。",
            "Notifications that the push service did not accept and that are not tried again. Subscriptions that had ended are not among them. Of one send, the first 10,000 are listed.";
        empty_title = "不達はありません", "Nothing undelivered";
        empty = "プッシュサービスが受け付けなかった通知は、理由とともにここに並びます。",
            "What a push service does not accept will be listed here with the reason.";
        time = "日時", "Time";
        endpoint = "宛先", "To";
        reason = "理由", "Reason";
        status = "HTTP", "HTTP";
        attempts = "試行", "Attempts";
        send = "送信を見る", "Show the send";
        reasons: ReasonsTexts = ReasonsTexts::JA, ReasonsTexts::EN;
    }

    /// Why deliveries fail (CONTRACT 4).
    ReasonsTexts {
        expired = "購読が終わっていた", "The subscription had ended";
        key_mismatch = "購読が別の鍵で作られている", "The subscription was made with another key";
        throttled = "プッシュサービスの送信制限", "Throttled by the push service";
        unavailable = "プッシュサービスの障害", "The push service is down";
        unreachable = "プッシュサービスに接続できない", "The push service cannot be reached";
        blocked_address = "公開されていない宛先", "The address is not public";
        refused = "プッシュサービスが拒否した", "Refused by the push service";
        dropped = "プッシュサービスが受け付けたあとで破棄した", "Dropped by the push service after it was accepted";
        out_of_time = "有効期限（TTL）が切れた", "The time to live (TTL) ran out";
    }
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
            "dropped" => self.dropped,
            "out_of_time" => self.out_of_time,
            _ => code,
        }
    }
}
