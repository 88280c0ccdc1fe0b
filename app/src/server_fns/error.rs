//! The error of a server function: a code of the error table, also across the wire.

use hato_domain::ErrorCode;
use leptos::server_fn::codec::JsonEncoding;
use leptos::server_fn::error::{FromServerFnError, ServerFnErrorErr};
use serde::{Deserialize, Serialize};

/// Why a server function refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct ServerFunctionError(pub ErrorCode);

impl From<ServerFunctionError> for String {
    fn from(error: ServerFunctionError) -> Self {
        error.0.as_str().to_owned()
    }
}

impl TryFrom<String> for ServerFunctionError {
    type Error = &'static str;

    fn try_from(code: String) -> Result<Self, Self::Error> {
        ErrorCode::parse(&code)
            .map(Self)
            .ok_or("no code of the error table")
    }
}

impl FromServerFnError for ServerFunctionError {
    type Encoder = JsonEncoding;

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        Self(match error {
            ServerFnErrorErr::Args(_) | ServerFnErrorErr::MissingArg(_) => ErrorCode::InvalidInput,
            // On the server it is the form that cannot be read, in a browser the response.
            ServerFnErrorErr::Deserialization(_) if cfg!(feature = "ssr") => {
                ErrorCode::InvalidInput
            }
            _ => ErrorCode::InternalError,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::ServerFunctionError;
    use hato_domain::ErrorCode;
    use leptos::server_fn::error::FromServerFnError;

    #[test]
    fn a_code_survives_the_wire() {
        for code in ErrorCode::ALL {
            let error = ServerFunctionError(code);
            assert_eq!(ServerFunctionError::de(error.ser()), error);
        }
    }
}
