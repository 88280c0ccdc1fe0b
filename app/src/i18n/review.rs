//! Texts of the review of what was there before a login through GitHub took an account over.

use super::group_thousands;

texts! {
    ReviewTexts {
        title = "引き継いだアプリの確認", "Review what was here before";
        lead = "メールアドレスを GitHub が確認したので、このアカウントはあなたのものになりました。これまで使っていた人は、アドレスを確認していません。その人は、作った API キーをいまも持ち、Webhook で配信の結果を受け取るかもしれません。ひとつずつ、残すか消すかを決めてください。",
            "You logged in through GitHub, which has verified your email address. Whoever used this account before never verified the address, and may still have its API keys and receive its delivery results by webhook. Decide what to keep and what to delete.";
        meanwhile = "決めるまで、ほかのページは開けず、API キーは使えず、送信と Webhook のイベントは待ちます。",
            "Until you have decided, no other page opens, the keys do not work, and sends and webhook events wait.";
        left: fn(usize) -> String =
            |count| format!("このあとに、アプリがあと {count} 個あります。"),
            |count| match count {
                1 => "One more app comes after this one.".to_owned(),
                _ => format!("{count} more apps come after this one."),
            };
        created = "作成", "Created";
        subscribers = "購読者", "Subscribers";
        last_used = "最終使用", "Last used";
        never = "未使用", "Never";
        key = "キー", "Key";
        keep_key = "残す。いまの持ち主が、また使えるようになります", "Keep it: whoever has it can use it again";
        delete_key = "削除する", "Delete it";
        webhook = "Webhook", "Webhook";
        webhook_text = "配信の結果が送られる先です。署名のシークレットも見られていたので、残すなら、あとで新しいシークレットを作ってください。",
            "Delivery results are posted there. Its signing secret could be read as well: if you keep the webhook, create a new secret afterwards.";
        keep_webhook = "残す。待っているイベントを送ります", "Keep it: waiting events are sent";
        delete_webhook = "URL とシークレットを削除する", "Delete the URL and the secret";
        sends = "待っている送信", "Waiting send";
        recipients: fn(i64) -> String =
            |count| format!("{} 人宛て", group_thousands(count)),
            |count| match count {
                1 => "for 1 subscriber".to_owned(),
                _ => format!("for {} subscribers", group_thousands(count)),
            };
        other_sends = "これより古い、待っている送信すべて", "All older waiting sends";
        keep_send = "送る", "Send it";
        delete_send = "中止する", "Cancel it";
        vapid = "VAPID 鍵", "VAPID key";
        vapid_text = "前に使っていた人は、このアプリの VAPID 鍵で通知を送れました。購読者はこの鍵に結びついています。アプリを残すと、鍵も残ります。",
            "Whoever used this account before could send with this app's VAPID key, to which its subscribers are tied. If you keep the app, you keep the key.";
        conclude = "このとおりに決めて、アプリを残す", "Apply and keep the app";
        reject_title = "アプリごと削除する", "Delete the whole app";
        reject_text = "身に覚えのないアプリなら、VAPID 鍵、API キー、購読者、履歴とともに削除できます。元に戻すことはできません。",
            "If you do not know this app, you can delete it with its VAPID key, API keys, subscribers and history. This cannot be undone.";
        reject_open = "このアプリを削除する", "Delete this app";
        reject = "すべて削除する", "Delete everything";
    }
}
