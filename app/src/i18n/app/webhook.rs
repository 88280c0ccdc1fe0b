//! Texts of an app's webhook page.

use hato_domain::{DisabledReason, NoResponseReason};

texts! {
    WebhookTexts {
        title = "Webhook", "Webhook";
        lead = "配信の結果を、あなたのサーバーへ署名付きの JSON で届けます。",
            "Sends the results of your deliveries to your server as signed JSON.";
        url = "Webhook の URL", "Webhook URL";
        url_hint = "https:// で始まる、外から届くアドレス。",
            "An address that starts with https:// and can be reached from outside.";
        save = "保存する", "Save";
        clear = "URL を消す", "Remove the URL";
        for_pro = "Webhook は Pro プランで使えます。プランを変えると、ここで URL を設定できます。",
            "Webhooks come with the Pro plan. Once you have it, set the URL here.";
        plans = "プランを見る", "See the plans";
        secret = "署名シークレット", "Signing secret";
        secret_text = "届いたイベントが本物かどうかを、このシークレットで確かめます。方式は Standard Webhooks です。",
            "With this secret your server verifies that an event is genuine, by Standard Webhooks.";
        reveal = "シークレットを表示する", "Show the secret";
        previous = "前のシークレット", "Previous secret";
        /// Stands before the time until which the old secret signs.
        previous_until = "署名に使われる期限", "valid until";
        rotate = "新しいシークレットを作る", "Create a new secret";
        rotate_text = "作ってから 24 時間は、新旧両方のシークレットで署名します。",
            "For 24 hours, events are signed with both the new and the previous secret.";
        test = "テストイベント", "Test event";
        test_text = "webhook.test という種類のイベントを 1 つ送ります。結果は下に表示されます。",
            "Sends one event of the type webhook.test. The result appears below.";
        test_button = "テストイベントを送る", "Send a test event";
        off = "Webhook は止まっています", "The webhook is off";
        enable = "再開する", "Switch it on";
        attempts = "呼び出しの記録", "Attempts";
        attempts_lead = "新しいものから最大 100 件。",
            "The last 100, newest first.";
        no_attempts = "まだ何も送っていません。", "Nothing has been sent yet.";
        time = "時刻", "Time";
        event = "イベント", "Event";
        status = "結果", "Result";
        duration = "所要時間", "Duration";
        attempt = "回数", "Attempt";
        /// Stands before the time of the next attempt.
        next = "次の再送", "next attempt";
        request = "送った内容", "Request";
        headers = "送ったヘッダー", "Headers of the request";
        happened = "発生日時", "Happened";
        delivered = "届いた日時", "Delivered";
        next_attempt = "次に送る日時", "Next attempt";
        last_attempt = "最後に送った日時", "Last attempt";
        no_event = "このイベントの記録は残っていません。", "This event is no longer kept.";
        response = "応答", "Response";
        no_response = "本文なし", "no body";
        resend = "もう一度送る", "Send again";
        saved = "URL を保存しました。", "The URL was saved.";
        cleared = "URL を消しました。イベントはもう送られません。",
            "The URL was removed. No more events are sent.";
        rotated = "新しいシークレットを作りました。24 時間は前のものでも署名します。",
            "A new secret was created. For 24 hours, the previous one signs as well.";
        enabled = "Webhook を再開しました。", "The webhook is on.";
        queued = "イベントを送信待ちに入れました。結果は、ここと下の記録に表示されます。",
            "The event is on its way. The result appears here and below.";
        reload = "JavaScript がオフのため、ページを再読み込みすると結果が表示されます。",
            "JavaScript is off: reload the page to see the result.";
        /// What the receiver answered.
        arrived: fn(&str) -> String = |answer| format!("イベントが届きました（{answer}）。"),
            |answer| format!("The event arrived ({answer}).");
        not_arrived: fn(&str) -> String =
            |answer| format!("イベントは届きませんでした（{answer}）。くわしくは下の記録にあります。"),
            |answer| format!("The event did not arrive ({answer}). The attempts below show details.");
        gone = "受信側が 410 (Gone) を返したため、送信を止めました。止まっている間のイベントは記録されません。",
            "Your server answered 410 (Gone), so the webhook was switched off. Events are not recorded while it is off.";
        failing = "5 日間一度も成功しなかったため、送信を止めました。止まっている間のイベントは記録されません。",
            "Every attempt failed for 5 days, so the webhook was switched off. Events are not recorded while it is off.";
        plan_required = "Free プランではイベントを送りません。URL とシークレットは残っています。Pro プランに戻すと再開します。",
            "No events are sent on the Free plan. The URL and the secret are kept; sending resumes with the Pro plan.";
        timed_out = "時間切れ", "timed out";
        unreachable = "接続できず", "no connection";
        blocked_address = "許可されないアドレス", "address not permitted";
    }
}

impl WebhookTexts {
    /// Why no events are posted.
    pub const fn reason(&self, reason: DisabledReason) -> &'static str {
        match reason {
            DisabledReason::Gone => self.gone,
            DisabledReason::Failing => self.failing,
            DisabledReason::PlanRequired => self.plan_required,
        }
    }

    /// Why an attempt had no answer.
    pub const fn failure(&self, failure: NoResponseReason) -> &'static str {
        match failure {
            NoResponseReason::TimedOut => self.timed_out,
            NoResponseReason::Unreachable => self.unreachable,
            NoResponseReason::BlockedAddress => self.blocked_address,
        }
    }

    /// What forms have done, by its word in the page's address.
    pub const fn done(&self) -> [(&'static str, &'static str); 4] {
        [
            ("saved", self.saved),
            ("cleared", self.cleared),
            ("rotated", self.rotated),
            ("enabled", self.enabled),
        ]
    }
}
