// The site's own worker has the whole site; Hato's gets the scope /hato-push/ beside it.
const worker = navigator.serviceWorker.register("/sw.js");

hato.onChange((state) => {
  document.getElementById("state").textContent = state;
});
worker.then(() =>
  hato.init({ baseUrl: "https://push.example.com", appKey: "pk_subscribe_only" }),
);
document.getElementById("subscribe").addEventListener("click", () => hato.subscribe());
