//! A route table that can be read: what is registered is also listed, so that whatever must hold for every endpoint can be
//! held against all of them.

use axum::Router;
use axum::handler::Handler;
use axum::routing::{MethodFilter, on};
use http::Method;

use crate::state::AppState;

/// An endpoint of the route table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Route {
    /// Its method; GET answers HEAD as well.
    pub method: Method,
    /// Its whole path with parameters in braces, for example `/api/v1/apps/{appId}`.
    pub path: String,
}

/// Endpoints below a common prefix, one a line.
pub struct Routes {
    prefix: &'static str,
    router: Router<AppState>,
    listed: Vec<Route>,
}

impl Routes {
    /// None yet; their paths will be relative to `prefix`.
    pub fn under(prefix: &'static str) -> Self {
        Self {
            prefix,
            router: Router::new(),
            listed: Vec::new(),
        }
    }

    /// Adds `GET path`, which answers HEAD as well.
    pub fn get<T: 'static>(self, path: &str, handler: impl Handler<T, AppState>) -> Self {
        self.add(Method::GET, MethodFilter::GET, path, handler)
    }

    /// Adds the endpoint `POST path`; other methods of the path are added on their own.
    pub fn post<T: 'static>(self, path: &str, handler: impl Handler<T, AppState>) -> Self {
        self.add(Method::POST, MethodFilter::POST, path, handler)
    }

    /// Adds the endpoint `PATCH path`.
    pub fn patch<T: 'static>(self, path: &str, handler: impl Handler<T, AppState>) -> Self {
        self.add(Method::PATCH, MethodFilter::PATCH, path, handler)
    }

    /// Adds the endpoint `DELETE path`.
    pub fn delete<T: 'static>(self, path: &str, handler: impl Handler<T, AppState>) -> Self {
        self.add(Method::DELETE, MethodFilter::DELETE, path, handler)
    }

    /// What answers them, to be nested at the prefix.
    pub fn into_router(self) -> Router<AppState> {
        self.router
    }

    /// All of them, in the order of registration.
    pub fn into_list(self) -> Vec<Route> {
        self.listed
    }

    fn add<T: 'static>(
        mut self,
        method: Method,
        filter: MethodFilter,
        path: &str,
        handler: impl Handler<T, AppState>,
    ) -> Self {
        self.router = self.router.route(path, on(filter, handler));
        let path = format!("{}{path}", self.prefix);
        self.listed.push(Route { method, path });
        self
    }
}
