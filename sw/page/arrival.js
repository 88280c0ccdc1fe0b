// Who clicks a declarative message comes to the page itself, without the worker. The token in the address
// says so (CONTRACT 15): it is reported, and taken out of the address bar.

// What the worker could not report goes with the visit.
async function reportVisit({ baseUrl }) {
  const { pathname, search, hash } = location;
  const [all, before, token, after] = search.match(/([?&])hato_t=([^&]*)(&|$)/) || [];
  if (all) {
    history.replaceState(history.state, "", pathname + search.replace(all, after && before) + hash);
    await keepReport({ baseUrl, token, event: "clicked" });
  }
  await sendReports(baseUrl);
}
