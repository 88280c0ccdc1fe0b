// <hato-preferences>: tags for the visitor to tick, from the page's <option value="TAG">Label</option> in it.
// It goes by `globalThis.hato` and saves each tick at once.
const TEXTS = {
  ja: {
    name: "受け取る通知",
    unsupported: "このブラウザでは通知を受け取れません",
    "needs-install": "ホーム画面に追加すると、通知を受け取れます",
    denied: "通知がブロックされています。ブラウザの設定で許可してください",
    unsubscribed: "通知をオンにすると選べます",
    unknown: "今の設定を読み込めませんでした。ページを再読み込みしてください",
    saving: "保存しています…",
    saved: "保存しました",
    failed: "保存できませんでした。もう一度お試しください",
  },
  en: {
    name: "What to be notified of",
    unsupported: "This browser cannot be notified",
    "needs-install": "Add this site to your home screen to be notified",
    denied: "Notifications are blocked. Allow them in the browser's settings",
    unsubscribed: "Turn notifications on to choose",
    unknown: "Your choices could not be loaded. Please reload the page",
    saving: "Saving…",
    saved: "Saved",
    failed: "That could not be saved. Please try again",
  },
};

class HatoPreferences extends HTMLElement {
  #legend = make("legend", { part: "legend" });
  #group = make("fieldset", { part: "group", disabled: "", "aria-describedby": "hint" });
  #hint = make("p", { part: "hint", id: "hint" });
  #status = make("p", { part: "status", role: "status" });
  // A script may run before the parser has come to the options, and a page may change them.
  #observer = new MutationObserver(() => this.#list());
  #texts;
  #stop;
  #tags = new Set();
  #unsaved = 0;
  #hasFailed = false;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.append(this.#group, this.#hint, this.#status);
    adoptStyle(root);
    this.#group.onchange = ({ target }) => this.#save(target);
  }

  connectedCallback() {
    this.#texts = TEXTS[languageOf(this)];
    this.#list();
    const attributeFilter = ["label", "value"];
    this.#observer.observe(this, { attributeFilter, characterData: true, childList: true, subtree: true });
    this.#stop = hato.onChange((state) => this.#show(state));
  }

  disconnectedCallback() {
    this.#observer.disconnect();
    this.#stop?.();
  }

  #list() {
    this.#legend.textContent = this.getAttribute("label") || this.#texts.name;
    const boxes = [...this.querySelectorAll("option")].map(({ value, label }) => {
      const box = make("input", { part: "checkbox", type: "checkbox", value });
      // The owner's tags are shown, and not the visitor's to change.
      box.disabled = value.startsWith("_");
      return make("label", { part: "option" }, box, make("span", {}, label));
    });
    this.#group.replaceChildren(this.#legend, ...boxes);
    this.#tick();
  }

  #tick() {
    for (const box of this.#group.querySelectorAll("input")) box.checked = this.#tags.has(box.value);
  }

  async #show(state) {
    this.dataset.state = state;
    let hint = this.#texts[state];
    if (state === "subscribed") hint = await this.#load();
    if (state !== this.dataset.state) return;
    this.#hint.textContent = hint || "";
    this.#group.disabled = Boolean(hint);
  }

  // Resolves with what there is to say when it fails.
  async #load() {
    try {
      this.#tags = new Set(await hato.tags());
      this.#tick();
    } catch {
      return this.#texts.unknown;
    }
  }

  // What is ticked meanwhile is saved after it: only when all is, the visitor is told how it went.
  async #save({ value, checked }) {
    this.#unsaved += 1;
    this.#say("saving", true);
    try {
      const tags = await (checked ? hato.addTags([value]) : hato.removeTags([value]));
      this.#tags = new Set(tags);
      this.#tell("saved", { tags });
    } catch ({ code }) {
      this.#hasFailed = true;
      this.#tell("failed", { code });
    }
    this.#unsaved -= 1;
    if (this.#unsaved) return;
    this.#tick();
    this.#say(this.#hasFailed ? "failed" : "saved", false);
    this.#hasFailed = false;
  }

  #say(text, isBusy) {
    this.#status.textContent = this.#texts[text];
    this.#group.setAttribute("aria-busy", isBusy);
  }

  #tell(what, detail) {
    this.dispatchEvent(new CustomEvent(`hato-preferences-${what}`, { bubbles: true, detail }));
  }
}

if (!customElements.get("hato-preferences")) customElements.define("hato-preferences", HatoPreferences);
