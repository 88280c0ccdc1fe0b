// <hato-bell>: a button that shows whether this visitor is notified and changes it when clicked.
// It goes by `globalThis.hato` and never asks anything by itself.
const TEXTS = {
  ja: {
    name: "プッシュ通知",
    unsupported: "このブラウザでは通知を受け取れません",
    "needs-install": "ホーム画面に追加すると、通知を受け取れます",
    denied: "通知がブロックされています。ブラウザの設定で許可してください",
    unsubscribed: "通知を受け取る",
    subscribed: "通知はオンです。クリックでオフになります",
    unreachable:
      "プッシュサービスにつながりません。ネットワークに止められているか、プライベートウィンドウかもしれません",
    failed: "うまくいきませんでした。もう一度お試しください",
  },
  en: {
    name: "Push notifications",
    unsupported: "This browser cannot be notified",
    "needs-install": "Add this site to your home screen to be notified",
    denied: "Notifications are blocked. Allow them in the browser's settings",
    unsubscribed: "Get notifications",
    subscribed: "Notifications are on. Click to turn them off",
    unreachable: "The push service cannot be reached. The network may block it, or this is a private window",
    failed: "That did not work. Please try again",
  },
};

const PICTURE = {
  bell: "M6 17V11a6 6 0 0 1 12 0v6l1.5 1.5h-15z",
  clapper: "M10 21h4",
  rings: "M2.5 9A9 9 0 0 1 6 3M21.5 9A9 9 0 0 0 18 3",
  slash: "M4 3l16 18",
};

class HatoBell extends HTMLElement {
  #note = make("span", { id: "note" });
  #button;
  #stop;
  #texts;
  // What covers the page must be dismissible, wherever the focus is (WCAG 1.4.13).
  #dismiss = ({ key }) => {
    if (key === "Escape" && this.matches(":hover, :focus-within")) this.setAttribute("dismissed", "");
  };

  constructor() {
    super();
    const paths = Object.entries(PICTURE).map(([name, d]) => make("path", { class: name, d }));
    const picture = make("svg", { viewBox: "0 0 24 24", "aria-hidden": true }, ...paths);
    this.#button = make("button", { type: "button", "aria-describedby": "note" }, picture);
    const root = this.attachShadow({ mode: "open" });
    root.append(this.#button, this.#note);
    adoptStyle(root);
    this.#button.onclick = () => this.#act();
    this.#button.onblur = this.onmouseleave = () => {
      this.removeAttribute("dismissed");
    };
  }

  connectedCallback() {
    this.#texts = TEXTS[languageOf(this)];
    this.#aria("label", this.#texts.name);
    this.#stop = hato.onChange((state) => this.#show(state));
    document.addEventListener("keydown", this.#dismiss);
  }

  disconnectedCallback() {
    document.removeEventListener("keydown", this.#dismiss);
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

  // Only from here on is the note spoken: a page that merely loads should be silent.
  async #act() {
    if (this.#button.hasAttribute("aria-busy")) return;
    this.#note.setAttribute("role", "status");
    this.removeAttribute("dismissed");
    const before = this.dataset.state;
    this.#aria("busy", true);
    const error = await this.#toggle(before).catch(({ code }) => code);
    const state = await hato.state().catch(() => before);
    const hasFailed = error && error !== "PERMISSION_DENIED" && state === before;
    const failed = error === "PUSH_UNREACHABLE" ? this.#texts.unreachable : this.#texts.failed;
    this.#show(state, hasFailed ? failed : undefined);
    this.#button.removeAttribute("aria-busy");
  }

  async #toggle(state) {
    if (state === "subscribed") await hato.unsubscribe();
    if (state === "unsubscribed") await hato.subscribe();
  }
}

if (!customElements.get("hato-bell")) customElements.define("hato-bell", HatoBell);
