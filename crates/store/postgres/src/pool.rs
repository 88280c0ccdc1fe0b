//! The pool's connections: how they are made, looked at, and given back.

mod connector;
mod pooled_connection;

pub(crate) use self::connector::Connector;
pub(crate) use self::pooled_connection::PooledConnection;
