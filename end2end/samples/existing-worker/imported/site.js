// What the site did before: its pages are there offline.
navigator.serviceWorker.register("/sw.js");

// Hato works in the same worker: only its address has to be named.
hato.onChange((state) => {
  document.getElementById("state").textContent = state;
});
hato.init({
  baseUrl: "https://push.example.com",
  appKey: "pk_subscribe_only",
  serviceWorker: "/sw.js",
});
document.getElementById("subscribe").addEventListener("click", () => hato.subscribe());
