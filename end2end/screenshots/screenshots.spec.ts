// Every page in every state at two widths, in both themes and both languages, to be looked at.

import { join, resolve } from 'node:path';

import { test } from '../support/furnished.ts';
import { everyLook, tour } from '../support/tour.ts';

const folder = resolve(process.env.HATO_SCREENSHOTS ?? join(import.meta.dirname, '../../target/screenshots'));

test('pictures of every page', async ({ browser, house: hato, loft }) => {
  for (const look of everyLook([390, 1440])) {
    await tour(browser, hato.url, loft, look.options, async (page, name) => {
      await page.screenshot({ path: join(folder, `${name}-${look.name}.png`), fullPage: true });
    });
  }
});
