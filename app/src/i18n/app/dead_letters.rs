//! Texts of what could not be delivered, and why.

texts! {
    /// Texts of what could not be delivered.
    DeadLettersTexts {
        lead = "プッシュサービスが受け付けず、もう再送しない通知です。購読切れの宛先は含みません。1\u{a0}回の送信につき、最初の 10,000\u{a0}件までを表示します。",
            "Notifications that push services did not accept and that will not be tried again. Expired subscriptions are not included. At most 10,000 are listed per send.";
        empty_title = "不達はありません", "Nothing undelivered";
        empty = "プッシュサービスが受け付けなかった通知は、理由とともにここに表示されます。",
            "Notifications that push services do not accept will be listed here with the reason.";
        time = "日時", "Time";
        endpoint = "宛先", "To";
        reason = "理由", "Reason";
        status = "HTTP", "HTTP";
        attempts = "試行", "Attempts";
        removed = "この購読者は削除されました", "This subscriber has been removed";
        send = "送信を見る", "Show the send";
        reasons: ReasonsTexts = ReasonsTexts::JA, ReasonsTexts::EN;
        of_send = "1 回の送信の不達だけを表示しています。", "Only what one send left undelivered is listed.";
        to_send = "この送信に戻る", "Back to the send";
        all = "すべての不達を見る", "Show all";
    }

    /// Why deliveries fail (CONTRACT 4).
    ReasonsTexts {
        expired = "購読切れ", "The subscription has expired";
        key_mismatch = "購読が別の鍵で作られている", "The subscription was made with another key";
        throttled = "プッシュサービスの送信制限", "Rate-limited by the push service";
        unavailable = "プッシュサービスの障害", "The push service is down";
        unreachable = "プッシュサービスに接続できない", "The push service cannot be reached";
        blocked_address = "公開されていない宛先", "The address is not public";
        refused = "プッシュサービスが拒否した", "Refused by the push service";
        dropped = "プッシュサービスが受け付けたあとで破棄した", "Dropped by the push service after it was accepted";
        out_of_time = "TTL が切れた", "The TTL ran out";
        advice: AdviceTexts = AdviceTexts::JA, AdviceTexts::EN;
    }

    /// What to do about each of them.
    AdviceTexts {
        expired = "相手が通知を止めたか、ブラウザを消しました。購読者は自動的に無効になるので、対応は不要です。",
            "The person turned notifications off or removed the browser. The subscriber was deactivated automatically: there is nothing to do.";
        key_mismatch = "ほかのサービスから移った購読なら、その VAPID 鍵を「VAPID 鍵」のページで取り込みます。鍵がないときは、相手が次にサイトを開くのを待ちます。",
            "If the subscription came from another service, import that service's VAPID key on the page “VAPID keys”. Without that key, wait until the person visits your site again.";
        throttled = "送るのが速すぎます。通知を書くときに「1 分あたりの最大人数」を指定して、ゆっくり送ってください。",
            "It was sent too fast. Set “Maximum recipients per minute” when you write, so that the send is spread out.";
        unavailable = "何度か試しましたが、プッシュサービスが止まっていました。しばらくしてから、もう一度送ってください。",
            "It was tried several times while the push service was down. Send again later.";
        unreachable = "サーバーからプッシュサービスにつながりません。ひとつのサービスだけなら待ち、すべてなら、サーバーの DNS とファイアウォールを調べてください。",
            "The server cannot reach the push service. If it is one service, wait; if it is all of them, check the server's DNS and firewall.";
        blocked_address = "社内など、公開されていないアドレスには送りません。そこで動く自前のプッシュサービスなら、サーバーの HATO_OUTBOUND_ALLOW にそのネットワークを加えます。",
            "Nothing is sent to addresses that are not public. If it is your own push service, add its network to the server's HATO_OUTBOUND_ALLOW.";
        refused = "プッシュサービスの応答と HTTP ステータスは、不達の一覧にあります。413 なら通知が大きすぎ、401 や 403 なら鍵か時計が違います。",
            "The list of undelivered notifications shows the push service's answer and its HTTP status: 413 means too large, 401 and 403 a wrong key or clock.";
        dropped = "Windows が受け付けたあとで破棄しました。相手の PC で通知がオフか、送りすぎのときに起こります。送る回数を減らしてみてください。",
            "Windows accepted it and then dropped it: notifications are off on that computer, or there were too many. Try sending less often.";
        out_of_time = "再送するうちに TTL が切れました。通知を書くときに、TTL を長くしてください。",
            "Its TTL ran out between two attempts. Set a longer one when you write.";
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

    /// What to do about it; nothing where the code is not known.
    pub fn advice(&self, code: &str) -> Option<&'static str> {
        let advice = &self.advice;
        Some(match code {
            "expired" => advice.expired,
            "key_mismatch" => advice.key_mismatch,
            "throttled" => advice.throttled,
            "unavailable" => advice.unavailable,
            "unreachable" => advice.unreachable,
            "blocked_address" => advice.blocked_address,
            "refused" => advice.refused,
            "dropped" => advice.dropped,
            "out_of_time" => advice.out_of_time,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use hato_domain::FailureReason;

    use super::ReasonsTexts;

    #[test]
    fn every_reason_says_what_to_do() {
        for texts in [&ReasonsTexts::JA, &ReasonsTexts::EN] {
            for reason in FailureReason::ALL {
                assert!(texts.advice(reason.as_str()).is_some(), "{reason:?}");
            }
        }
    }
}
