//! Texts of the reference of the API.

texts! {
    ReferenceTexts {
        title = "API リファレンス", "API reference";
        lead = "すべてのエンドポイント、例、エラーコード。",
            "Every endpoint, with examples and error codes.";
        document = "OpenAPI 3.1 ドキュメント", "OpenAPI 3.1 document";
        contents = "エンドポイント", "Endpoints";
        parameters = "パラメーター", "Parameters";
        request = "リクエスト", "Request";
        responses = "レスポンス", "Answers";
        errors = "エラー", "Errors";
        required = "必須", "required";
        schemas = "スキーマ", "Schemas";
    }
}
