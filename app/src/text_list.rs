//! Structs of texts that go to an island as a list.

/// A struct of strings and of a list, the `rest`. It goes to its island as one list, in the order of its fields: by the
/// names of the fields each such struct would have a decoder of its own, of 2 to 4 KB, in what every page with an island loads.
macro_rules! text_list {
    (
        $(#[$about:meta])*
        $name:ident {
            $($(#[$field_about:meta])* $field:ident,)+
        }
        $(rest { $(#[$rest_about:meta])* $rest:ident })?
    ) => {
        $(#[$about])*
        #[derive(Clone, serde::Serialize, serde::Deserialize)]
        #[serde(from = "Vec<String>", into = "Vec<String>")]
        pub struct $name {
            $($(#[$field_about])* pub $field: String,)+
            $($(#[$rest_about])* pub $rest: Vec<String>,)?
        }

        impl From<Vec<String>> for $name {
            fn from(texts: Vec<String>) -> Self {
                let mut texts = texts.into_iter();
                Self {
                    $($field: texts.next().unwrap_or_default(),)+
                    $($rest: texts.collect(),)?
                }
            }
        }

        impl From<$name> for Vec<String> {
            fn from(texts: $name) -> Self {
                let named = [$(texts.$field),+].into_iter();
                named$(.chain(texts.$rest))?.collect()
            }
        }
    };
}

pub(crate) use text_list;
