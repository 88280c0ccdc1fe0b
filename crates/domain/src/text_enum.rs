//! Enums whose values stand as texts in the API and in the database.

/// Declares an enum with a text for each variant, so that both directions come from one list.
///
/// `ALL` holds the values in the order of their declaration, `as_str` writes a value's text and `parse` reads it: as an
/// `Option`, or as a `Result` with the code that stands after `or` for any other text.
///
/// ```
/// hato_domain::text_enum!(
///     /// A colour of a pigeon.
///     Colour {
///         /// As most are.
///         Grey = "grey",
///         /// As few are.
///         White = "white",
///     }
/// );
///
/// assert_eq!(Colour::parse("white"), Some(Colour::White));
/// assert_eq!(Colour::Grey.as_str(), "grey");
/// assert_eq!(Colour::ALL.len(), 2);
/// ```
#[macro_export]
macro_rules! text_enum {
    ($(#[$meta:meta])* $name:ident $(or $code:path)? {
        $($(#[$variant_meta:meta])* $variant:ident = $text:literal,)+
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $name {
            /// Every value, in the order of their declaration.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            /// The text that stands for the value in the API and in the database.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }

            $crate::text_enum!(@parse $($code)?);
        }
    };
    (@parse $code:path) => {
        /// The value that `text` stands for; any other text is refused.
        pub fn parse(text: &str) -> Result<Self, $crate::ErrorCode> {
            Self::ALL.into_iter().find(|it| it.as_str() == text).ok_or($code)
        }
    };
    (@parse) => {
        /// The value that `text` stands for; `None` for any other text.
        pub fn parse(text: &str) -> Option<Self> {
            Self::ALL.into_iter().find(|it| it.as_str() == text)
        }
    };
}
