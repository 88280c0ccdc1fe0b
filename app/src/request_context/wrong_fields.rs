//! The fields of a form that are wrong, on their way to the form that is shown in answer to its own POST.

use super::RequestContext;

/// The fields of a form that are wrong.
pub(super) struct WrongFields {
    form: &'static str,
    fields: Vec<WrongField>,
}

/// A field of the form that was refused, to be marked where it is shown.
#[derive(Clone, Copy)]
pub struct WrongField {
    pub name: &'static str,
    /// What is to be said of it, where its kind does not say it.
    pub text: Option<&'static str>,
}

impl RequestContext {
    /// Marks fields of the form `form`, which is shown in answer to its own POST.
    pub fn mark_wrong_fields(&self, form: &'static str, fields: Vec<WrongField>) {
        let _ = self.wrong_fields.set(WrongFields { form, fields });
    }

    /// The field if it is marked.
    pub fn wrong_field(&self, form: &str, name: &str) -> Option<WrongField> {
        let marked = self.wrong_fields.get().filter(|it| it.form == form)?;
        let mut fields = marked.fields.iter();
        fields.find(|field| field.name == name).copied()
    }
}
