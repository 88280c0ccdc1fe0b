//! One endpoint of the document, from what its noun's file says of it.

use hato_domain::ErrorCode;
use http::Method;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, PathItem};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::schema::{ArrayBuilder, Ref, Schema};
use utoipa::openapi::{RefOr, Required, Response};

use super::endpoint_auth::EndpointAuth;
use super::parameter;
use super::response;

/// An endpoint as its noun's file describes it.
#[derive(Clone)]
pub struct OperationSpec {
    method: Method,
    path: &'static str,
    id: &'static str,
    tag: &'static str,
    summary: &'static str,
    summary_ja: &'static str,
    about: Option<&'static str>,
    auth: EndpointAuth,
    parameters: Vec<Parameter>,
    body: Option<RequestBody>,
    responses: Vec<(u16, Response)>,
    errors: Vec<ErrorCode>,
    /// The wire types that it refers to.
    pub schemas: Vec<(String, RefOr<Schema>)>,
}

impl OperationSpec {
    /// `method path`, named `id` in generated clients, under the heading `tag`.
    pub fn new(method: Method, path: &'static str, id: &'static str, tag: &'static str) -> Self {
        Self {
            method,
            path,
            id,
            tag,
            summary: "",
            summary_ja: "",
            about: None,
            auth: EndpointAuth::Anybody,
            parameters: parameter::in_path(path),
            body: None,
            responses: Vec::new(),
            errors: Vec::new(),
            schemas: Vec::new(),
        }
    }

    /// Sets what it does, in English and Japanese.
    pub fn summary(mut self, summary: &'static str, summary_ja: &'static str) -> Self {
        (self.summary, self.summary_ja) = (summary, summary_ja);
        self
    }

    /// Adds what people should know besides.
    pub fn about(mut self, about: &'static str) -> Self {
        self.about = Some(about);
        self
    }

    /// Sets who may use it; anybody unless it is set.
    pub fn auth(mut self, auth: EndpointAuth) -> Self {
        self.auth = auth;
        self
    }

    /// Adds parameters to those in the path, which are there already.
    pub fn parameters(mut self, parameters: Vec<Parameter>) -> Self {
        self.parameters.extend(parameters);
        self
    }

    /// Sets the JSON body that it takes, a `T`.
    pub fn body<T: ToSchema>(mut self, example: Value) -> Self {
        let content = ContentBuilder::new()
            .schema(Some(self.schema_ref::<T>()))
            .example(Some(example));
        let body = RequestBodyBuilder::new()
            .required(Some(Required::True))
            .content("application/json", content.build());
        self.body = Some(body.build());
        self
    }

    /// Adds the success `status` with a JSON body, a `T`.
    pub fn response<T: ToSchema>(mut self, status: u16, about: &str, example: Value) -> Self {
        let schema = self.schema_ref::<T>();
        let response = response::success(about, schema, example);
        self.responses.push((status, response));
        self
    }

    /// Adds the success 200 with a bare array of `T`.
    pub fn list_response<T: ToSchema>(mut self, about: &str, example: Value) -> Self {
        let items = self.schema_ref::<T>();
        let schema = ArrayBuilder::new().items(items);
        let schema = RefOr::T(schema.into());
        self.responses
            .push((200, response::success(about, schema, example)));
        self
    }

    /// Says that its answers may be those of earlier, equal requests (CONTRACT 6).
    pub fn replayable(mut self) -> Self {
        let responses = self.responses.into_iter();
        self.responses = responses
            .map(|(status, response)| (status, response::replayable(response)))
            .collect();
        self
    }

    /// Adds the success 302, which leads a browser elsewhere.
    pub fn redirect(mut self, about: &str) -> Self {
        self.responses.push((302, response::redirect(about)));
        self
    }

    /// Adds refusals besides those that follow from who may use it and whether it takes a body.
    pub fn errors(mut self, codes: impl IntoIterator<Item = ErrorCode>) -> Self {
        self.errors.extend(codes);
        self
    }

    /// Its path, and itself as the document shows it.
    pub fn into_item(self) -> (&'static str, PathItem) {
        let codes = self.codes();
        let mut operation = OperationBuilder::new()
            .operation_id(Some(self.id))
            .tag(self.tag)
            .summary(Some(self.summary))
            .description(Some(self.description()))
            .parameters(Some(self.parameters))
            .request_body(self.body)
            .securities(Some(self.auth.requirements()))
            .extensions(Some(
                ExtensionsBuilder::new()
                    .add("x-summary-ja", self.summary_ja)
                    .build(),
            ));
        for (status, response) in self.responses {
            operation = operation.response(status.to_string(), response);
        }
        for (status, response) in response::errors(&codes) {
            operation = operation.response(status, response);
        }
        (
            self.path,
            PathItem::new(http_method(&self.method), operation),
        )
    }

    fn description(&self) -> String {
        let credential = format!("Credential: {}.", self.auth.text());
        match self.about {
            Some(about) => format!("{about} {credential}"),
            None => credential,
        }
    }

    /// Everything that it may be refused with.
    fn codes(&self) -> Vec<ErrorCode> {
        let mut codes = self.auth.errors(&self.method, self.path);
        if self.body.is_some() {
            codes.extend([ErrorCode::InvalidInput, ErrorCode::PayloadTooLarge]);
        }
        codes.extend(&self.errors);
        codes.push(ErrorCode::InternalError);
        codes
    }

    /// A reference to a wire type, which joins the components.
    fn schema_ref<T: ToSchema>(&mut self) -> RefOr<Schema> {
        self.schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(&mut self.schemas);
        RefOr::Ref(Ref::from_schema_name(T::name()))
    }
}

fn http_method(method: &Method) -> HttpMethod {
    match method.as_str() {
        "POST" => HttpMethod::Post,
        "PATCH" => HttpMethod::Patch,
        "DELETE" => HttpMethod::Delete,
        _ => HttpMethod::Get,
    }
}
