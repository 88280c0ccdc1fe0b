//! One endpoint of the document, from what its group's file says of it.

use hato_domain::ErrorCode;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, PathItem};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::{ArrayBuilder, Ref, Schema};
use utoipa::openapi::{RefOr, Required, Response};

use super::endpoint_auth::EndpointAuth;
use super::parameter;
use super::response;

/// An endpoint as its group's file describes it.
pub struct OperationSpec {
    /// What generated clients call it.
    pub id: &'static str,
    method: HttpMethod,
    path: &'static str,
    about: Option<&'static str>,
    auth: EndpointAuth,
    errors: Vec<ErrorCode>,
    /// Whether it refuses nothing at all.
    takes_everything: bool,
    operation: OperationBuilder,
    /// The wire types that it refers to.
    pub schemas: Vec<(String, RefOr<Schema>)>,
}

/// `GET path`, named `id` in generated clients.
pub fn get(path: &'static str, id: &'static str) -> OperationSpec {
    OperationSpec::new(HttpMethod::Get, path, id)
}

/// `POST path`, named `id` in generated clients.
pub fn post(path: &'static str, id: &'static str) -> OperationSpec {
    OperationSpec::new(HttpMethod::Post, path, id)
}

/// `PATCH path`, named `id` in generated clients.
pub fn patch(path: &'static str, id: &'static str) -> OperationSpec {
    OperationSpec::new(HttpMethod::Patch, path, id)
}

/// `DELETE path`, named `id` in generated clients.
pub fn delete(path: &'static str, id: &'static str) -> OperationSpec {
    OperationSpec::new(HttpMethod::Delete, path, id)
}

impl OperationSpec {
    fn new(method: HttpMethod, path: &'static str, id: &'static str) -> Self {
        Self {
            id,
            method,
            path,
            about: None,
            auth: EndpointAuth::SessionOrFullKey,
            errors: Vec::new(),
            takes_everything: false,
            operation: OperationBuilder::new()
                .operation_id(Some(id))
                .parameters(Some(parameter::in_path(path))),
            schemas: Vec::new(),
        }
    }

    /// Sets what it does, in English and Japanese.
    pub fn summary(mut self, english: &str, japanese: &str) -> Self {
        let japanese = ExtensionsBuilder::new().add("x-summary-ja", japanese);
        let operation = self.operation.summary(Some(english));
        self.operation = operation.extensions(Some(japanese.build()));
        self
    }

    /// Adds what people should know besides.
    pub fn about(mut self, about: &'static str) -> Self {
        self.about = Some(about);
        self
    }

    /// Sets who may use it; without this a session, or a full key.
    pub fn auth(mut self, auth: EndpointAuth) -> Self {
        self.auth = auth;
        self
    }

    /// Adds parameters to those in the path, which are there already.
    pub fn parameters(mut self, parameters: impl IntoIterator<Item = Parameter>) -> Self {
        self.operation = self.operation.parameters(Some(parameters));
        self
    }

    /// Sets the JSON body that it takes, a `T`, with what a body may be refused with.
    pub fn body<T: ToSchema>(self, example: Value) -> Self {
        self.request_body::<T>(Required::True, example)
    }

    /// Sets a JSON body that may be left out.
    pub fn optional_body<T: ToSchema>(self, example: Value) -> Self {
        self.request_body::<T>(Required::False, example)
    }

    fn request_body<T: ToSchema>(mut self, required: Required, example: Value) -> Self {
        let content = ContentBuilder::new()
            .schema(Some(self.schema_ref::<T>()))
            .example(Some(example));
        let body = RequestBodyBuilder::new()
            .required(Some(required))
            .content("application/json", content.build());
        self.operation = self.operation.request_body(Some(body.build()));
        self.errors([ErrorCode::InvalidInput, ErrorCode::PayloadTooLarge])
    }

    /// Adds the success `status` with a JSON body, a `T`.
    pub fn response<T: ToSchema>(mut self, status: u16, about: &str, example: Value) -> Self {
        let schema = self.schema_ref::<T>();
        self.success(status, response::success(about, schema, example))
    }

    /// Adds the success 200 with a bare array of `T`.
    pub fn list_response<T: ToSchema>(mut self, about: &str, example: Value) -> Self {
        let list = ArrayBuilder::new().items(self.schema_ref::<T>());
        self.success(200, response::success(about, list.into(), example))
    }

    /// Adds the success 200 with a `T` on each line.
    pub fn lines_response<T: ToSchema>(mut self, about: &str, example: Value) -> Self {
        let schema = self.schema_ref::<T>();
        self.success(200, response::lines(about, schema, example))
    }

    /// Adds the success 200 with events that follow, of which there are examples.
    pub fn events_response(self, about: &str, examples: Vec<(&str, Value)>) -> Self {
        self.success(200, response::events(about, examples))
    }

    /// Adds the success 202, which may be that of an earlier, equal request (CONTRACT 6).
    pub fn replayable_response<T: ToSchema>(mut self, about: &str, example: Value) -> Self {
        let schema = self.schema_ref::<T>();
        let success = response::success(about, schema, example);
        self.success(202, response::replayable(success))
    }

    /// Sets that every request is a success, 204 without a body.
    pub fn taken(mut self, about: &str) -> Self {
        self.takes_everything = true;
        self.success(204, response::empty(about))
    }

    /// Adds the success 302, which leads a browser elsewhere.
    pub fn redirect(self, about: &str) -> Self {
        self.success(302, response::redirect(about))
    }

    /// Adds refusals besides those that follow from who may use it and whether it takes a body.
    pub fn errors(mut self, codes: impl IntoIterator<Item = ErrorCode>) -> Self {
        self.errors.extend(codes);
        self
    }

    /// Its path, and itself as the document shows it below `tag`.
    pub fn into_item(self, tag: &str) -> (&'static str, PathItem) {
        let (description, codes) = (self.description(), self.codes());
        let operation = self
            .operation
            .tag(tag)
            .description(Some(description))
            .securities(Some(self.auth.requirements()));
        let errors = response::errors(&codes).into_iter();
        let operation = errors.fold(operation, |operation, (status, response)| {
            operation.response(status, response)
        });
        (self.path, PathItem::new(self.method, operation))
    }

    fn success(mut self, status: u16, response: Response) -> Self {
        self.operation = self.operation.response(status.to_string(), response);
        self
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
        if self.takes_everything {
            return Vec::new();
        }
        let mut codes = self.auth.errors(&self.method, self.path);
        codes.extend(&self.errors);
        codes.extend([ErrorCode::InternalError, ErrorCode::Overloaded]);
        codes
    }

    /// A reference to a wire type, which joins the components.
    fn schema_ref<T: ToSchema>(&mut self) -> RefOr<Schema> {
        self.schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(&mut self.schemas);
        RefOr::Ref(Ref::from_schema_name(T::name()))
    }
}
