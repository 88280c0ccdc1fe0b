// How far the visitor's clock is ahead of UTC, for charts whose days are the visitor's own: in a cookie, as minutes east of UTC, and for
// each change from 91 days ago to the end of today the minute from which on there are others (`crates/domain/src/time_zone.rs`).
(() => {
  const COOKIE = 'hato_offsets';
  const MINUTE = 60_000;
  const DAY = 24 * 60;
  const DAYS = 91;
  // Two changes and what is between them.
  const MAX_NUMBERS = 5;
  // 400 days, for which browsers keep a cookie at most.
  const SECONDS = 34_560_000;

  const tomorrow = Math.floor(Date.now() / MINUTE) + DAY;
  const offset = (minute) => -new Date(minute * MINUTE).getTimezoneOffset();

  /** The first minute after `before` whose offset is another, up to `after`. */
  const change = (before, after) => {
    if (after - before === 1) return after;
    const middle = Math.floor((before + after) / 2);
    return offset(middle) === offset(before) ? change(middle, after) : change(before, middle);
  };

  const numbers = [offset(tomorrow)];
  for (let late = tomorrow; late >= tomorrow - DAYS * DAY; late -= DAY) {
    const early = late - DAY;
    if (offset(early) !== offset(late)) numbers.unshift(offset(early), change(early, late));
  }
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  document.cookie = `${COOKIE}=${numbers.slice(-MAX_NUMBERS).join(':')}; Path=/; Max-Age=${SECONDS}; SameSite=Lax${secure}`;
})();
