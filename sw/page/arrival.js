// Who clicks a declarative message comes to the page itself, without the worker. The token in the address
// says so (CONTRACT 15): it is reported, and taken out of the address bar. What does not look like a token is none of
// Hato's, and stays.

// What the worker could not report goes with the visit.
async function reportVisit({ baseUrl }) {
  const { href, search } = location;
  const [all, before, token, after] = search.match(/([?&])hato_t=([\w-]{1,40})(&|$)/) || [];
  if (all) {
    history.replaceState(history.state, "", href.replace(all, after && before));
    await keepReport({ baseUrl, token, event: "clicked" });
  }
  await sendReports(baseUrl);
}
