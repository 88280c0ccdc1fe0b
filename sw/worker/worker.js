// The part of the worker that must be there before any wasm: its listeners, and what it can do where
// there is none. What a push shows and where a click leads is decided in the wasm, by sw/src (its
// lib.rs tells the two halves apart). `cargo xtask site` puts in shared.js, which has `getValue`,
// `isOurs`, `withLock` and others, wasm-bindgen's glue and the wasm.
//
// It runs inside the site's own worker: nothing global is left behind, and notifications without
// our mark are left to the handlers of whoever showed them.
(() => {
  "use strict";

  //@shared
  //@reports
  //@glue

  const WASM = "@wasm";
  let loadedWasm;

  // Where it is missing, decoding takes longer than compiling.
  const decode = (text) =>
    Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  // Only when it is needed: a worker also starts for events that are none of ours. It throws where
  // WebAssembly is missing, and where the site's Content-Security-Policy lacks 'wasm-unsafe-eval'.
  function loadWasm() {
    if (!loadedWasm) {
      wasm_bindgen.initSync({ module: decode(WASM) });
      loadedWasm = wasm_bindgen;
    }
    return loadedWasm;
  }

  function parse(text) {
    try {
      return JSON.parse(text) || {};
    } catch {
      return {};
    }
  }

  // Title, body and url as sw/src/message.rs reads them. What says nothing shows that there is something:
  // browsers withdraw the permission of sites that receive a push and show nothing.
  function showPlainly(text, token) {
    const parsed = parse(text);
    const isDeclarative = parsed.web_push === 8030;
    const message = (isDeclarative ? parsed.notification : parsed) ?? {};
    const member = (name) => (typeof message[name] === "string" && message[name].trim() ? message[name] : "");
    const [title, body, url] = ["title", "body", isDeclarative ? "navigate" : "url"].map(member);
    const fallback = navigator.language.startsWith("ja")
      ? "新しいお知らせがあります"
      : "You have a new notification";
    return self.registration.showNotification(title || self.location.host, {
      body: title || body ? body : fallback,
      data: { hato: url, hatoToken: token },
    });
  }

  // The number on the app's icon, in browsers that have one.
  async function setAppBadge(text) {
    const { app_badge, notification } = parse(text);
    const number = app_badge ?? notification?.app_badge;
    if (Number.isInteger(number) && number >= 0) await navigator.setAppBadge?.(number);
  }

  const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

  // A worker of the site's own may also receive from another push service, and shows that itself. The
  // subscription was then made with another key than the app's, now or when it was last registered.
  async function isForeign() {
    if (isHatoWorker(self.location.href)) return false;
    const { scope, pushManager } = self.registration;
    const names = [settingsKey(scope), registeredKey(scope)];
    const [settings, registered] = await Promise.all(names.map(getValue));
    const subscription = settings && (await pushManager.getSubscription());
    return subscription && ![settings, registered].some((it) => it && isOurs(subscription, it));
  }

  // Resolves with the token of what is shown, if there is one.
  async function push({ data }) {
    // In doubt the message is shown, and also when IndexedDB does not answer within half a second:
    // to a browser, a worker that is late to show a notification is one that shows none.
    if (await Promise.race([isForeign().catch(() => false), sleep(500)])) return;
    const text = data ? data.text() : "";
    const badge = setAppBadge(text).catch(() => {});
    const token = tokenOf(parse(text));
    try {
      await loadWasm().push(text, token);
    } catch {
      await showPlainly(text, token);
    }
    await badge;
    tellShown();
    return token;
  }

  // Whoever of the origin wants to know, as the dashboard does when an owner tries an app out.
  function tellShown() {
    const channel = new BroadcastChannel("hato-shown");
    channel.postMessage(self.registration.scope);
    channel.close();
  }

  // A window's own `url` is where it began; where the site's script has led it since, as an app of
  // one page does, the page script knows.
  function locationOf(window) {
    return new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => resolve(data);
      window.postMessage("hato-where", [port2]);
      sleep(200).then(() => resolve(window.url));
    });
  }

  function destination(url) {
    try {
      return loadWasm().click_destination(url);
    } catch {
      return plainDestination(url);
    }
  }

  // As sw/src/destination.rs judges it.
  function plainDestination(url) {
    const root = `${self.location.origin}/`;
    try {
      const { href } = new URL(url, root);
      if (href.startsWith("https://") || href.startsWith(root)) return href;
    } catch {
      // No address.
    }
    return root;
  }

  // Focuses the window that is there already, or opens one; no other is navigated.
  async function click(url) {
    const { clients } = self;
    const address = destination(url);
    try {
      const windows = await clients.matchAll({ type: "window", includeUncontrolled: true });
      const addresses = await Promise.all(windows.map(locationOf));
      const there = windows[addresses.indexOf(address)];
      if (there) return await there.focus();
    } catch {
      // It has just gone.
    }
    return clients.openWindow(address);
  }

  // A visitor who has never subscribed here, or has unsubscribed, is not subscribed by this.
  async function renew({ newSubscription }) {
    const { registration } = self;
    const settings = await getValue(settingsKey(registration.scope));
    const registered = await getValue(registeredKey(registration.scope));
    if (!settings || !registered) return;
    const renewed = isOurs(newSubscription, settings)
      ? newSubscription
      : await subscribeAt(registration, settings);
    if (renewed.endpoint !== registered.endpoint) {
      await registerSubscription(settings, renewed, [registered]);
    }
  }

  // The visitor has withdrawn the permission, or the server will say the same again.
  const isFinal = ({ name, status }) =>
    name === "NotAllowedError" || (status >= 400 && status < 500 && status !== 408 && status !== 429);

  // The browser has dropped the subscription, often just when it came back to a poor network. What
  // cannot be done within half a minute, the page does at its next visit.
  async function renewWithRetries(event) {
    for (const wait of [1e3, 5e3, 15e3, 0]) {
      try {
        return await withLock(() => renew(event));
      } catch (error) {
        if (isFinal(error)) return;
        if (!wait) throw error;
        await sleep(wait);
      }
    }
  }

  // Where the file is Hato's alone, nobody loses anything by it: it takes over from what was there before, such as
  // another service's worker, without waiting until all pages of the site are closed.
  if (isHatoWorker(self.location.href)) self.addEventListener("install", () => self.skipWaiting());

  // Tokens of notifications that were clicked: Firefox tells of their closing, too.
  const clicked = new Set();

  // The browser may stop a worker as soon as no event is under way. waitUntil keeps it until the
  // notification is shown, the window opened, or the new endpoint registered.
  self.addEventListener("push", (event) => {
    const shown = push(event);
    event.waitUntil(shown);
    shown.then((token) => clicked.delete(token)).catch(() => {});
    reportAfter(shown, event, "displayed");
  });

  self.addEventListener("notificationclick", (event) => {
    const { action, notification } = event;
    const url = notification.data?.hato;
    const own = notification.data?.hatoActions?.[action];
    if (typeof url === "string") {
      // The site's own handlers, added after this one, are for the site's own notifications.
      event.stopImmediatePropagation();
      const { hatoToken } = notification.data;
      clicked.add(hatoToken);
      notification.close();
      event.waitUntil(click(typeof own === "string" ? own : url));
      reportAfter(Promise.resolve(hatoToken), event, "clicked", action);
    }
  });

  self.addEventListener("notificationclose", (event) => {
    const { hato, hatoToken } = event.notification.data || {};
    if (typeof hato !== "string" || clicked.delete(hatoToken)) return;
    reportAfter(Promise.resolve(hatoToken), event, "dismissed");
  });

  self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renewWithRetries(event)));
})();
