// No page is wider than its window, from 360 to 2,560 pixels.

import { Loft } from '../support/loft.ts';
import { expect, test } from '../support/furnished.ts';
import { openSignedIn, openWatched } from '../support/watched.ts';

test('no page scrolls sideways', async ({ browser, house: hato, loft }) => {
  const wide: string[] = [];
  for (const width of [360, 600, 768, 1024, 2560]) {
    for (const locale of ['ja-JP', 'en-GB']) {
      const options = { locale, viewport: { width, height: 900 }, baseURL: hato.url };
      const visitor = await openWatched(browser, options);
      const owner = await openSignedIn(browser, hato.url, loft.session, options);
      const tour = [
        ...Loft.entrance.map((it) => ({ ...it, page: visitor.page })),
        ...loft.pages.map((it) => ({ ...it, page: owner.page })),
      ];
      for (const { name, path, page } of tour) {
        await page.goto(path);
        await page.evaluate(() => document.querySelectorAll('details').forEach((fold) => (fold.open = true)));
        const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (over > 0) wide.push(`${name} at ${width} in ${locale}: ${over} too wide`);
      }
      await visitor.page.context().close();
      await owner.page.context().close();
    }
  }
  expect(wide).toEqual([]);
});
