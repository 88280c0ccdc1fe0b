// Every page in every state at two widths, in both themes and both languages, to be looked at.

import { join, resolve } from 'node:path';

import { test } from '../support/dashboard-test.ts';
import { allAppearances, visitAllPages } from '../support/visit-all-pages.ts';

const folder = resolve(process.env.HATO_SCREENSHOTS ?? join(import.meta.dirname, '../../target/screenshots'));

test('pictures of every page', async ({ browser, ownHato: hato, states }) => {
  for (const appearance of allAppearances([390, 1440])) {
    await visitAllPages(browser, hato.url, states, appearance.options, async (page, name) => {
      await page.screenshot({ path: join(folder, `${name}-${appearance.name}.png`), fullPage: true });
    });
  }
});
