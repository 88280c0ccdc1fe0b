// Every page at two widths, in both themes and both languages, to be looked at.

import { join, resolve } from 'node:path';

import { Loft } from '../support/loft.ts';
import { test } from '../support/furnished.ts';
import { openSignedIn, openWatched } from '../support/watched.ts';

const folder = resolve(process.env.HATO_SCREENSHOTS ?? join(import.meta.dirname, '../../target/screenshots'));
const only = process.env.HATO_PAGES?.split(',');

test('pictures of every page', async ({ browser, house: hato, loft }) => {
  for (const width of [390, 1440]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const locale of ['ja-JP', 'en-GB']) {
        const options = { locale, colorScheme, viewport: { width, height: 900 }, baseURL: hato.url };
        const visitor = await openWatched(browser, options);
        const owner = await openSignedIn(browser, hato.url, loft.session, options);
        const tour = [
          ...Loft.entrance.map((looked) => ({ ...looked, page: visitor.page })),
          ...loft.pages.map((looked) => ({ ...looked, page: owner.page })),
        ];
        for (const { name, path, page } of tour) {
          if (only && !only.includes(name)) continue;
          await page.goto(path, { waitUntil: 'load' });
          const file = `${name}-${width}-${colorScheme}-${locale.slice(0, 2)}.png`;
          await page.screenshot({ path: join(folder, file), fullPage: true });
        }
        await visitor.page.context().close();
        await owner.page.context().close();
      }
    }
  }
});
