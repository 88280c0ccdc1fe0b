//! What must hold for any bytes whatever: the target of `make fuzz` in this crate. It panics when it does not.

pub use crate::pictures::picture;

#[cfg(test)]
mod tests {
    #[test]
    fn pictures() {
        hato_corpus::replay("picture", super::picture);
    }
}
