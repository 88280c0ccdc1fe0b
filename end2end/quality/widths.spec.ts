// No page is wider than its window, from 360 to 2,560 pixels.

import { expect, test } from '../support/furnished.ts';
import { unfold } from '../support/loft.ts';
import { tour } from '../support/tour.ts';

test('no page scrolls sideways', async ({ browser, house: hato, loft }) => {
  const wide: string[] = [];
  for (const width of [360, 600, 768, 1024, 2560]) {
    for (const locale of ['ja-JP', 'en-GB']) {
      const options = { locale, viewport: { width, height: 900 } };
      await tour(browser, hato.url, loft, options, async (page, name) => {
        await unfold(page);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (over > 0) wide.push(`${name} at ${width} in ${locale}: ${over} too wide`);
      });
    }
  }
  expect(wide).toEqual([]);
});
