"use strict";

const MEANINGS = {
  unsupported: "このブラウザは通知に対応していません / This browser cannot be notified",
  "needs-install": "ホーム画面に追加してください / Add this page to the home screen first",
  denied: "ブラウザの設定で通知が拒否されています / Notifications are blocked in the browser",
  unsubscribed: "まだ受け取っていません / Not subscribed yet",
  subscribed: "通知を受け取ります / You will be notified",
};

const at = (id) => document.getElementById(id);

function show(state) {
  at("state").textContent = state;
  at("state").dataset.state = state;
  at("meaning").textContent = MEANINGS[state] ?? "";
  at("subscribe").disabled = state !== "unsubscribed";
  at("unsubscribe").disabled = state !== "subscribed";
}

async function attempt(action) {
  at("error").textContent = "";
  try {
    await action();
  } catch (error) {
    at("error").textContent = String(error?.message ?? error);
    at("error").dataset.code = error?.code ?? "";
  }
}

at("subscribe").addEventListener("click", () => attempt(() => hato.subscribe()));
at("unsubscribe").addEventListener("click", () => attempt(() => hato.unsubscribe()));

hato.onChange(show);
attempt(() => hato.init({ baseUrl: "https://push.example.com", appKey: "pk_subscribe_only" }));
