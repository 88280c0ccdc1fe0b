//! The endpoints of the reference as programs that run as they are, once the environment has what they name.

use serde_json::Value;

use super::document::{ApiOperation, Example, items, text};
use super::literal::{Notation, literal};

/// What the reference shows programs for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SampleLanguage {
    Curl,
    Node,
    Python,
}

impl SampleLanguage {
    /// The first is shown until another one is chosen.
    pub const ALL: [Self; 3] = [Self::Curl, Self::Node, Self::Python];

    /// What ids, the style sheet and `app/scripts/samples.js` know it by.
    pub fn id(self) -> &'static str {
        match self {
            Self::Curl => "curl",
            Self::Node => "node",
            Self::Python => "python",
        }
    }

    /// What it calls itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::Curl => "curl",
            Self::Node => "Node",
            Self::Python => "Python",
        }
    }
}

/// The variables that hold an API key and a session.
pub const KEY: &str = "HATO_KEY";
pub const SESSION: &str = "HATO_SESSION";

/// The variable that holds the value of a parameter of a path.
pub fn variable(parameter: &str) -> String {
    match parameter {
        "appId" => "HATO_APP".to_owned(),
        "send_id" => "HATO_SEND".to_owned(),
        // Not `HATO_KEY`, which is the key itself.
        "keyId" => "HATO_KEY_ID".to_owned(),
        "vapidKeyId" => "HATO_VAPID_KEY_ID".to_owned(),
        other => format!("HATO_{}", other.to_uppercase()),
    }
}

/// A request to an endpoint.
pub struct RequestSample<'d> {
    base_url: &'d str,
    method: String,
    /// Path and query, in which `{NAME}` stands for the variable `NAME`.
    path: String,
    /// The variable that holds the credential.
    credential: Option<&'static str>,
    /// The body, for endpoints that take one.
    body: Option<Example<'d>>,
    response: ResponseKind,
}

/// What is to be done with the response.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ResponseKind {
    Json,
    /// JSON on each line.
    Lines,
    /// Goes on and on.
    Events,
    Empty,
    /// Leads a browser elsewhere.
    Redirect,
}

impl<'d> RequestSample<'d> {
    /// A request to the endpoint at the document's server, with the document's example of its body.
    pub fn new(document: &'d Value, endpoint: &ApiOperation<'d>) -> Self {
        Self {
            base_url: text(&document["servers"][0]["url"]),
            method: endpoint.method.to_uppercase(),
            path: path(endpoint),
            credential: credential(endpoint.operation),
            body: Some(Example::new(document, endpoint.body())).filter(|it| !it.value.is_null()),
            response: ResponseKind::new(endpoint.operation),
        }
    }

    /// The request as a program in this language.
    pub fn program(&self, language: SampleLanguage) -> String {
        match language {
            SampleLanguage::Curl => self.curl(),
            SampleLanguage::Node => self.node(),
            SampleLanguage::Python => self.python(),
        }
    }

    fn curl(&self) -> String {
        let flag = match self.response {
            ResponseKind::Events => "-N ",
            ResponseKind::Redirect | ResponseKind::Empty => "-i ",
            ResponseKind::Json | ResponseKind::Lines => "",
        };
        let method = match (self.method.as_str(), self.body.is_some()) {
            ("GET", false) | ("POST", true) => String::new(),
            (method, _) => format!("-X {method} "),
        };
        let path = self.path.replace('{', "$").replace('}', "");
        let mut parts = vec![format!("curl {flag}{method}\"{}{path}\"", self.base_url)];
        if let Some(variable) = self.credential {
            parts.push(format!("-H \"Authorization: Bearer ${variable}\""));
        }
        if let Some(body) = self.body {
            let body = literal(body, Notation::Json, 0).replace('\'', r"'\''");
            parts.push("-H \"Content-Type: application/json\"".to_owned());
            parts.push(format!("-d '{body}'"));
        }
        parts.join(" \\\n  ")
    }

    fn node(&self) -> String {
        let url = if self.path.contains('{') {
            let path = self.path.replace('{', "${process.env.");
            format!("`{}{path}`", self.base_url)
        } else {
            format!("\"{}{}\"", self.base_url, self.path)
        };
        let mut options = Vec::new();
        if self.method != "GET" {
            options.push(format!("method: \"{}\",", self.method));
        }
        if self.response == ResponseKind::Redirect {
            options.push("redirect: \"manual\",".to_owned());
        }
        let headers = self
            .headers(|variable| format!("Authorization: `Bearer ${{process.env.{variable}}}`,"));
        if !headers.is_empty() {
            let headers = headers.join("\n    ");
            options.push(format!("headers: {{\n    {headers}\n  }},"));
        }
        if let Some(body) = self.body {
            let body = literal(body, Notation::JavaScript, 1);
            options.push(format!("body: JSON.stringify({body}),"));
        }
        let options = match options.join("\n  ") {
            none if none.is_empty() => none,
            some => format!(", {{\n  {some}\n}}"),
        };
        let refused = "if (!response.ok) throw new Error(await response.text());\n";
        let (refused, output) = match self.response {
            ResponseKind::Json => (refused, "console.log(await response.json());"),
            ResponseKind::Lines => (refused, "console.log(await response.text());"),
            ResponseKind::Events => (
                refused,
                "for await (const chunk of response.body) process.stdout.write(chunk);",
            ),
            ResponseKind::Empty => (refused, "console.log(response.status);"),
            ResponseKind::Redirect => ("", "console.log(response.headers.get(\"location\"));"),
        };
        format!("const response = await fetch({url}{options});\n{refused}{output}")
    }

    fn python(&self) -> String {
        if self.response == ResponseKind::Redirect {
            return self.python_redirect();
        }
        let mut imports = vec!["import urllib.request"];
        if self.path.contains('{') || self.credential.is_some() {
            imports.insert(0, "import os");
        }
        if self.body.is_some() || matches!(self.response, ResponseKind::Json | ResponseKind::Lines)
        {
            imports.insert(0, "import json");
        }
        let url = if self.path.contains('{') {
            let path = self.path.replace('{', "{os.environ['").replace('}', "']}");
            format!("f\"{}{path}\"", self.base_url)
        } else {
            format!("\"{}{}\"", self.base_url, self.path)
        };
        let mut arguments = vec![url];
        if self.method != "GET" {
            arguments.push(format!("method=\"{}\"", self.method));
        }
        let headers = self.headers(|variable| {
            format!("\"Authorization\": f\"Bearer {{os.environ['{variable}']}}\",")
        });
        if !headers.is_empty() {
            let headers = headers.join("\n        ");
            arguments.push(format!("headers={{\n        {headers}\n    }}"));
        }
        if let Some(body) = self.body {
            let body = literal(body, Notation::Python, 1);
            arguments.push(format!("data=json.dumps({body}).encode()"));
        }
        let (imports, arguments) = (imports.join("\n"), arguments.join(",\n    "));
        let output = match self.response {
            ResponseKind::Json => "    print(json.load(response))",
            ResponseKind::Lines => "    for line in response:\n        print(json.loads(line))",
            ResponseKind::Events => {
                "    for line in response:\n        print(line.decode(), end=\"\", flush=True)"
            }
            ResponseKind::Empty | ResponseKind::Redirect => "    print(response.status)",
        };
        format!(
            "{imports}\n\nrequest = urllib.request.Request(\n    {arguments},\n)\n\
             with urllib.request.urlopen(request) as response:\n{output}"
        )
    }

    /// The headers of a request as Node and Python write them, which differ in that of the credential.
    fn headers(&self, authorization: impl Fn(&str) -> String) -> Vec<String> {
        let content_type = "\"Content-Type\": \"application/json\",".to_owned();
        let content_type = self.body.is_some().then_some(content_type);
        self.credential
            .map(authorization)
            .into_iter()
            .chain(content_type)
            .collect()
    }

    /// `urllib.request` would go where the response leads.
    fn python_redirect(&self) -> String {
        let (scheme, host) = self.base_url.split_once("://").unwrap_or_default();
        let (host, folder) = match host.split_once('/') {
            Some((host, folder)) => (host, format!("/{folder}")),
            None => (host, String::new()),
        };
        let secure = if scheme == "https" { "S" } else { "" };
        format!(
            "import http.client\n\nconnection = http.client.HTTP{secure}Connection(\"{host}\")\n\
             connection.request(\"{}\", \"{folder}{}\")\n\
             print(connection.getresponse().getheader(\"Location\"))",
            self.method, self.path
        )
    }
}

impl ResponseKind {
    fn new(operation: &Value) -> Self {
        let responses = &operation["responses"];
        let statuses = ["200", "201", "202", "204", "302"].into_iter();
        let mut successes = statuses.filter(|status| responses[*status].is_object());
        match successes.next() {
            Some("302") => Self::Redirect,
            Some("204") | None => Self::Empty,
            Some(status) => {
                let content = &responses[status]["content"];
                if content["application/x-ndjson"].is_object() {
                    Self::Lines
                } else if content["text/event-stream"].is_object() {
                    Self::Events
                } else {
                    Self::Json
                }
            }
        }
    }
}

/// The path with its variables, and the parameters of the query that have to be there or have an example.
fn path(endpoint: &ApiOperation) -> String {
    let parameters = || items(&endpoint.operation["parameters"]);
    let mut path = endpoint.path.to_owned();
    for parameter in parameters().filter(|it| it["in"] == "path") {
        let name = text(&parameter["name"]);
        path = path.replace(&format!("{{{name}}}"), &format!("{{{}}}", variable(name)));
    }
    let query = parameters().filter(|it| it["in"] == "query" && it["example"].is_string());
    let query: Vec<_> = query
        .map(|it| format!("{}={}", text(&it["name"]), text(&it["example"])))
        .collect();
    if query.is_empty() {
        return path;
    }
    format!("{path}?{}", query.join("&"))
}

/// The variable of the first credential that it takes.
fn credential(operation: &Value) -> Option<&'static str> {
    let schemes = || items(&operation["security"]);
    let takes = |scheme: &str| schemes().any(|it| it[scheme].is_array());
    if takes("apiKey") {
        Some(KEY)
    } else if takes("session") {
        Some(SESSION)
    } else {
        None
    }
}
