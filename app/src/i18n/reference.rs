//! Texts of the reference of the API.

/// Texts of the reference page.
pub struct ReferenceTexts {
    /// The headline.
    pub title: &'static str,
    /// Below it.
    pub lead: &'static str,
    /// Leads to the document that the page is made of.
    pub document: &'static str,
    /// What the list of endpoints is called.
    pub contents: &'static str,
    /// Heads parameters.
    pub parameters: &'static str,
    /// Heads the request's body.
    pub request: &'static str,
    /// Heads answers.
    pub responses: &'static str,
    /// Heads refusals.
    pub errors: &'static str,
    /// Marks members that must be there.
    pub required: &'static str,
    /// Heads members of bodies.
    pub schemas: &'static str,
}

/// Japanese.
pub const JA: ReferenceTexts = ReferenceTexts {
    title: "API リファレンス",
    lead: "すべてのエンドポイント、例、エラーコード。",
    document: "OpenAPI 3.1 ドキュメント",
    contents: "エンドポイント",
    parameters: "パラメーター",
    request: "リクエスト",
    responses: "レスポンス",
    errors: "エラー",
    required: "必須",
    schemas: "スキーマ",
};

/// English.
pub const EN: ReferenceTexts = ReferenceTexts {
    title: "API reference",
    lead: "Every endpoint, with examples and error codes.",
    document: "OpenAPI 3.1 document",
    contents: "Endpoints",
    parameters: "Parameters",
    request: "Request",
    responses: "Answers",
    errors: "Errors",
    required: "required",
    schemas: "Schemas",
};
