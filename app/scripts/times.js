// Moments in the visitor's own time zone. The server writes them in UTC, which stays as the text on hover (`title`); they are
// written anew as the browser reads the page, before anybody sees them, and so are those that come later.
(() => {
  const TIMES = 'time[data-as]';
  const MINUTE = 60_000;
  const HOUR = 60 * MINUTE;
  const DAY = 24 * HOUR;

  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const distance = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: 'auto' });
  const digits = (number, count = 2) => String(number).padStart(count, '0');

  const day = (at) => `${digits(at.getFullYear(), 4)}-${digits(at.getMonth() + 1)}-${digits(at.getDate())}`;
  const utcDay = (at) => `${at.toISOString().slice(0, 'YYYY-MM-DD'.length)} UTC`;
  const clock = (at) => `${digits(at.getHours())}:${digits(at.getMinutes())}`;
  const minute = (at) => `${day(at)} ${clock(at)}`;
  const second = (at) => `${minute(at)}:${digits(at.getSeconds())}`;
  const zoned = (at) => `${minute(at)} (${timeZone})`;
  // What is a day or more away reads better as a date.
  const ago = (at) => {
    const span = at - Date.now();
    if (Math.abs(span) < MINUTE) return distance.format(0, 'second');
    if (Math.abs(span) < HOUR) return distance.format(Math.trunc(span / MINUTE), 'minute');
    if (Math.abs(span) < DAY) return distance.format(Math.trunc(span / HOUR), 'hour');
    return minute(at);
  };
  const styles = { day, 'utc-day': utcDay, clock, minute, second, zoned, ago };

  const show = (time) => {
    const text = styles[time.dataset.as](new Date(time.dateTime));
    if (time.textContent !== text) time.textContent = text;
  };

  // The browser may read a page up to the middle of an element.
  const showIn = (node) => {
    const element = node instanceof Element ? node : node.parentElement;
    const time = element?.closest(TIMES);
    if (time) show(time);
    else element?.querySelectorAll(TIMES).forEach(show);
  };
  new MutationObserver((changes) => new Set(changes.map(({ target }) => target)).forEach(showIn)).observe(document, {
    childList: true,
    characterData: true,
    subtree: true,
  });
  setInterval(() => document.querySelectorAll('time[data-as="ago"]').forEach(show), MINUTE / 2);
})();
