/*! Hato 0.1.0 | MIT OR Apache-2.0 */
(() => {
"use strict";
const TEXTS = {
ja: {
name: "プッシュ通知",
unsupported: "このブラウザでは通知を受け取れません",
"needs-install": "ホーム画面に追加すると、通知を受け取れます",
denied: "通知がブロックされています。ブラウザの設定で許可してください",
unsubscribed: "通知を受け取る",
subscribed: "通知はオンです。クリックでオフになります",
failed: "うまくいきませんでした。もう一度お試しください",
},
en: {
name: "Push notifications",
unsupported: "This browser cannot be notified",
"needs-install": "Add this site to your home screen to be notified",
denied: "Notifications are blocked. Allow them in the browser's settings",
unsubscribed: "Get notifications",
subscribed: "Notifications are on. Click to turn them off",
failed: "That did not work. Please try again",
},
};
const STYLE = ":host{--size:var(--hato-bell-size,3.5rem);--ink:var(--hato-bell-color,#fff);--ground:var(--hato-bell-background,#1f4e79);z-index:var(--hato-bell-layer,1000);font:var(--hato-bell-font,.9rem/1.5 system-ui, sans-serif);display:inline-block;position:fixed;inset-block-end:var(--hato-bell-inset,1.5rem);inset-inline-end:var(--hato-bell-inset,1.5rem)}:host(:not([data-state])){visibility:hidden}button{box-sizing:border-box;inline-size:var(--size);block-size:var(--size);border:2px solid var(--ground);border-radius:var(--hato-bell-radius,50%);background:var(--ground);min-block-size:2.75rem;min-inline-size:2.75rem;color:var(--ink);cursor:pointer;padding:22%;box-shadow:0 1px 6px #0006}button[aria-pressed=true]{background:var(--ink);color:var(--ground)}button[aria-disabled=true]{cursor:help}button[aria-busy]{opacity:.6;cursor:progress}button:focus-visible{outline:3px solid var(--hato-bell-focus,var(--ground));outline-offset:3px}svg{fill:none;stroke:currentColor;stroke-width:2px;stroke-linecap:round;stroke-linejoin:round;inline-size:100%;display:block;overflow:visible}[aria-pressed=true] .bell{fill:currentColor}[aria-pressed=false] .rings,[aria-disabled=false] .slash{display:none}span{background:var(--hato-bell-note-background,#1b1b1b);inline-size:max-content;max-inline-size:min(18rem,80vw);color:var(--hato-bell-note-color,#fff);visibility:hidden;border-radius:.5em;padding:.5em .9em;position:absolute;inset-block-end:calc(100% + .6rem);inset-inline-end:0}span:after{content:\"\";block-size:.6rem;position:absolute;inset-block-start:100%;inset-inline:0}:host(:hover:not([hushed])) span,:host(:focus-within:not([hushed])) span{visibility:visible}@media (forced-colors:active){button[aria-pressed=true]{border-color:highlight}span{border:1px solid}}";
const PICTURE = {
bell: "M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15z",
clapper: "M10 21h4",
rings: "M2.5 9A9 9 0 0 1 6 3M21.5 9A9 9 0 0 0 18 3",
slash: "M4 3l16 18",
};
function make(name, attributes, ...children) {
const element = /^(svg|path)$/.test(name)
? document.createElementNS("http://www.w3.org/2000/svg", name)
: document.createElement(name);
for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
element.append(...children);
return element;
}
function dress(root) {
try {
const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLE);
root.adoptedStyleSheets = [sheet];
} catch {
root.append(make("style", {}, STYLE));
}
}
class HatoBell extends HTMLElement {
#note = make("span", { id: "note" });
#button;
#stop;
#texts;
#hush = ({ key }) => {
if (key === "Escape" && this.matches(":hover, :focus-within")) this.setAttribute("hushed", "");
};
constructor() {
super();
const paths = Object.entries(PICTURE).map(([name, d]) => make("path", { class: name, d }));
const picture = make("svg", { viewBox: "0 0 24 24", "aria-hidden": true }, ...paths);
this.#button = make("button", { type: "button", "aria-describedby": "note" }, picture);
const root = this.attachShadow({ mode: "open" });
root.append(this.#button, this.#note);
dress(root);
this.#button.onclick = () => this.#act();
this.#button.onblur = this.onmouseleave = () => {
this.removeAttribute("hushed");
};
}
connectedCallback() {
const language = this.closest("[lang]")?.lang || navigator.language;
this.#texts = TEXTS[/^ja\b/i.test(language) ? "ja" : "en"];
this.#aria("label", this.#texts.name);
this.#stop = hato.onChange((state) => this.#show(state));
document.addEventListener("keydown", this.#hush);
}
disconnectedCallback() {
document.removeEventListener("keydown", this.#hush);
this.#stop?.();
}
#aria(name, value) {
this.#button.setAttribute(`aria-${name}`, value);
}
#show(state, note = this.#texts[state]) {
this.dataset.state = state;
this.#note.textContent = note;
this.#aria("pressed", state === "subscribed");
this.#aria("disabled", !state.endsWith("subscribed"));
}
async #act() {
if (this.#button.hasAttribute("aria-busy")) return;
this.#note.setAttribute("role", "status");
this.removeAttribute("hushed");
const before = this.dataset.state;
this.#aria("busy", true);
const error = await this.#toggle(before).catch(({ code }) => code);
const state = await hato.state().catch(() => before);
const hasFailed = error && error !== "PERMISSION_DENIED" && state === before;
this.#show(state, hasFailed ? this.#texts.failed : undefined);
this.#button.removeAttribute("aria-busy");
}
async #toggle(state) {
if (state === "subscribed") await hato.unsubscribe();
if (state === "unsubscribed") await hato.subscribe();
}
}
if (!customElements.get("hato-bell")) customElements.define("hato-bell", HatoBell);
})();
