//! The pages that are found by their names.

use hato_service::access::AccountPrincipal;
use hato_service::ports::AppRecord;

use super::{SearchRequest, SearchResult};
use crate::i18n::Texts;
use crate::language::Lang;
use crate::pages::app::{Section, app_path};
use crate::pages::guides::Guide;

/// The page of the name in a language.
type PageName = fn(&Texts) -> &'static str;

/// Pages that are always there.
const PAGES: [(PageName, &str); 5] = [
    (|texts| texts.site.apps, "/apps"),
    (|texts| texts.site.account, "/account"),
    (|texts| texts.guides.title, "/docs"),
    (|texts| texts.guides.reference, "/docs/api"),
    (|texts| texts.site.pricing, "/pricing"),
];

/// The page of who runs the server.
const OPERATOR_PAGE: (PageName, &str) = (|texts| texts.operator.title, "/operator");

/// Pages of an app below its sections, and their paths below the app's.
const APP_PAGES: [(PageName, &str); 3] = [
    (|texts| texts.app.vapid_keys.title, "/keys/vapid"),
    (|texts| texts.app.keys.events, "/keys/history"),
    (|texts| texts.app.import.title, "/subscribers/import"),
];

impl SearchRequest {
    /// The pages of the app, those that are always there, and the operator's. A name counts in either language.
    pub(super) fn pages(
        &self,
        owner: &AccountPrincipal,
        app: Option<&AppRecord>,
    ) -> Vec<SearchResult> {
        let mut found = app.map(|app| self.app_pages(app)).unwrap_or_default();
        let operated = owner.is_operator().then_some(OPERATOR_PAGE);
        let always = PAGES.into_iter().chain(operated);
        found.extend(
            always.filter_map(|(name, path)| self.page(name, String::new(), path.to_owned())),
        );
        found.extend(self.guides());
        found
    }

    fn app_pages(&self, app: &AppRecord) -> Vec<SearchResult> {
        let path = |below: &str| format!("{}{below}", app_path(app));
        let about = || app.name.clone();
        let sections = Section::ALL.into_iter().filter_map(|section| {
            let name = |texts: &Texts| section.name(&texts.app);
            self.page(name, about(), path(section.below()))
        });
        let below = APP_PAGES.into_iter();
        let below = below.filter_map(|(name, below)| self.page(name, about(), path(below)));
        sections.chain(below).collect()
    }

    /// The page, if the text is a part of its name.
    fn page(
        &self,
        name: impl Fn(&Texts) -> &'static str,
        about: String,
        path: String,
    ) -> Option<SearchResult> {
        let mut names = Lang::ALL.map(Texts::for_language).into_iter().map(&name);
        let fits = names.any(|name| self.fits(name));
        fits.then(|| SearchResult {
            kind: self.ctx.texts().search.page,
            name: name(self.ctx.texts()).to_owned(),
            about,
            app: None,
            path,
        })
    }

    fn guides(&self) -> impl Iterator<Item = SearchResult> {
        let texts = self.ctx.texts();
        let guides = Guide::all().filter(|(title, _)| !self.text.is_empty() && self.fits(title));
        guides.map(|(title, path)| SearchResult {
            kind: texts.search.page,
            name: title.to_owned(),
            about: texts.guides.title.to_owned(),
            app: None,
            path,
        })
    }
}
