//! Texts of whom a send is for, when it goes and how fast, on the pages that say so.

texts! {
    DeliveryTexts {
        users = "ユーザー", "Users";
        user_count: fn(usize) -> String = |count| format!("{count} 人を指定"),
            |count| format!("{count} selected");
        tags = "タグの条件", "Tags";
        send_at = "送信予定", "Scheduled for";
        expires_at = "有効期限", "Expires at";
        pace = "ペース", "Pace";
        per_minute: fn(String) -> String = |count| format!("1 分あたり最大 {count} 人"),
            |count| format!("at most {count} per minute");
    }
}
