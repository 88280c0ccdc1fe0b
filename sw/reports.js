// Reports of what became of a notification whose message carries a token (CONTRACT 15). `cargo xtask site`
// puts this file into the worker and into the page script.
//
//   reports   [{ baseUrl, token, event, action }]: those that the server has not taken yet
//
// A report is kept until the server has taken it, for the browser may be offline, or stop a worker at any
// time; the next push or visit takes along what is left. One that is told twice counts once.

// Reads and writes at once: the page and the worker do so side by side.
const changeReports = (change) =>
  inStore("readwrite", (values) => {
    const reading = values.get("reports");
    reading.onsuccess = () => values.put(change(reading.result || []), "reports");
    return reading;
  });

const keepReport = (report) => changeReports((kept) => [...kept, report].slice(-100));

// Ends at the first that cannot be told: the others would wait as long. What is for a server that the site
// has left waits for nobody. They go as plain text, which browsers send without asking whether they may.
async function sendReports(server) {
  for (const { baseUrl, ...report } of (await getValue("reports")) || []) {
    if (baseUrl !== server) continue;
    const { ok } = await request(`${baseUrl}/api/v1/events`, { method: "POST", body: JSON.stringify(report) });
    if (!ok) return;
    const isOther = ({ token, event }) => token !== report.token || event !== report.event;
    await changeReports((kept) => kept.filter(isOther));
  }
}
