//! Texts of how push services are to treat a notification.

use hato_domain::Urgency;

texts! {
    DeliveryOptionsTexts {
        summary = "届け方を指定する（TTL・優先度・トピック）", "Delivery options (TTL, urgency, topic)";
        ttl = "TTL（秒）", "TTL (seconds)";
        ttl_hint = "端末がオフラインのとき、プッシュサービスが預かる長さです。0 なら、いま届く端末だけに届きます。空なら 4 週間です（任意）",
            "How long push services keep it for a device that is offline. With 0 it reaches only devices that are online; 4 weeks when empty (optional)";
        seconds: fn(&str) -> String = |seconds| format!("{seconds} 秒"),
            |seconds| format!("{seconds} s");
        urgency = "優先度", "Urgency";
        urgency_none = "指定しない", "Not set";
        very_low = "ごく低い（充電中で Wi-Fi のときでよい）", "Very low: can wait for power and Wi-Fi";
        low = "低い（充電中か Wi-Fi のときでよい）", "Low: can wait for power or Wi-Fi";
        normal = "ふつう", "Normal";
        high = "高い（省電力中でもすぐに）", "High: at once, even while the device saves power";
        topic = "トピック", "Topic";
        topic_hint = "同じトピックの、まだ届いていない通知と入れ替わります。英数字と - _ で 32 文字まで（任意）",
            "It replaces one with the same topic that has not arrived yet. Up to 32 letters, digits, - and _ (optional)";
        refused = "届け方の指定を確かめてください。TTL は 0〜2,419,200 秒、トピックは英数字と - _ で 32 文字までです。",
            "Check the delivery options: a TTL is 0 to 2,419,200 seconds, a topic up to 32 letters, digits, - and _.";
        wrong_topic = "英数字と - _ で、32 文字まで入力してください。", "Enter up to 32 letters, digits, - and _.";
    }
}

impl DeliveryOptionsTexts {
    /// What an urgency is called.
    pub const fn name(&self, urgency: Urgency) -> &'static str {
        match urgency {
            Urgency::VeryLow => self.very_low,
            Urgency::Low => self.low,
            Urgency::Normal => self.normal,
            Urgency::High => self.high,
        }
    }
}
