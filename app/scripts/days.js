// The days of the history's search are the visitor's own: each goes to the server with how much earlier it begins (or, of the last one,
// ends) than that of UTC. A day of UTC, to which a link may lead, stays one until another is chosen.
(() => {
  const MINUTE = 60_000;
  const DAY = 24 * 60 * MINUTE;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

  const offset = (field) => {
    const utc = field.valueAsNumber + (field.name === 'to' ? DAY : 0);
    const date = new Date(utc).toISOString().slice(0, 'YYYY-MM-DD'.length);
    return String(Math.round((utc - Date.parse(`${date}T00:00`)) / MINUTE));
  };

  for (const field of document.querySelectorAll('[data-offset]')) {
    const { parentElement: place, form } = field;
    const minutes = form.elements[field.dataset.offset];
    const own = () => {
      minutes.value = field.value && offset(field);
      place.querySelector('label span').textContent = timeZone;
    };
    if (!field.value || (minutes.value || '0') === offset(field)) own();
    field.addEventListener('input', own);
  }
})();
