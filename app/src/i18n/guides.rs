//! Texts around the guides, which are in English.

texts! {
    GuidesTexts {
        title = "ドキュメント", "Documentation";
        lead = "サイトに組み込むところから、運用まで。ガイドは英語です。API リファレンスは日本語でも読めます。",
            "From the first line on your site to running it for years.";
        /// Stands at the head of each guide, unless the page is in English.
        english = "このガイドは英語です。", "";
        reference = "API リファレンス", "API reference";
        about_reference = "すべてのエンドポイントと、そのエラー。", "Every endpoint and its errors.";
        /// What assistive technology calls a guide's n-th piece, which is code.
        code: fn(usize) -> String = |n| format!("コード {n}"), |n| format!("Code {n}");
        /// What each guide is about, by its name.
        guides: [(&'static str, &'static str); 10] =
            [
                ("embed", "数行のコードとサービスワーカー 1 ファイルで、サイトに通知を。既存のサービスワーカーや React アプリにも。"),
                ("sending", "curl・Node・Python・PHP・Ruby・Go から送る、標準ライブラリだけの例。"),
                ("rich", "画像やボタンのある通知。ブラウザごとに何が省かれるか。"),
                ("audience", "一人へ、または興味のある人だけへ。ユーザーとタグ。"),
                ("measuring", "誰が見たかを知らずに、何人が見て、押したかを数える。"),
                ("moving", "ほかのサービスから購読者を連れてくる。あるいは、連れて出ていく。"),
                ("cli", "コマンドライン hato。人にも、CI にも。"),
                ("mcp", "AI アシスタントのためのツール。"),
                ("deploy", "インターネットに公開する：TLS、コンテナ、バックアップ、監視。"),
                ("metrics", "Prometheus のためのメトリクス、アラート、Grafana のダッシュボード。"),
            ],
            [
                ("embed", "A few lines and one service worker file, also beside an existing worker or in a React app."),
                ("sending", "From curl, Node, Python, PHP, Ruby and Go, with nothing but their standard libraries."),
                ("rich", "Pictures and buttons, and what each browser leaves out."),
                ("audience", "To one person, or to those who follow a topic: users and tags."),
                ("measuring", "How many people saw it and clicked, without knowing who they are."),
                ("moving", "Bring your subscribers from another service, or take them with you."),
                ("cli", "The hato command line, for people and for CI."),
                ("mcp", "Tools for AI assistants."),
                ("deploy", "On the internet: TLS, containers, back-ups and monitoring."),
                ("metrics", "Metrics for Prometheus, alerts, and a dashboard for Grafana."),
            ];
    }
}

impl GuidesTexts {
    /// What the guide of this name is about.
    pub fn about(&self, name: &str) -> &'static str {
        let line = self.guides.iter().find(|(guide, _)| *guide == name);
        line.map_or("", |(_, text)| *text)
    }
}
