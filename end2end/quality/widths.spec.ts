// No page is wider than its window, from 360 to 2,560 pixels.

import { expect, test } from '../support/dashboard-test.ts';
import { unfold } from '../support/dashboard-states.ts';
import { visitAllPages } from '../support/visit-all-pages.ts';

test('no page scrolls sideways', async ({ browser, ownHato: hato, states }) => {
  const wide: string[] = [];
  for (const width of [360, 600, 768, 1024, 2560]) {
    for (const locale of ['ja-JP', 'en-GB']) {
      const options = { locale, viewport: { width, height: 900 } };
      await visitAllPages(browser, hato.url, states, options, async (page, name) => {
        await unfold(page);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (over > 0) wide.push(`${name} at ${width} in ${locale}: ${over} too wide`);
      });
    }
  }
  expect(wide).toEqual([]);
});
