//! Texts of an app's webhook page.

use hato_domain::{DisabledReason, NoResponseReason};

/// Texts of an app's webhook page.
pub struct WebhookTexts {
    /// The headline.
    pub title: &'static str,
    /// Below it.
    pub lead: &'static str,
    /// Labels the URL.
    pub url: &'static str,
    /// Says what it takes.
    pub url_hint: &'static str,
    /// The button that sets it.
    pub save: &'static str,
    /// The button that clears it.
    pub clear: &'static str,
    /// On the Free plan, without a URL.
    pub for_pro: &'static str,
    /// Leads to the plans.
    pub plans: &'static str,
    /// The headline of the secret.
    pub secret: &'static str,
    /// What it is for.
    pub secret_text: &'static str,
    /// Reveals it.
    pub reveal: &'static str,
    /// Labels the one before.
    pub previous: &'static str,
    /// Before the time until when it signs.
    pub previous_until: &'static str,
    /// The button that makes a new one.
    pub rotate: &'static str,
    /// What that does.
    pub rotate_text: &'static str,
    /// The headline of the test.
    pub test: &'static str,
    /// What a test is.
    pub test_text: &'static str,
    /// Its button.
    pub test_button: &'static str,
    /// The headline of what is off.
    pub off: &'static str,
    /// The button that switches it on.
    pub enable: &'static str,
    /// The headline of the attempts.
    pub attempts: &'static str,
    /// Below it.
    pub attempts_lead: &'static str,
    /// Instead of the list when there is none.
    pub no_attempts: &'static str,
    /// Labels the time.
    pub time: &'static str,
    /// Labels the event.
    pub event: &'static str,
    /// Labels the status.
    pub status: &'static str,
    /// Labels the duration.
    pub duration: &'static str,
    /// Labels the number of the attempt.
    pub attempt: &'static str,
    /// Before the time of the next attempt.
    pub next: &'static str,
    /// Leads to what was posted.
    pub request: &'static str,
    /// Labels the headers of what was posted.
    pub headers: &'static str,
    /// Instead of it when it is not kept any more.
    pub no_event: &'static str,
    /// Labels the answer.
    pub response: &'static str,
    /// An answer without a body.
    pub no_response: &'static str,
    /// The button that posts an event again.
    pub resend: &'static str,
    /// The URL was set.
    pub saved: &'static str,
    /// It was cleared.
    pub cleared: &'static str,
    /// There is a new secret.
    pub rotated: &'static str,
    /// It was switched on.
    pub enabled: &'static str,
    /// An event is on its way.
    pub queued: &'static str,
    /// The receiver answered 410.
    pub gone: &'static str,
    /// Nothing succeeded for days.
    pub failing: &'static str,
    /// The plan is Free.
    pub plan_required: &'static str,
    /// No answer in time.
    pub timed_out: &'static str,
    /// No connection.
    pub unreachable: &'static str,
    /// The address is not public.
    pub blocked_address: &'static str,
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
    pub const fn done(&self) -> [(&'static str, &'static str); 5] {
        [
            ("saved", self.saved),
            ("cleared", self.cleared),
            ("rotated", self.rotated),
            ("enabled", self.enabled),
            ("queued", self.queued),
        ]
    }
}

pub const JA: WebhookTexts = WebhookTexts {
    title: "Webhook",
    lead: "配信の結果を、あなたのサーバーへ署名付きの JSON で届けます。",
    url: "Webhook の URL",
    url_hint: "https:// で始まる、外から届くアドレス。",
    save: "保存する",
    clear: "URL を消す",
    for_pro: "Webhook は Pro プランで使えます。プランを変えると、ここで URL を設定できます。",
    plans: "プランを見る",
    secret: "署名シークレット",
    secret_text: "届いたイベントが本物かどうかを、このシークレットで確かめます。方式は Standard Webhooks です。",
    reveal: "シークレットを表示する",
    previous: "前のシークレット",
    previous_until: "署名に使われる期限",
    rotate: "新しいシークレットを作る",
    rotate_text: "作ってから 24 時間は、新旧両方のシークレットで署名します。",
    test: "テストイベント",
    test_text: "webhook.test という種類のイベントを 1 つ送ります。結果は下の一覧に出ます。",
    test_button: "テストイベントを送る",
    off: "Webhook は止まっています",
    enable: "再開する",
    attempts: "送信の記録",
    attempts_lead: "新しいものから最大 100 件。時刻は UTC です。",
    no_attempts: "まだ何も送っていません。",
    time: "時刻",
    event: "イベント",
    status: "結果",
    duration: "所要時間",
    attempt: "回数",
    next: "次の再送",
    request: "送った内容",
    headers: "送ったヘッダー",
    no_event: "このイベントの記録は残っていません。",
    response: "応答",
    no_response: "本文なし",
    resend: "もう一度送る",
    saved: "URL を保存しました。",
    cleared: "URL を消しました。イベントはもう送られません。",
    rotated: "新しいシークレットを作りました。24 時間は前のものでも署名します。",
    enabled: "Webhook を再開しました。",
    queued: "イベントを送信待ちに入れました。ページを読み直すと結果が出ます。",
    gone: "受信側が 410 (Gone) を返したため、送信を止めました。止まっている間のイベントは記録されません。",
    failing: "5 日間一度も成功しなかったため、送信を止めました。止まっている間のイベントは記録されません。",
    plan_required: "Free プランではイベントを送りません。URL とシークレットは残っています。Pro プランに戻すと再開します。",
    timed_out: "時間切れ",
    unreachable: "接続できず",
    blocked_address: "許可されないアドレス",
};

pub const EN: WebhookTexts = WebhookTexts {
    title: "Webhook",
    lead: "What became of your notifications, posted to your server as signed JSON.",
    url: "Webhook URL",
    url_hint: "An address that starts with https:// and can be reached from outside.",
    save: "Save",
    clear: "Remove the URL",
    for_pro: "Webhooks come with the Pro plan. Once you have it, set the URL here.",
    plans: "See the plans",
    secret: "Signing secret",
    secret_text: "With this secret your server verifies that an event is genuine, as Standard Webhooks says.",
    reveal: "Show the secret",
    previous: "The secret before",
    previous_until: "signs until",
    rotate: "Make a new secret",
    rotate_text: "For 24 hours events are signed with both, the new secret and the one before.",
    test: "Test event",
    test_text: "Posts one event of the type webhook.test. What became of it is shown below.",
    test_button: "Send a test event",
    off: "The webhook is off",
    enable: "Switch it on",
    attempts: "Attempts",
    attempts_lead: "The last 100, newest first. Times are in UTC.",
    no_attempts: "Nothing was posted yet.",
    time: "Time",
    event: "Event",
    status: "Result",
    duration: "Duration",
    attempt: "Attempt",
    next: "again at",
    request: "Request",
    headers: "Headers of the request",
    no_event: "This event is not kept any more.",
    response: "Answer",
    no_response: "no body",
    resend: "Send again",
    saved: "The URL is saved.",
    cleared: "The URL is removed. No more events are posted.",
    rotated: "There is a new secret. For 24 hours the one before signs too.",
    enabled: "The webhook is on.",
    queued: "The event is on its way. Reload the page to see what became of it.",
    gone: "Your server answered 410 (Gone), so posting has stopped. What happens meanwhile is not recorded.",
    failing: "Nothing succeeded for 5 days, so posting has stopped. What happens meanwhile is not recorded.",
    plan_required: "The Free plan posts no events. The URL and the secret are kept; with the Pro plan it goes on.",
    timed_out: "timed out",
    unreachable: "no connection",
    blocked_address: "address not permitted",
};
