//! A guide in Markdown as HTML, its blocks of code apart. HTML in the Markdown is text.

use std::collections::HashMap;

use pulldown_cmark::html::push_html;
use pulldown_cmark::{Alignment, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// A guide as it is shown.
pub struct RenderedGuide {
    /// Its first heading, which is not among the parts.
    pub title: String,
    pub parts: Vec<RenderedPart>,
}

/// A piece of a guide. The HTML of one piece may open elements that a later one closes.
#[derive(Debug, PartialEq, Eq)]
pub enum RenderedPart {
    Html(String),
    Code(String),
}

/// What a guide is called in its address: `embed` for `EMBED.md`.
pub fn name(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.trim_end_matches(".md").to_lowercase()
}

/// Where a link of the guide at `path` leads on the site: to another guide, to the reference of the API or to the web. What the
/// site does not show has no address.
pub fn target(guides: &[&str], path: &str, link: &str) -> Option<String> {
    if link.starts_with('#')
        || ["https://", "http://"]
            .iter()
            .any(|it| link.starts_with(it))
    {
        return Some(link.to_owned());
    }
    let (file, place) = link.split_once('#').unwrap_or((link, ""));
    let file = match file.strip_prefix("../") {
        Some(above) if path.contains('/') => above.to_owned(),
        Some(_) => return None,
        None => {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("{folder}/{file}")
                .trim_start_matches('/')
                .to_owned()
        }
    };
    if file == "API.md" {
        return Some("/docs/api".to_owned());
    }
    let place = if place.is_empty() {
        String::new()
    } else {
        format!("#{place}")
    };
    let is_guide = guides.contains(&file.as_str());
    is_guide.then(|| format!("/docs/{}{place}", name(&file)))
}

/// Renders a guide. `target` says where a link leads; one that leads nowhere is only its text.
pub fn render(markdown: &str, target: impl Fn(&str) -> Option<String>) -> RenderedGuide {
    let events: Vec<_> = Parser::new_ext(markdown, Options::ENABLE_TABLES).collect();
    let mut renderer = Renderer {
        target,
        title: String::new(),
        parts: Vec::new(),
        pending: Vec::new(),
        ids: HashMap::new(),
        is_link: false,
    };
    let mut rest = events.as_slice();
    while let [event, after @ ..] = rest {
        rest = match event {
            Event::Start(Tag::Heading { level, .. }) => renderer.heading(*level, after),
            Event::Start(Tag::CodeBlock(_)) => renderer.code(after),
            _ => {
                renderer.other(event);
                after
            }
        };
    }
    renderer.flush();
    RenderedGuide {
        title: renderer.title,
        parts: renderer.parts,
    }
}

struct Renderer<'m, Target> {
    target: Target,
    title: String,
    parts: Vec<RenderedPart>,
    /// What the next part is made of.
    pending: Vec<Event<'m>>,
    /// How often each id was asked for.
    ids: HashMap<String, usize>,
    /// Whether the link that is open leads somewhere.
    is_link: bool,
}

impl<'m, Target: Fn(&str) -> Option<String>> Renderer<'m, Target> {
    /// Takes a heading, which has an id by its text; the rest.
    fn heading<'e>(&mut self, level: HeadingLevel, events: &'e [Event<'m>]) -> &'e [Event<'m>] {
        let (text, content, rest) = until_end(events, TagEnd::Heading(level));
        if level == HeadingLevel::H1 {
            self.title = text;
            return rest;
        }
        let id = self.id(&text);
        self.pending.push(Event::Start(Tag::Heading {
            level,
            id: Some(id.into()),
            classes: Vec::new(),
            attrs: Vec::new(),
        }));
        for event in content {
            self.other(event);
        }
        self.pending.push(Event::End(TagEnd::Heading(level)));
        rest
    }

    /// Takes a block of code; the rest.
    fn code<'e>(&mut self, events: &'e [Event<'m>]) -> &'e [Event<'m>] {
        let (text, _, rest) = until_end(events, TagEnd::CodeBlock);
        self.flush();
        self.parts
            .push(RenderedPart::Code(text.trim_end().to_owned()));
        rest
    }

    fn other(&mut self, event: &Event<'m>) {
        let event = match event {
            Event::Html(html) | Event::InlineHtml(html) => Event::Text(html.clone()),
            Event::Start(Tag::Link { dest_url, .. }) => {
                let target = (self.target)(dest_url);
                self.is_link = target.is_some();
                let Some(target) = target else { return };
                link(target)
            }
            Event::End(TagEnd::Link) if !self.is_link => return,
            // The text that stands for it stays.
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => return,
            Event::Start(Tag::Table(columns)) => {
                let scrolled = "<div class=\"scrolled\" tabindex=\"0\">\n";
                self.pending.push(Event::Html(scrolled.into()));
                // Alignments would be inline styles, which no page may have.
                Event::Start(Tag::Table(vec![Alignment::None; columns.len()]))
            }
            Event::End(TagEnd::Table) => {
                self.pending.push(event.clone());
                Event::Html("</div>\n".into())
            }
            _ => event.clone(),
        };
        self.pending.push(event);
    }

    /// The id of a heading, made as GitHub makes it, so that the same links lead there.
    fn id(&mut self, heading: &str) -> String {
        let id: String = heading
            .to_lowercase()
            .chars()
            .map(|it| if it == ' ' { '-' } else { it })
            .filter(|it| it.is_alphanumeric() || matches!(it, '-' | '_'))
            .collect();
        let times = self.ids.entry(id.clone()).or_default();
        *times += 1;
        match *times {
            1 => id,
            times => format!("{id}-{}", times - 1),
        }
    }

    fn flush(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let mut html = String::new();
        push_html(&mut html, self.pending.drain(..));
        // What says nothing is no header (WCAG 1.3.1).
        let html = html.replace("<th></th>", "<td></td>");
        self.parts.push(RenderedPart::Html(html));
    }
}

fn link<'m>(target: String) -> Event<'m> {
    Event::Start(Tag::Link {
        link_type: pulldown_cmark::LinkType::Inline,
        dest_url: CowStr::from(target),
        title: "".into(),
        id: "".into(),
    })
}

/// The text of the events up to this end, those events, and the rest after it.
fn until_end<'e, 'm>(
    events: &'e [Event<'m>],
    end: TagEnd,
) -> (String, &'e [Event<'m>], &'e [Event<'m>]) {
    let at = events.iter().position(|it| *it == Event::End(end));
    let (content, rest) = events.split_at(at.unwrap_or(events.len()));
    let text = content.iter().filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(&**text),
        _ => None,
    });
    (text.collect(), content, rest.get(1..).unwrap_or_default())
}
