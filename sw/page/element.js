// What Hato's elements have in common. `cargo xtask site` puts it before each of them, with its style.
const STYLE = "@style";

// Not from HTML text: a site may forbid that.
function make(name, attributes, ...children) {
  const element = /^(svg|path)$/.test(name)
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// A sheet made by script needs no 'unsafe-inline' in the site's Content-Security-Policy, but
// Safari has them from 16.4 on only.
function adoptStyle(root) {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
  } catch {
    root.append(make("style", {}, STYLE));
  }
}

const languageOf = (element) =>
  /^ja\b/i.test(element.closest("[lang]")?.lang || navigator.language) ? "ja" : "en";
